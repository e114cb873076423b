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

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.checkpoints.family import Entry, Family, Settings
from core.checkpoints.gpt2 import GPT2
from core.checkpoints.llama import LLAMA
from core.config import Config
from core.errors import CheckpointError

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


@dataclass(frozen=True)
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
    stop = generation.get("eos_token_id", settings.get("eos_token_id"))
    stop = () if stop is None else tuple(stop) if isinstance(stop, list) else (stop,)
    return Checkpoint(family.model_type, config, weights, stop, folder / "tokenizer.json")


def fill(network: nn.Module, weights: dict[str, Tensor]) -> None:
    """Put the weights into a network built for their config. Raises `CheckpointError` on a wrong size."""
    wanted = dict(network.named_parameters())
    for name, parameter in wanted.items():
        if weights[name].shape != parameter.shape:
            raise CheckpointError(
                f"The weights of {name} have size {tuple(weights[name].shape)}; the config asks for"
                f" {tuple(parameter.shape)}."
            )
    network.load_state_dict(weights, strict=False, assign=True)


def write(folder: Path, family: Family, config: Config, network: nn.Module) -> None:
    """Write a network's weights under the family's names, for families whose tensors are ours one by one."""
    ours = dict(network.named_parameters())
    theirs = {entry.theirs[0]: entry.join([ours[entry.ours].detach()]).contiguous() for entry in family.table(config)}
    save_file(theirs, folder / "model.safetensors", metadata={"format": "pt"})


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise CheckpointError(f"{path.name} is missing: a model folder in Hugging Face layout has one.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise CheckpointError(f"{path.name} is not readable as JSON; fetch it again.") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{path.name} holds no settings; fetch it again.")
    return found


def _family(settings: dict[str, Any]) -> Family:
    if "auto_map" in settings:
        raise CheckpointError("This model needs custom code, which is not supported: nothing in a folder is run.")
    if "quantization_config" in settings:
        method = dict(settings["quantization_config"] or {}).get("quant_method", "an unnamed method")
        raise CheckpointError(
            f"The weights are quantised ({method}); only float32, float16 and bfloat16 are supported."
        )
    model_type = settings.get("model_type")
    if model_type not in FAMILIES:
        raise CheckpointError(f"The model is of type {model_type!r}; supported are {', '.join(FAMILIES)}.")
    return FAMILIES[model_type]


def _tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the folder's safetensors files: one file, or those that the index names."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        where: dict[str, str] = _json(index).get("weight_map", {})
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
    entries = family.table(config)
    theirs = {_full(name, family, entries): x for name, x in tensors.items()}
    wanted = {name for entry in entries for name in entry.theirs}
    if missing := sorted(wanted - set(theirs)):
        raise CheckpointError(f"The weights lack {_few(missing)}.")
    known = "|".join([*family.ignored, r"lm_head\.weight"] if config.tied else family.ignored)
    if extra := sorted(name for name in theirs if name not in wanted and not re.fullmatch(known, name)):
        raise CheckpointError(
            f"The weights hold {_few(extra)}, which a {family.model_type} of this config does not have."
        )
    for name in sorted(wanted):
        if not theirs[name].is_floating_point():
            raise CheckpointError(f"{name} is stored as {theirs[name].dtype}; only floating point is supported.")
        if not theirs[name].isfinite().all():
            raise CheckpointError(f"{name} holds values that are not finite numbers; the file is damaged.")
    weights = {e.ours: e.join([theirs[name].float() for name in e.theirs]).contiguous() for e in entries}
    if config.tied:
        weights["head.weight"] = weights["embed.weight"]
    return weights


def _full(name: str, family: Family, entries: list[Entry]) -> str:
    """The name with the family's prefix, which some files leave out."""
    heads = {theirs for entry in entries for theirs in entry.theirs if not theirs.startswith(family.prefix)}
    return name if name.startswith(family.prefix) or name in heads or name == "lm_head.weight" else family.prefix + name


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
