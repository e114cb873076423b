"""Tiny networks, tokenizers and folders for the tests, made in code."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import Tensor

from core.attention import Attend, attend
from core.config import Config
from core.model import Model
from core.models import Decoder
from core.text import Vocabulary

IDS = (5, 9, 2, 9, 7, 1)
LLAMA_BLOCK = {"norm": "rmsnorm", "positions": "rotary", "activation": "silu", "gated": True, "qkv_bias": False}
LLAMA_BLOCK |= {"attn_out_bias": False, "ffn_bias": False}


def config(**changes: Any) -> Config:
    """A small decoder; no two of its sizes are equal, so that a mixed-up axis shows."""
    sizes: dict[str, Any] = {"vocab_size": 24, "d_model": 18, "n_layers": 2, "n_heads": 3, "n_kv_heads": 3}
    return Config(**(sizes | {"d_head": 4, "d_ff": 20, "context": 16} | changes))


PRESETS: dict[str, Config] = {
    "gpt2": config(),
    "original": config(
        placement="post", final_norm=False, positions="sinusoidal", activation="relu", embed_scale=True, tied=False
    ),
    "gpt1": config(placement="post", final_norm=False, activation="gelu"),
    "post with a last norm": config(placement="post", norm="rmsnorm", positions="rotary", gated=True),
    "llama mha": config(**LLAMA_BLOCK, tied=False),
    "llama gqa": config(**LLAMA_BLOCK, n_heads=4, n_kv_heads=2, tied=False),
    "llama mqa": config(**LLAMA_BLOCK, n_heads=4, n_kv_heads=1),
    "learned gqa": config(n_heads=4, n_kv_heads=2, qkv_bias=False, head_bias=True, tied=False),
    "sinusoidal pre": config(positions="sinusoidal", d_model=17, embed_scale=True, activation="silu"),
    "gated relu": config(activation="relu", gated=True, ffn_bias=False),
    "rms learned": config(norm="rmsnorm", norm_eps=1e-3, activation="gelu", attn_out_bias=False),
    "rotary layernorm": config(positions="rotary", rope_theta=100.0, d_head=6, n_heads=2, n_kv_heads=2),
    "one layer": config(n_layers=1),
    "one head": config(n_heads=1, n_kv_heads=1),
    "all one": config(n_layers=1, n_heads=1, n_kv_heads=1, d_head=1, d_model=1, d_ff=1),
}


def network(config: Config, seed: int = 0, attend: Attend = attend) -> Decoder:
    """A decoder with random weights, large enough that attention is far from even."""
    generator = torch.Generator().manual_seed(seed)
    net = Decoder(config, attend)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            near_one = name.endswith("gain")
            parameter.copy_(1 + 0.2 * noise if near_one else 0.5 * noise)
    return net.eval()


def model(
    config: Config = PRESETS["gpt2"], seed: int = 0, attend: Attend = attend, stop: tuple[int, ...] = ()
) -> Model:
    """A model with random weights that reads t0 t1 t2 ..."""
    return Model("tiny", "tiny", network(config, seed, attend), words(config.vocab_size), stop)


def words(n: int, size: int | None = None) -> Vocabulary:
    """The words t0 .. t(n-1)."""
    return Vocabulary(word_level({f"t{i}": i for i in range(n)}), n if size is None else size)


def word_level(vocab: Mapping[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocab=dict(vocab), unk_token=next(iter(vocab))))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def byte_letters() -> list[str]:
    """GPT-2's stand-in letters by byte, written out independently of core: 188 print, 68 are moved to U+0100 on."""
    prints = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    moved = iter(range(256, 256 + 68))
    return [chr(b) if b in prints else chr(next(moved)) for b in range(256)]


def byte_level(
    merges: tuple[tuple[str, str], ...] = (), post_processor: Any = None, normalizer: Any = None
) -> Vocabulary:
    """Recipe R1: 256 byte tokens, id = byte, then the merges, then <|endoftext|>."""
    letters = byte_letters()
    vocab = {letter: byte for byte, letter in enumerate(letters)}
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    if post_processor is not None:
        tokenizer.post_processor = post_processor
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return Vocabulary(tokenizer, tokenizer.get_vocab_size())


