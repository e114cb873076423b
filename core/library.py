"""The models that can be loaded by name, and folders that are loaded by their path."""

import os
from pathlib import Path

from core.attention import attend, attend_fused
from core.checkpoints import fill, read
from core.device import pick
from core.errors import CheckpointError
from core.model import Model
from core.models import build
from core.text import Vocabulary


def assets() -> Path:
    """The folder of what ships with the code: it lies beside `core`, in a checkout and in an installed wheel."""
    return Path(__file__).parents[1] / "assets"


def models() -> tuple[str, ...]:
    """The names that `load` knows without a folder."""
    return tuple(sorted(path.parent.name for path in assets().glob("models/*/config.json")))


def load(name: str | os.PathLike[str], *, device: str | None = None, fused: bool = False) -> Model:
    """Open a model: one of `models()`, or a folder in Hugging Face layout (config.json, safetensors, tokenizer.json).

    `device` is cuda, mps or cpu; by default the best there is, or GLASSFORMER_DEVICE. `fused` computes attention in one
    kernel whose maps cannot be read. Raises `CheckpointError` in a sentence when it cannot be opened.
    """
    known = models()
    folder = assets() / "models" / name if name in known else Path(name)
    try:
        there = folder.is_dir()
    except (OSError, ValueError):
        there = False
    if not there:
        raise CheckpointError(f"There is no model {str(name)!r}; give a folder, or one of {', '.join(known)}.")
    where = pick(device)
    checkpoint = read(folder)
    vocabulary = Vocabulary.read(checkpoint.tokenizer, checkpoint.config.vocab_size)
    network = build(checkpoint.config, attend_fused if fused else attend)
    fill(network, checkpoint.weights)
    network.to(where).eval()
    return Model(
        folder.resolve().name,
        checkpoint.family,
        network,
        vocabulary,
        checkpoint.stop,
        checkpoint.start,
        checkpoint.classes,
    )
