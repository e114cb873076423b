"""The weights of a folder: found, checked against what a network of its config needs, and given our names.

Nothing is filled in and nothing passed over: a missing tensor, a left-over one, a wrong size and a value that is no
number are refused. Sizes are compared before memory is asked for.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.checkpoints.family import Entry, Family
from core.config import Config
from core.errors import CheckpointError
from core.models import Network, build

Found = TypeVar("Found")


def settings(path: Path) -> dict[str, Any]:
    """The fields of a JSON file. Raises `CheckpointError` when it is missing or holds none."""
    if not path.is_file():
        raise CheckpointError(f"{path.name} is missing: a model folder in Hugging Face layout has one.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        raise CheckpointError(f"{path.name} is not readable as JSON; fetch it again.") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{path.name} holds no settings; fetch it again.")
    return found


def locate(folder: Path) -> dict[str, Path]:
    """The file of every tensor in the folder: of model.safetensors, or of the files that the index names."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        where = settings(index).get("weight_map")
        if not isinstance(where, dict) or not all(isinstance(file, str) for file in where.values()):
            raise CheckpointError(f"{index.name} does not say which file holds which tensor; fetch it again.")
        lost = {file for file in set(where.values()) if Path(file).name != file or not (folder / file).is_file()}
        if lost:
            count = sum(file in lost for file in where.values())
            raise CheckpointError(f"{', '.join(sorted(lost))} is missing from the folder; it holds {count} tensors.")
        found = {name: folder / file for file in sorted(set(where.values())) for name in _held(folder / file)}
        return {name: path for name, path in found.items() if name in where}
    path = folder / "model.safetensors"
    if path.is_file():
        return dict.fromkeys(_held(path), path)
    others = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth", "*.h5") for path in folder.glob(pattern))
    there = f"; {', '.join(others)} is not read, since such files can run code" if others else ""
    raise CheckpointError(f"model.safetensors is missing: only safetensors files are supported{there}.")


def _held(path: Path) -> list[str]:
    return _open(path, lambda file: list(file.keys()))


def _open(path: Path, use: Callable[[Any], Found]) -> Found:
    try:
        with safe_open(path, "pt") as file:
            return use(file)
    except SafetensorError:
        raise CheckpointError(f"{path.name} is not a whole safetensors file; fetch it again.") from None


def weights(where: Mapping[str, Path], family: Family, config: Config) -> dict[str, Tensor]:
    """Our weights by our names, in float32, from theirs in the files `where` says."""
    n_layers = config.layers("encoder") + config.layers("decoder")
    if n_layers > len(where):
        raise CheckpointError(f"The config asks for {n_layers} layers; the weights hold {len(where)} tensors.")
    entries = family.table(config)
    theirs: dict[str, str] = {}
    for name in where:
        full = _full(name, family, entries)
        if theirs.setdefault(full, name) != name:
            raise CheckpointError(f"The weights hold {full} twice, under two spellings of its name.")
    wanted = _sizes(entries, config)
    if missing := sorted(set(wanted) - set(theirs)):
        raise CheckpointError(f"The weights lack {_few(missing)}.")
    known = "|".join([*family.ignored, r"lm_head\.weight"] if config.tied else family.ignored)
    if extra := sorted(name for name in theirs if name not in wanted and not re.fullmatch(known, name)):
        raise CheckpointError(
            f"The weights hold {_few(extra)}, which a {family.model_type} of this config does not have."
        )
    found = {name: _checked(name, theirs[name], where[theirs[name]], size) for name, size in wanted.items()}
    return {entry.ours: entry.join([found[name] for name in entry.theirs]) for entry in entries}


def _checked(name: str, stored: str, path: Path, size: torch.Size) -> Tensor:
    x: Tensor = _open(path, lambda file: file.get_tensor(stored))
    if x.shape != size:
        raise CheckpointError(f"{name} has size {tuple(x.shape)}, but config.json asks for {tuple(size)}.")
    if x.dtype not in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        raise CheckpointError(f"{name} is stored as {x.dtype}; only floating point of 16 to 64 bits is supported.")
    if not x.isfinite().all():
        raise CheckpointError(f"{name} holds values that are not finite numbers; the file is damaged.")
    return x.float()


def _sizes(entries: list[Entry], config: Config) -> dict[str, torch.Size]:
    """Their names, each with the size that a network of `config` needs, found without asking for memory."""
    try:
        with torch.device("meta"):
            ours = dict(build(config).named_parameters())
        return {
            name: part.shape
            for entry in entries
            for name, part in zip(entry.theirs, entry.split(ours[entry.ours]), strict=True)
        }
    except RuntimeError:
        raise CheckpointError("The sizes in config.json are larger than any memory; fetch it again.") from None


def fill(network: Network, weights: Mapping[str, Tensor]) -> None:
    """Put the weights of a checkpoint into a network built for its config; what it shares stays one parameter."""
    made = {name: nn.Parameter(x) for name, x in weights.items()}
    shared: dict[int, str] = {}
    for name, parameter in network.named_parameters(remove_duplicate=False):
        shared.setdefault(id(parameter), name)
    every = {name: made[shared[id(x)]] for name, x in network.named_parameters(remove_duplicate=False)}
    network.load_state_dict(every, assign=True)


def write(folder: Path, family: Family, config: Config, network: nn.Module) -> None:
    """Write a network's weights under the family's names."""
    ours = {name: parameter.detach() for name, parameter in network.named_parameters()}
    theirs = {
        name: part.clone(memory_format=torch.contiguous_format)
        for entry in family.table(config)
        for name, part in zip(entry.theirs, entry.split(ours[entry.ours]), strict=True)
    }
    save_file(theirs, folder / "model.safetensors", metadata={"format": "pt"})


def _full(name: str, family: Family, entries: list[Entry]) -> str:
    """The name as it is spelt today, with the family's prefix, which some files leave out."""
    name = family.rename(name)
    heads = {theirs for entry in entries for theirs in entry.theirs if not theirs.startswith(family.prefix)}
    return name if name.startswith(family.prefix) or name in heads or name == "lm_head.weight" else family.prefix + name


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