def metaspace() -> Vocabulary:
    """Recipe R2: BPE with ▁ for a space, byte_fallback, <s> put in front."""
    vocab = {"<unk>": 0, "<s>": 1, **{f"<0x{byte:02X}>": byte + 2 for byte in range(256)}}
    for piece in ("▁", "a", "b", "▁a", "ab"):
        vocab[piece] = len(vocab)
    bpe = models.BPE(vocab=vocab, merges=[("▁", "a"), ("a", "b")], unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer.add_special_tokens(["<unk>", "<s>"])
    return Vocabulary(tokenizer, len(vocab))


def wordpiece() -> Vocabulary:
    """Recipe R3: [PAD] [UNK] [CLS] [SEP] [MASK] the cafe ##s cat hello !, lower case, [CLS] and [SEP] added."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cafe", "##s", "cat", "hello", "!"]
    tokenizer = Tokenizer(models.WordPiece(vocab={piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(pieces[:5])
    return Vocabulary(tokenizer, len(pieces))


GPT2: dict[str, Any] = {"model_type": "gpt2", "vocab_size": 24, "n_embd": 16, "n_layer": 2, "n_head": 2}
GPT2 |= {"n_positions": 16, "n_inner": 20}
LLAMA: dict[str, Any] = {"model_type": "llama", "vocab_size": 24, "hidden_size": 32, "num_hidden_layers": 2}
LLAMA |= {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 20, "max_position_embeddings": 16}


def gpt2_tensors(seed: int = 0) -> dict[str, Tensor]:
    """Random tensors for the config `GPT2`, by the names of the hub and stored as (in, out)."""
    sizes: dict[str, tuple[int, ...]] = {"wte.weight": (24, 16), "wpe.weight": (16, 16)}
    sizes |= {"ln_f.weight": (16,), "ln_f.bias": (16,)}
    for i in range(2):
        for norm in ("ln_1", "ln_2"):
            sizes |= {f"h.{i}.{norm}.weight": (16,), f"h.{i}.{norm}.bias": (16,)}
        for name, a, b in (
            ("attn.c_attn", 16, 48),
            ("attn.c_proj", 16, 16),
            ("mlp.c_fc", 16, 20),
            ("mlp.c_proj", 20, 16),
        ):
            sizes |= {f"h.{i}.{name}.weight": (a, b), f"h.{i}.{name}.bias": (b,)}
    return _random({f"transformer.{name}": size for name, size in sizes.items()}, seed)


def llama_tensors(seed: int = 0) -> dict[str, Tensor]:
    """Random tensors for the config `LLAMA`."""
    sizes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (24, 32), "model.norm.weight": (32,)}
    sizes["lm_head.weight"] = (24, 32)
    for i in range(2):
        at = f"model.layers.{i}"
        sizes |= {f"{at}.input_layernorm.weight": (32,), f"{at}.post_attention_layernorm.weight": (32,)}
        sizes |= {f"{at}.self_attn.q_proj.weight": (32, 32), f"{at}.self_attn.k_proj.weight": (16, 32)}
        sizes |= {f"{at}.self_attn.v_proj.weight": (16, 32), f"{at}.self_attn.o_proj.weight": (32, 32)}
        sizes |= {f"{at}.mlp.gate_proj.weight": (20, 32), f"{at}.mlp.up_proj.weight": (20, 32)}
        sizes[f"{at}.mlp.down_proj.weight"] = (32, 20)
    return _random(sizes, seed)


def _random(sizes: Mapping[str, tuple[int, ...]], seed: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {name: 0.5 * torch.randn(size, generator=generator) for name, size in sizes.items()}


TENSORS: dict[str, Callable[[int], dict[str, Tensor]]] = {"gpt2": gpt2_tensors, "llama": llama_tensors}


def folder(
    path: Path,
    settings: Mapping[str, Any] = GPT2,
    tensors: Mapping[str, Tensor] | None = None,
    vocabulary: Vocabulary | None = None,
    **changes: Any,
) -> Path:
    """A model folder in Hugging Face layout; `changes` are changed fields of config.json."""
    path.mkdir(parents=True, exist_ok=True)
    settings = dict(settings) | changes
    (path / "config.json").write_text(json.dumps(settings))
    if tensors is None:
        tensors = TENSORS["llama" if "hidden_size" in settings else "gpt2"](0)
    save_file({name: x.contiguous() for name, x in tensors.items()}, path / "model.safetensors")
    (vocabulary or words(24)).tokenizer.save(str(path / "tokenizer.json"))
    return path
