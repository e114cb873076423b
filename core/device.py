"""Where the arithmetic runs: CUDA where there is one, else Apple's GPU, else the CPU.

`GLASSFORMER_DEVICE` chooses another, `GLASSFORMER_THREADS` sets how many threads the CPU uses.
"""

import os
from collections.abc import Callable

import torch

from core.errors import GlassformerError


def pick(name: str | None = None) -> torch.device:
    """The device called `name`, else the one in GLASSFORMER_DEVICE, else the best there is.

    Raises `GlassformerError` when the one asked for is unknown or not there.
    """
    threads = os.environ.get("GLASSFORMER_THREADS")
    if threads:
        if not threads.isdecimal() or int(threads) < 1:
            raise GlassformerError(f"GLASSFORMER_THREADS is {threads!r}; it must be a whole number of at least 1.")
        torch.set_num_threads(int(threads))
    there: dict[str, Callable[[], bool]] = {
        "cuda": torch.cuda.is_available,
        "mps": torch.backends.mps.is_available,
        "cpu": lambda: True,
    }
    name = name or os.environ.get("GLASSFORMER_DEVICE") or next(kind for kind, is_there in there.items() if is_there())
    kind = name.split(":")[0]
    if kind not in there:
        raise GlassformerError(f"There is no device {name!r}; known are cuda, mps and cpu.")
    if not there[kind]():
        raise GlassformerError(f"The device {name!r} was asked for, but torch finds none here; try cpu.")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except RuntimeError:
        raise GlassformerError(f"The device {name!r} was asked for, but torch finds none here; try {kind}.") from None
    return device
