"""What only a GPU can show. `python tests/gpu.py` says so and ends well where there is none.

On the GPU, with TF32 off: a recorded pass is the silent one bit for bit; cached steps equal the full pass; runs of
eight threads equal runs alone; every number equals the CPU's within 1e-3; and how long a recorded pass of a GPT-2-small
shape takes. About a minute. `--device cpu` (or mps) runs the same checks there.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from torch import Tensor

import core
from core.config import Config
from core.model import Model
from core.models import Decoder
from core.tape import Tape
from tests.core import tiny

GPT2_SMALL = Config(
    vocab_size=50257,
    d_model=768,
    n_layers=12,
    n_heads=12,
    n_kv_heads=12,
    d_head=64,
    d_ff=3072,
    context=1024,
)
PRESETS = ("gpt2", "original", "gpt1", "llama gqa", "rotary layernorm")


def models(device: torch.device) -> dict[str, Model]:
    """The tiny presets with random weights, on the device."""
    found = {}
    for name in PRESETS:
        model = tiny.model(tiny.PRESETS[name], seed=3)
        model.network.to(device)
        found[name] = model
    return found


def apart(found: Tensor, right: Tensor) -> float:
    """The largest difference, for numbers above 1 as a part of the largest; infinite where one has -inf alone."""
    found, right = found.detach().cpu().double(), right.detach().cpu().double()
    finite = right.isfinite()
    if found.shape != right.shape or not torch.equal(finite, found.isfinite()):
        return float("inf")
    if not finite.any():
        return 0.0
    return float((found[finite] - right[finite]).abs().max() / max(1.0, float(right[finite].abs().max())))


def silent_equals_taped(device: torch.device) -> str:
    for name, model in models(device).items():
        ids = torch.tensor([tiny.IDS], device=device)
        with torch.no_grad():
            silent = model.network(ids)[0]
        for keep in (None, [], ["*.pattern"]):
            assert torch.equal(model.run(ids=tiny.IDS, keep=keep).logits, silent), name
    return "bit for bit"


def cached_equals_uncached(device: torch.device) -> str:
    worst = 0.0
    for model in models(device).values():
        for step in model.generate(ids=tiny.IDS, max_new_tokens=9, seed=5):
            whole = model.run(ids=[token.id for token in step.run.tokens]).logits[-1]
            worst = max(worst, apart(step.run.logits[-1], whole))
    assert worst < 1e-4, worst
    return f"within {worst:.1e}"


def threads(device: torch.device) -> str:
    model = models(device)["llama gqa"]
    texts = [[(7 * i + 3 * j) % 24 for j in range(1 + i % 12)] for i in range(200)]

    def work(i: int) -> list[Tensor]:
        edits = {f"decoder.{i % 2}.attn.z": core.scale(i / 100, head=i % 4)} if i % 3 else None
        run = model.run(ids=texts[i], edits=edits)
        steps = list(model.generate(ids=texts[i], max_new_tokens=3, seed=i)) if i % 5 == 0 else []
        return [*(run[name] for name in run.sites), *(step.run.logits for step in steps)]

    alone = [work(i) for i in range(len(texts))]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, range(len(texts))))
    exact, worst = 0, 0.0
    for found, right in zip(together, alone, strict=True):
        assert len(found) == len(right)
        exact += all(torch.equal(a, b) for a, b in zip(found, right, strict=True))
        worst = max(worst, *(apart(a, b) for a, b in zip(found, right, strict=True)))
    assert worst < 1e-5, worst
    return f"{exact} of {len(texts)} bit for bit, all within {worst:.1e}"


def equals_the_cpu(device: torch.device) -> str:
    worst = 0.0
    here, there = models(device), models(torch.device("cpu"))
    for name in PRESETS:
        for mask in (None, [0, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1]):
            found, right = (model.run(ids=tiny.IDS, mask=mask) for model in (here[name], there[name]))
            assert found.sites == right.sites
            worst = max(worst, *(apart(found[site], right[site]) for site in right.sites))
    torch.manual_seed(0)
    network = Decoder(GPT2_SMALL).eval()
    ids = torch.randint(GPT2_SMALL.vocab_size, (1, 64))
    with torch.no_grad():
        right_tape, found_tape = Tape(), Tape()
        network(ids, probe=right_tape)
        network.to(device)(ids.to(device), probe=found_tape)
    for site, value in right_tape.tensors.items():
        worst = max(worst, apart(found_tape.tensors[site], value))
    assert worst < 1e-3, worst
    return f"within {worst:.1e} at every site"


def time_of_a_pass(device: torch.device) -> str:
    torch.manual_seed(0)
    network = Decoder(GPT2_SMALL).eval().to(device)
    said = []
    for n in (64, 256):
        ids = torch.randint(GPT2_SMALL.vocab_size, (1, n), device=device)
        passes: dict[str, Callable[[], object]] = {
            "silent": lambda ids=ids: network(ids),
            "recorded": lambda ids=ids: network(ids, probe=Tape()),
            "patterns only": lambda ids=ids: network(ids, probe=Tape(keep=["*.pattern"])),
        }
        times = {name: median(device, one) for name, one in passes.items()}
        said.append(f"{n} tokens: " + ", ".join(f"{name} {1000 * t:.1f} ms" for name, t in times.items()))
    return "median of 15; " + "; ".join(said)


@torch.no_grad()
def median(device: torch.device, one: Callable[[], object]) -> float:
    """Seconds of one pass, waited for, after three that warm up."""
    wait = {"cuda": torch.cuda.synchronize, "mps": torch.mps.synchronize}.get(device.type, lambda: None)
    times = []
    for i in range(18):
        wait()
        begin = time.perf_counter()
        one()
        wait()
        if i >= 3:
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


CHECKS = (silent_equals_taped, cached_equals_uncached, threads, equals_the_cpu, time_of_a_pass)


def main() -> int:
    """Run every check; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    name = parser.parse_args().device
    if name.startswith("cuda") and not torch.cuda.is_available():
        print("There is no GPU here: nothing was checked.")
        return 0
    torch.set_float32_matmul_precision("highest")  # no TF32
    device = torch.device(name)
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name(device) if device.type == 'cuda' else device}")
    failed = 0
    for check in CHECKS:
        begin = time.perf_counter()
        try:
            said = check(device)
        except Exception as error:
            failed += 1
            said = f"FAILED: {type(error).__name__} {error}"
        print(f"{check.__name__.replace('_', ' '):24} {said}  [{time.perf_counter() - begin:.1f} s]", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
