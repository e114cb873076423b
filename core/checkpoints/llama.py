"""Llama in Hugging Face layout: pre-norm RMSNorm, rotary positions in halves, SwiGLU, grouped heads.

Reference: Touvron et al. 2023, section 2.2; grouped heads since Llama 2 70B.
"""

from core.checkpoints.family import Entry, Family, Settings
from core.config import ActivationName, Config
from core.errors import CheckpointError

ACTIVATIONS: dict[str, ActivationName] = {"silu": "silu"}


def translate(settings: Settings) -> Config:
    """The architecture that a Llama config.json describes. Raises `CheckpointError` for one that we do not compute."""
    settings.expect(pretraining_tp=1)
    n_heads = settings.need("num_attention_heads")
    attention_bias = settings.get("attention_bias", False)
    d_head = settings.get("head_dim") or settings.split("hidden_size", "num_attention_heads")
    return Config(
        vocab_size=settings.need("vocab_size"),
        d_model=settings.need("hidden_size"),
        n_layers=settings.need("num_hidden_layers"),
        n_heads=n_heads,
        n_kv_heads=settings.get("num_key_value_heads", n_heads),
        d_head=d_head,
        d_ff=settings.need("intermediate_size"),
        context=settings.get("max_position_embeddings", 2048),
        norm="rmsnorm",
        norm_eps=settings.get("rms_norm_eps", 1e-6),
        positions="rotary",
        rope_theta=rope_theta(settings),
        activation=settings.choose("hidden_act", ACTIVATIONS, "silu"),
        gated=True,
        qkv_bias=attention_bias,
        attn_out_bias=attention_bias,
        ffn_bias=settings.get("mlp_bias", False),
        tied=settings.get("tie_word_embeddings", False),
    )


def rope_theta(settings: Settings) -> float:
    """The base of the frequencies, in either spelling. Raises `CheckpointError` where they are scaled."""
    base = settings.get("rope_theta", 10000.0)
    for name in ("rope_scaling", "rope_parameters"):
        rope = Settings(settings.get(name, {}))
        kind = rope.get("rope_type", rope.get("type", "default"))
        base = rope.get("rope_theta", base)
        if kind != "default":
            raise CheckpointError(f"config.json says {name} of type {kind!r}; only 'default' is supported.")
        if unknown := rope.unread():
            raise CheckpointError(f"config.json sets {', '.join(unknown)} in {name}, which llama here does not know.")
    return float(base)


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    entries = [
        Entry("decoder.embed.token.weight", ("model.embed_tokens.weight",)),
        Entry("decoder.final_norm.gain", ("model.norm.weight",)),
    ]
    if not config.tied:
        entries.append(Entry("head.weight", ("lm_head.weight",)))
    for i in range(config.n_layers):
        ours, theirs = f"decoder.blocks.{i}", f"model.layers.{i}"
        entries.append(Entry(f"{ours}.norm1.gain", (f"{theirs}.input_layernorm.weight",)))
        entries.append(Entry(f"{ours}.norm2.gain", (f"{theirs}.post_attention_layernorm.weight",)))
        for kind in ("weight", "bias") if config.qkv_bias else ("weight",):
            qkv = tuple(f"{theirs}.self_attn.{p}_proj.{kind}" for p in "qkv")
            rows = tuple(n * config.d_head for n in (config.n_heads, config.n_kv_heads, config.n_kv_heads))
            entries.append(Entry(f"{ours}.attn.qkv.{kind}", qkv, rows=rows))
        for kind in ("weight", "bias") if config.attn_out_bias else ("weight",):
            entries.append(Entry(f"{ours}.attn.out.{kind}", (f"{theirs}.self_attn.o_proj.{kind}",)))
        for kind in ("weight", "bias") if config.ffn_bias else ("weight",):
            for part in ("gate", "up", "down"):
                entries.append(Entry(f"{ours}.ffn.{part}.{kind}", (f"{theirs}.mlp.{part}_proj.{kind}",)))
    return entries


LLAMA = Family(
    "llama",
    translate,
    table,
    prefix="model.",
    ignored=(r"model\.layers\.\d+\.self_attn\.rotary_emb\.inv_freq",),
    harmless=frozenset({"attention_dropout"}),
)
