"""T5 in Hugging Face layout: an encoder-decoder, pre-norm RMSNorm, a relative bias, and scores without a scale.

    1.0   ReLU, the head tied to the embedding and reading vectors divided by sqrt(d_model)
    1.1   a gated net with tanh GELU (flan-T5 too), a head of its own, nothing divided

Reference: Raffel et al. 2020, section 2.1; the release notes of 1.1. The bias is stored in layer 0 and used in all.
"""

from core.checkpoints.family import Entry, Family, Settings
from core.config import ActivationName, Config

NETS: dict[str, ActivationName] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "silu": "silu",
    "gated-relu": "relu",
    "gated-gelu": "gelu_tanh",
    "gated-gelu_new": "gelu_tanh",
    "gated-silu": "silu",
}
ARCHITECTURES = {"T5ForConditionalGeneration": "linear", "T5WithLMHeadModel": "linear"}
STACKS = ("encoder", "decoder")


def translate(settings: Settings) -> Config:
    """The architecture that a T5 config.json describes. Raises `CheckpointError` for one that we do not compute."""
    settings.expect(is_decoder=False, is_encoder_decoder=True)
    settings.architecture(ARCHITECTURES, "linear")
    n_heads = settings.need("num_heads")
    says_tied = settings.get("tie_word_embeddings", True)
    own_head = "lm_head.weight" in settings.tensors  # transformers 5 writes that a head is tied where it is not
    n_layers = settings.need("num_layers")
    return Config(
        kind="seq2seq",
        vocab_size=settings.need("vocab_size"),
        d_model=settings.need("d_model"),
        n_layers=n_layers,
        n_decoder_layers=settings.get("num_decoder_layers", n_layers),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=settings.need("d_kv"),
        d_ff=settings.need("d_ff"),
        context=None,
        norm="rmsnorm",
        norm_eps=settings.get("layer_norm_epsilon", 1e-6),
        positions="relative",
        relative_buckets=settings.get("relative_attention_num_buckets", 32),
        relative_distance=settings.get("relative_attention_max_distance", 128),
        activation=settings.choose("feed_forward_proj", NETS, "relu"),
        gated=str(settings.get("feed_forward_proj", "relu")).startswith("gated-"),
        attn_scale=False,
        qkv_bias=False,
        attn_out_bias=False,
        ffn_bias=False,
        head_scale=settings.get("scale_decoder_outputs", says_tied),
        tied=says_tied and not own_head,
    )


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    entries = [Entry("encoder.embed.token.weight", ("shared.weight",))]
    if not config.tied:
        entries.append(Entry("head.weight", ("lm_head.weight",)))
    for stack in STACKS:
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        entries.append(Entry(f"{stack}.shift.table", (bias,)))
        entries.append(Entry(f"{stack}.final_norm.gain", (f"{stack}.final_layer_norm.weight",)))
        for i in range(config.layers(stack)):
            entries += _layer(config, stack, i)
    return entries


def _layer(config: Config, stack: str, i: int) -> list[Entry]:
    ours, theirs = f"{stack}.blocks.{i}", f"{stack}.block.{i}.layer"
    width = config.n_heads * config.d_head
    net = 2 if stack == "decoder" else 1
    qkv = tuple(f"{theirs}.0.SelfAttention.{part}.weight" for part in "qkv")
    entries = [
        Entry(f"{ours}.norm1.gain", (f"{theirs}.0.layer_norm.weight",)),
        Entry(f"{ours}.attn.qkv.weight", qkv, rows=(width,) * 3),
        Entry(f"{ours}.attn.out.weight", (f"{theirs}.0.SelfAttention.o.weight",)),
        Entry(f"{ours}.norm2.gain", (f"{theirs}.{net}.layer_norm.weight",)),
        Entry(f"{ours}.ffn.down.weight", (f"{theirs}.{net}.DenseReluDense.wo.weight",)),
    ]
    inner = {"gate": "wi_0", "up": "wi_1"} if config.gated else {"up": "wi"}
    for part, name in inner.items():
        entries.append(Entry(f"{ours}.ffn.{part}.weight", (f"{theirs}.{net}.DenseReluDense.{name}.weight",)))
    if stack == "decoder":
        kv = tuple(f"{theirs}.1.EncDecAttention.{part}.weight" for part in "kv")
        entries.append(Entry(f"{ours}.norm_cross.gain", (f"{theirs}.1.layer_norm.weight",)))
        entries.append(Entry(f"{ours}.cross.query.weight", (f"{theirs}.1.EncDecAttention.q.weight",)))
        entries.append(Entry(f"{ours}.cross.key_value.weight", kv, rows=(width,) * 2))
        entries.append(Entry(f"{ours}.cross.out.weight", (f"{theirs}.1.EncDecAttention.o.weight",)))
    return entries


T5 = Family(
    "t5",
    translate,
    table,
    ignored=(
        r"(encoder|decoder)\.embed_tokens\.weight",
        r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
    ),
    harmless=frozenset(
        {
            "classifier_dropout",
            "dense_act_fn",  # these two repeat feed_forward_proj
            "is_gated_act",
            "dropout_rate",
            "initializer_factor",
            "n_positions",  # of the training texts: nothing in the network is bound by it
            "output_past",
        }
    ),
)
