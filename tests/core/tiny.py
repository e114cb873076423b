"""Tiny networks, tokenizers and folders for the tests, made in code."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import Tensor

from core.attention import Attend, attend
from core.checkpoints.family import Settings
from core.checkpoints.folder import FAMILIES
from core.config import Config
from core.model import Model
from core.models import Encoder, Network, Seq2Seq, build
from core.probe import Probe, silent
from core.text import Vocabulary

IDS = (5, 9, 2, 9, 7, 1)
TARGET = (0, 4, 8, 3)  # what the decoder of a pair reads, its start token first
SEGMENTS = (0, 0, 0, 1, 1, 1)
LLAMA_BLOCK = {"norm": "rmsnorm", "positions": "rotary", "activation": "silu", "gated": True, "qkv_bias": False}
LLAMA_BLOCK |= {"attn_out_bias": False, "ffn_bias": False}


BERT_BLOCK = {"kind": "encoder", "placement": "post", "final_norm": False, "activation": "gelu", "embed_norm": True}
T5_BLOCK = {"kind": "seq2seq", "context": None, "norm": "rmsnorm", "positions": "relative", "relative_buckets": 8}
T5_BLOCK |= {"relative_distance": 16, "attn_scale": False, "activation": "relu", "qkv_bias": False}
T5_BLOCK |= {"attn_out_bias": False, "ffn_bias": False}
ORIGINAL = {"placement": "post", "final_norm": False, "positions": "sinusoidal", "activation": "relu"}
ORIGINAL |= {"embed_scale": True}


def config(**changes: Any) -> Config:
    """A small network, by default a decoder; no two of its sizes are equal, so that a mixed-up axis shows."""
    sizes: dict[str, Any] = {"vocab_size": 24, "d_model": 18, "n_layers": 2, "n_heads": 3, "n_kv_heads": 3}
    return Config(**(sizes | {"d_head": 4, "d_ff": 20, "context": 16} | changes))


PRESETS: dict[str, Config] = {
    "gpt2": config(),
    "original": config(**ORIGINAL, tied=False),
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
    "relative decoder": config(positions="relative", relative_buckets=8, relative_distance=16, context=None),
    "bert": config(**BERT_BLOCK, segments=2, word_head="masked", head_bias=True),
    "bert bare": config(**BERT_BLOCK, segments=2, word_head="none"),
    "bert text": config(**BERT_BLOCK, segments=2, word_head="none", labels=5, pooler="tanh"),
    "bert tokens": config(**BERT_BLOCK, segments=3, word_head="none", labels=5, labels_at="each"),
    "distilbert": config(**BERT_BLOCK, word_head="none", labels=2, pooler="relu"),
    "two heads": config(**BERT_BLOCK, word_head="masked", tied=False, labels=5),
    "pre-norm encoder": config(kind="encoder", positions="rotary", n_heads=4, n_kv_heads=2, head_bias=True),
    "relative encoder": config(kind="encoder", positions="relative", relative_buckets=4, relative_distance=3),
    "original pair": config(**ORIGINAL, kind="seq2seq"),
    "t5 1.0": config(**T5_BLOCK, head_scale=True),
    "t5 1.1": config(**T5_BLOCK | {"activation": "gelu_tanh"}, gated=True, tied=False, n_decoder_layers=3),
    "grouped pair": config(kind="seq2seq", n_heads=4, n_kv_heads=2, n_decoder_layers=1),
    "rotary pair": config(kind="seq2seq", **LLAMA_BLOCK, placement="post", head_bias=True),
}
WRITING = [name for name, config in PRESETS.items() if config.kind != "encoder"]


def inputs(config: Config, **changes: Any) -> dict[str, Any]:
    """What a network of this kind reads in `model.run`."""
    found: dict[str, Any] = {"ids": IDS}
    if config.segments:
        found["segments"] = SEGMENTS
    if config.kind == "seq2seq":
        found["target_ids"] = TARGET
    return found | changes


def said(network: Network, inputs: Mapping[str, Any], probe: Probe = silent) -> dict[str, Tensor]:
    """What a network says of a batch of one, by site, when it is called without a model around it."""
    device = next(network.parameters()).device
    rows = {name: torch.tensor([row], device=device) for name, row in inputs.items()}
    if isinstance(network, Encoder):
        return network(rows["ids"], segments=rows.get("segments"), probe=probe)
    if isinstance(network, Seq2Seq):
        return {"logits": network(rows["ids"], rows["target_ids"], probe=probe)}
    return {"logits": network(rows["ids"], probe=probe)}


def network(config: Config, seed: int = 0, attend: Attend = attend) -> Network:
    """A network with random weights, large enough that attention is far from even."""
    generator = torch.Generator().manual_seed(seed)
    net = build(config, attend)
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
    return Model("tiny", "tiny", network(config, seed, attend), words(config.vocab_size), stop, start=0)


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
BERT: dict[str, Any] = {"model_type": "bert", "vocab_size": 24, "hidden_size": 16, "num_hidden_layers": 2}
BERT |= {"num_attention_heads": 2, "intermediate_size": 20, "max_position_embeddings": 16, "type_vocab_size": 2}
BERT |= {"architectures": ["BertForMaskedLM"]}
DISTILBERT: dict[str, Any] = {"model_type": "distilbert", "vocab_size": 24, "dim": 16, "n_layers": 2, "n_heads": 2}
DISTILBERT |= {"hidden_dim": 20, "max_position_embeddings": 16, "architectures": ["DistilBertForMaskedLM"]}
T5: dict[str, Any] = {"model_type": "t5", "vocab_size": 24, "d_model": 16, "d_kv": 6, "d_ff": 20, "num_layers": 2}
T5 |= {"num_heads": 2, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16}
T5 |= {"decoder_start_token_id": 0, "eos_token_id": 1}
GLASSFORMER: dict[str, Any] = {"model_type": "glassformer", **asdict(PRESETS["original pair"])}
GLASSFORMER |= {"decoder_start_token_id": 0, "eos_token_id": 1}


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


def tensors(settings: Mapping[str, Any], seed: int = 0) -> dict[str, Tensor]:
    """Random tensors for a config.json, by the family's own names."""
    family = FAMILIES[settings["model_type"]]
    config = family.translate(Settings(settings))
    ours = dict(network(config, seed).named_parameters())
    split = [zip(entry.theirs, entry.split(ours[entry.ours].detach()), strict=True) for entry in family.table(config)]
    return {name: x for pairs in split for name, x in pairs}


TENSORS: dict[str, Callable[[int], dict[str, Tensor]]] = {"gpt2": gpt2_tensors, "llama": llama_tensors}
TENSORS |= {base["model_type"]: partial(tensors, base) for base in (BERT, DISTILBERT, T5, GLASSFORMER)}


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
        shape = "gpt2" if "n_embd" in settings else "llama" if "num_key_value_heads" in settings else None
        tensors = TENSORS[shape or settings["model_type"]](0)
    save_file({name: x.contiguous() for name, x in tensors.items()}, path / "model.safetensors")
    (vocabulary or words(24)).tokenizer.save(str(path / "tokenizer.json"))
    return path
