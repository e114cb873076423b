"""Open a model folder in Hugging Face layout: config.json, safetensors, tokenizer.json, and no more.

Nothing is filled in and nothing passed over: a setting that we do not understand is refused in a sentence, and so is
a tensor (`tensors`). Only safetensors is read, never a pickle, and nothing in the folder is imported.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from core.checkpoints.bert import BERT
from core.checkpoints.distilbert import DISTILBERT
from core.checkpoints.family import Family, Settings
from core.checkpoints.gpt2 import GPT2
from core.checkpoints.llama import LLAMA
from core.checkpoints.original import ORIGINAL
from core.checkpoints.t5 import T5
from core.checkpoints.tensors import locate, settings, weights
from core.config import Config
from core.errors import CheckpointError

FAMILIES = {family.model_type: family for family in (BERT, DISTILBERT, GPT2, LLAMA, ORIGINAL, T5)}

HARMLESS = frozenset(
    (
        *("_name_or_path", "_attn_implementation", "architectures", "dtype", "torch_dtype", "transformers_version"),
        *("bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id", "id2label", "label2id", "problem_type"),
        *("initializer_range", "is_decoder", "is_encoder_decoder", "keys_to_ignore_at_inference", "model_type"),
        *("output_attentions", "output_hidden_states", "return_dict", "task_specific_params", "use_cache"),
        *("chunk_size_feed_forward", "decoder_start_token_id"),
    )
)
"""Fields of config.json that change no number of a forward pass, in any family."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What a folder holds: the architecture, our weights by our names, the tokenizer's file, and ids that matter.

    `stop` are ids that end a text, `start` the one that starts a target; `classes` what a classifier's are called.
    """

    family: str
    config: Config
    weights: dict[str, Tensor]
    stop: tuple[int, ...]
    tokenizer: Path
    start: int | None = None
    classes: tuple[str, ...] = ()


def read(folder: Path) -> Checkpoint:
    """Open `folder`. Raises `CheckpointError` with what was found, what is supported and what to do."""
    said = settings(folder / "config.json")
    family = _family(said)
    where = locate(folder)
    asked = Settings(said, where)
    config = family.translate(asked)
    unknown = [name for name in asked.unread() if name not in HARMLESS and name not in family.harmless]
    if unknown:
        raise CheckpointError(f"config.json sets {', '.join(unknown)}, which {family.model_type} here does not know.")
    ours = weights(where, family, config)
    path = folder / "generation_config.json"
    generation = settings(path) if path.is_file() else {}
    stop = _ids("eos_token_id", generation, said)
    start = _ids("decoder_start_token_id", generation, said) if config.kind == "seq2seq" else ()
    classes = asked.classes() if config.labels else ()
    return Checkpoint(
        family.model_type, config, ours, stop, folder / "tokenizer.json", start[0] if start else None, classes
    )


def _family(said: dict[str, Any]) -> Family:
    if said.get("auto_map") is not None:
        raise CheckpointError("This model needs custom code, which is not supported: nothing in a folder is run.")
    quantised = said.get("quantization_config")
    if quantised is not None:
        method = quantised.get("quant_method") if isinstance(quantised, dict) else quantised
        method = method if isinstance(method, str) else "an unnamed method"
        raise CheckpointError(
            f"The weights are quantised ({method}); only float32, float16 and bfloat16 are supported."
        )
    model_type = said.get("model_type")
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        raise CheckpointError(f"The model is of type {model_type!r}; supported are {', '.join(FAMILIES)}.")
    return FAMILIES[model_type]


def _ids(name: str, generation: dict[str, Any], said: dict[str, Any]) -> tuple[int, ...]:
    """Token ids, given as one, a list of them, or null; generation_config.json knows better than config.json."""
    found = generation.get(name, said.get(name))
    ids = [] if found is None else found if isinstance(found, list) else [found]
    if not all(type(id) is int for id in ids):
        raise CheckpointError(f"The config says {name} {found!r}; a token id, or a list of them, belongs there.")
    return tuple(ids)
