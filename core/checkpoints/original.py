"""Our own layout, for networks that no other library's folder describes, as the original Transformer's.

config.json holds the fields of `Config` by their names, with `model_type` "glassformer" and the ids that end a text and
start a target; the tensors have the names that they have in the network.
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from core.checkpoints.family import Entry, Family, Settings
from core.checkpoints.tensors import write
from core.config import Config
from core.errors import CheckpointError
from core.models import Network, build


def translate(settings: Settings) -> Config:
    """The architecture that a config.json of ours describes. Raises `ConfigError` where it is none."""
    names = [field.name for field in fields(Config)]
    said = {name: settings.get(name) for name in names if settings.values.get(name) is not None}
    needed = ("vocab_size", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff")
    for name in needed:
        settings.need(name)
    return Config(**({"context": None} | said))


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    try:
        with torch.device("meta"):
            return [Entry(name, (name,)) for name, _ in build(config).named_parameters()]
    except RuntimeError:
        raise CheckpointError("The sizes in config.json are larger than any memory; fetch it again.") from None


def save(folder: Path, network: Network, tokenizer: Tokenizer, **ids: Any) -> None:
    """Write a whole folder that `core.load` opens. `ids` go into config.json as they are: eos_token_id, and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    said = {"model_type": ORIGINAL.model_type, **asdict(network.config), **ids}
    (folder / "config.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    write(folder, ORIGINAL, network.config, network)
    tokenizer.save(str(folder / "tokenizer.json"))


ORIGINAL = Family("glassformer", translate, table)
