"""The model folder in Hugging Face's GPT-2 layout: written once, and measured again from what was written."""

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from core.checkpoints.gpt2 import GPT2
from core.checkpoints.tensors import write as write_weights
from core.config import Config
from core.models import Decoder
from core.train import card, shipped
from core.train.measure import head_scores, held_out_loss
from core.train.vocabulary import END_ID


def publish(folder: Path, network: Decoder, tokenizer: Tokenizer, training: card.Training) -> dict[str, Any]:
    """Writes the model, measures it, writes its card; returns the card's numbers."""
    write(folder, network, tokenizer)
    numbers = card.numbers(held_out_loss(network, tokenizer), head_scores(network, tokenizer), training)
    card.write(folder, numbers)
    return numbers


def write(folder: Path, network: Decoder, tokenizer: Tokenizer) -> None:
    """Writes weights, settings and tokenizer: all that is needed to load and run the model."""
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(folder, GPT2, network.config, network)
    _write(folder / "config.json", settings(network.config))
    _write(folder / "generation_config.json", {"bos_token_id": END_ID, "eos_token_id": END_ID})
    tokenizer.save(str(folder / "tokenizer.json"))


def settings(config: Config) -> dict[str, Any]:
    """Our config in the words of Hugging Face's GPT-2."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": config.vocab_size,
        "n_positions": config.context,
        "n_embd": config.d_model,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "n_inner": config.d_ff,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": config.norm_eps,
        "tie_word_embeddings": config.tied,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "resid_pdrop": 0.0,
        "bos_token_id": END_ID,
        "eos_token_id": END_ID,
        "dtype": "float32",
    }


def check(folder: Path) -> list[str]:
    """Measures the shipped weights on stories made again from their seed; where that leaves the card, in sentences."""
    said = shipped.said(folder)
    network, tokenizer = shipped.reopen(folder)
    assert isinstance(network, Decoder)
    training = card.Training(said["minutes"], said["tokens_seen"], said["parameters"], said["threads"], said["note"])
    again = card.numbers(held_out_loss(network, tokenizer), head_scores(network, tokenizer), training)
    return card.differences(said, again)


def _write(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
