"""Open a model folder in Hugging Face layout: config.json, safetensors, tokenizer.json, and no more.

Nothing is filled in and nothing passed over: a missing tensor, a left-over one, a wrong size, a setting that we do
not understand and a weight that is not a number are each refused in a sentence. Only safetensors is read, never a
pickle, and nothing in the folder is imported.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.checkpoints.family import Entry, Family, Settings
from core.checkpoints.gpt2 import GPT2
from core.checkpoints.llama import LLAMA
from core.config import Config
from core.errors import CheckpointError
from core.models import Decoder

FAMILIES = {family.model_type: family for family in (GPT2, LLAMA)}

HARMLESS = frozenset(
    (
        *("_name_or_path", "_attn_implementation", "architectures", "dtype", "torch_dtype", "transformers_version"),
        *("bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id", "id2label", "label2id", "problem_type"),
        *("initializer_range", "is_decoder", "is_encoder_decoder", "keys_to_ignore_at_inference", "model_type"),
        *("output_attentions", "output_hidden_states", "return_dict", "task_specific_params", "use_cache"),
        "chunk_size_feed_forward",
    )
)
"""Fields of config.json that change no number of a forward pass, in any family."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What a folder holds: the architecture, our weights by our names, ids that end a text, the tokenizer's file."""

    family: str
    config: Config
    weights: dict[str, Tensor]
    stop: tuple[int, ...]
    tokenizer: Path


def read(folder: Path) -> Checkpoint:
    """Open `folder`. Raises `CheckpointError` with what was found, what is supported and what to do."""
    settings = _json(folder / "config.json")
    family = _family(settings)
    read = Settings(settings)
    config = family.translate(read)
    unknown = [name for name in read.unread() if name not in HARMLESS and name not in family.harmless]
    if unknown:
        raise CheckpointError(f"config.json sets {', '.join(unknown)}, which {family.model_type} here does not know.")
    weights = _weights(_tensors(folder), family, config)
    generation = _json(folder / "generation_config.json") if (folder / "generation_config.json").is_file() else {}
    stop = _stop(generation.get("eos_token_id", settings.get("eos_token_id")))
    return Checkpoint(family.model_type, config, weights, stop, folder / "tokenizer.json")


def fill(network: Decoder, weights: dict[str, Tensor]) -> None:
    """Put the weights of a checkpoint into a network built for its config."""
    network.load_state_dict(weights, assign=True)
    if network.config.tied:
        network.head.weight = network.embed.weight  # one parameter, which moves to a device once


def write(folder: Path, family: Family, config: Config, network: nn.Module) -> None:
    """Write a network's weights under the family's names."""
    ours = {name: parameter.detach() for name, parameter in network.named_parameters()}
    theirs = {
        name: part.clone(memory_format=torch.contiguous_format)
        for entry in family.table(config)
        for name, part in zip(entry.theirs, entry.split(ours[entry.ours]), strict=True)
    }
    save_file(theirs, folder / "model.safetensors", metadata={"format": "pt"})


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise CheckpointError(f"{path.name} is missing: a model folder in Hugging Face layout has one.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        raise CheckpointError(f"{path.name} is not readable as JSON; fetch it again.") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{path.name} holds no settings; fetch it again.")
    return found


def _family(settings: dict[str, Any]) -> Family:
    if settings.get("auto_map") is not None:
        raise CheckpointError("This model needs custom code, which is not supported: nothing in a folder is run.")
    quantised = settings.get("quantization_config")
    if quantised is not None:
        method = quantised.get("quant_method") if isinstance(quantised, dict) else quantised
        method = method if isinstance(method, str) else "an unnamed method"
        raise CheckpointError(
            f"The weights are quantised ({method}); only float32, float16 and bfloat16 are supported."
        )
    model_type = settings.get("model_type")
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        raise CheckpointError(f"The model is of type {model_type!r}; supported are {', '.join(FAMILIES)}.")
    return FAMILIES[model_type]


def _stop(found: object) -> tuple[int, ...]:
    """The ids that end a text, from one id, a list of them, or null."""
    ids = [] if found is None else found if isinstance(found, list) else [found]
    if not all(type(id) is int for id in ids):
        raise CheckpointError(f"The config says eos_token_id {found!r}; a token id, or a list of them, belongs there.")
    return tuple(ids)


