"""Tiny encoders of the visitor's own, as folders: pieces of words, random weights, with the heads that a test wants."""

import string
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from core.checkpoints.original import save
from core.config import Config
from core.models import build

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["the", "bag", "is", "light", "on", "not", "cat", "sat", *string.ascii_lowercase, *string.digits]
PIECES = [*SPECIAL, *WORDS, *(f"##{c}" for c in string.ascii_lowercase + string.digits), *"<>/$*:[]().!,你好世界，"]
HEADS: dict[str, dict[str, Any]] = {
    "words and text": {"word_head": "masked", "head_bias": True, "labels": 2, "pooler": "tanh"},
    "words": {"word_head": "masked", "head_bias": True},
    "text, no pooler": {"word_head": "none", "labels": 3},
    "each token": {"word_head": "none", "labels": 3, "labels_at": "each"},
    "pre-norm, none": {"word_head": "none", "placement": "pre", "final_norm": True, "embed_norm": False},
}


def folder(path: Path, heads: str = "words and text", special: list[str] = SPECIAL, **changes: Any) -> Path:
    """Write it to `path`: three layers of two heads, up to 256 tokens."""
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(special)
    sizes = {"vocab_size": len(PIECES), "d_model": 24, "n_layers": 3, "n_heads": 2, "n_kv_heads": 2, "d_head": 12}
    built = {"placement": "post", "final_norm": False, "embed_norm": True}
    config = Config(**(sizes | {"d_ff": 32, "context": 256, "kind": "encoder"} | built | HEADS[heads] | changes))
    network = build(config)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(1 + 0.2 * noise if name.endswith("gain") else 0.4 * noise)
    classes = [f"<b>class</b> {i}" for i in range(config.labels)]
    save(path, network, tokenizer, **({"id2label": dict(enumerate(classes))} if classes else {}))
    return path
