"""GPT-2 in Hugging Face layout: pre-norm, learned positions, tanh GELU, tied head; weights stored as (in, out).

Reference: Radford et al. 2019, section 2.3.
"""

from core.checkpoints.family import Entry, Family, Settings, transposed
from core.config import ActivationName, Config

ACTIVATIONS: dict[str, ActivationName] = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}


def translate(settings: Settings) -> Config:
    """The architecture that a GPT-2 config.json describes. Raises `CheckpointError` for one that we do not compute."""
    settings.expect(scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
    d_model, n_heads = settings.need("n_embd"), settings.need("n_head")
    return Config(
        vocab_size=settings.need("vocab_size"),
        d_model=d_model,
        n_layers=settings.need("n_layer"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=settings.split("n_embd", "n_head"),
        d_ff=settings.get("n_inner", 4 * d_model),
        context=settings.get("n_positions", settings.get("n_ctx", 1024)),
        norm_eps=settings.get("layer_norm_epsilon", 1e-5),
        activation=settings.choose("activation_function", ACTIVATIONS, "gelu_new"),
        tied=settings.get("tie_word_embeddings", True),
    )


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    entries = [
        Entry("decoder.embed.token.weight", ("transformer.wte.weight",)),
        Entry("decoder.embed.add_positions.table", ("transformer.wpe.weight",)),
        Entry("decoder.final_norm.gain", ("transformer.ln_f.weight",)),
        Entry("decoder.final_norm.bias", ("transformer.ln_f.bias",)),
    ]
    if not config.tied:
        entries.append(Entry("head.weight", ("lm_head.weight",)))
    for i in range(config.n_layers):
        ours, theirs = f"decoder.blocks.{i}", f"transformer.h.{i}"
        for norm in (1, 2):
            entries.append(Entry(f"{ours}.norm{norm}.gain", (f"{theirs}.ln_{norm}.weight",)))
            entries.append(Entry(f"{ours}.norm{norm}.bias", (f"{theirs}.ln_{norm}.bias",)))
        for part, name in (
            ("attn.qkv", "attn.c_attn"),
            ("attn.out", "attn.c_proj"),
            ("ffn.up", "mlp.c_fc"),
            ("ffn.down", "mlp.c_proj"),
        ):
            entries.append(Entry(f"{ours}.{part}.weight", (f"{theirs}.{name}.weight",), transposed))
            entries.append(Entry(f"{ours}.{part}.bias", (f"{theirs}.{name}.bias",)))
    return entries


GPT2 = Family(
    "gpt2",
    translate,
    table,
    prefix="transformer.",
    ignored=(r"transformer\.h\.\d+\.attn\.(bias|masked_bias)",),  # stored causal masks, not biases
    harmless=frozenset(
        {
            "n_ctx",
            "reorder_and_upcast_attn",
            "summary_activation",
            "summary_first_dropout",
            "summary_proj_to_labels",
            "summary_type",
            "summary_use_proj",
            "attn_pdrop",
            "embd_pdrop",
            "resid_pdrop",
        }
    ),
)