def _tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the folder's safetensors files: one file, or those that the index names."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        where = _json(index).get("weight_map")
        if not isinstance(where, dict) or not all(isinstance(file, str) for file in where.values()):
            raise CheckpointError(f"{index.name} does not say which file holds which tensor; fetch it again.")
        lost = {file for file in set(where.values()) if Path(file).name != file or not (folder / file).is_file()}
        if lost:
            count = sum(file in lost for file in where.values())
            raise CheckpointError(f"{', '.join(sorted(lost))} is missing from the folder; it holds {count} tensors.")
        found = {name: x for file in sorted(set(where.values())) for name, x in _file(folder / file)}
        return {name: x for name, x in found.items() if name in where}
    if (folder / "model.safetensors").is_file():
        return dict(_file(folder / "model.safetensors"))
    others = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth", "*.h5") for path in folder.glob(pattern))
    there = f"; {', '.join(others)} is not read, since such files can run code" if others else ""
    raise CheckpointError(f"model.safetensors is missing: only safetensors files are supported{there}.")


def _file(path: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        with safe_open(path, "pt") as file:
            for name in file.keys():  # noqa: SIM118 (not a dict)
                yield name, file.get_tensor(name)
    except SafetensorError:
        raise CheckpointError(f"{path.name} is not a whole safetensors file; fetch it again.") from None


def _weights(tensors: dict[str, Tensor], family: Family, config: Config) -> dict[str, Tensor]:
    """Our weights by our names, in float32, from theirs."""
    if config.n_layers > len(tensors):
        raise CheckpointError(f"The config asks for {config.n_layers} layers; the weights hold {len(tensors)} tensors.")
    entries = family.table(config)
    theirs: dict[str, Tensor] = {}
    for name, x in tensors.items():
        if theirs.setdefault(_full(name, family, entries), x) is not x:
            raise CheckpointError(
                f"The weights hold {_full(name, family, entries)} twice, with its prefix and without."
            )
    wanted = _sizes(entries, config)
    if missing := sorted(set(wanted) - set(theirs)):
        raise CheckpointError(f"The weights lack {_few(missing)}.")
    known = "|".join([*family.ignored, r"lm_head\.weight"] if config.tied else family.ignored)
    if extra := sorted(name for name in theirs if name not in wanted and not re.fullmatch(known, name)):
        raise CheckpointError(
            f"The weights hold {_few(extra)}, which a {family.model_type} of this config does not have."
        )
    for name, size in wanted.items():
        if theirs[name].shape != size:
            found = tuple(theirs[name].shape)
            raise CheckpointError(f"{name} has size {found}, but config.json asks for {tuple(size)}.")
        if theirs[name].dtype not in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            raise CheckpointError(
                f"{name} is stored as {theirs[name].dtype}; only floating point of 16 to 64 bits is supported."
            )
        if not theirs[name].isfinite().all():
            raise CheckpointError(f"{name} holds values that are not finite numbers; the file is damaged.")
    weights = {e.ours: e.join([theirs[name].float() for name in e.theirs]) for e in entries}
    if config.tied:
        weights["head.weight"] = weights["embed.weight"]
    return weights


def _sizes(entries: list[Entry], config: Config) -> dict[str, torch.Size]:
    """Their names, each with the size that a network of `config` needs, found without asking for memory."""
    try:
        with torch.device("meta"):
            ours = dict(Decoder(config).named_parameters())
        return {
            name: part.shape
            for entry in entries
            for name, part in zip(entry.theirs, entry.split(ours[entry.ours]), strict=True)
        }
    except RuntimeError:
        raise CheckpointError("The sizes in config.json are larger than any memory; fetch it again.") from None


def _full(name: str, family: Family, entries: list[Entry]) -> str:
    """The name with the family's prefix, which some files leave out."""
    heads = {theirs for entry in entries for theirs in entry.theirs if not theirs.startswith(family.prefix)}
    return name if name.startswith(family.prefix) or name in heads or name == "lm_head.weight" else family.prefix + name


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
