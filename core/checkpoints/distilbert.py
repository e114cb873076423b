"""DistilBERT in Hugging Face layout: BERT's encoder with half the layers, without segments, its pooler a ReLU layer.

Reference: Sanh et al. 2019. The fields have other names: `dim` is d_model, `hidden_dim` the width inside the net.
"""

from core.checkpoints.bert import ACTIVATIONS, Head, affine
from core.checkpoints.family import Entry, Family, Settings
from core.config import Config

ARCHITECTURES: dict[str, Head] = {
    "DistilBertModel": "none",
    "DistilBertForMaskedLM": "masked",
    "DistilBertForSequenceClassification": "text",
    "DistilBertForTokenClassification": "tokens",
}


def translate(settings: Settings) -> Config:
    """The architecture that a config.json describes. Raises `CheckpointError` for one that we do not compute."""
    settings.get("sinusoidal_pos_embds", False)  # how the table was made; it lies in the file either way
    head = settings.architecture(ARCHITECTURES, "masked" if "vocab_projector.bias" in settings.tensors else "none")
    n_heads = settings.need("n_heads")
    return Config(
        kind="encoder",
        vocab_size=settings.need("vocab_size"),
        d_model=settings.need("dim"),
        n_layers=settings.need("n_layers"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=settings.split("dim", "n_heads"),
        d_ff=settings.need("hidden_dim"),
        context=settings.need("max_position_embeddings"),
        norm_eps=1e-12,
        placement="post",
        final_norm=False,
        activation=settings.choose("activation", ACTIVATIONS, "gelu"),
        embed_norm=True,
        word_head="masked" if head == "masked" else "none",
        head_bias=head == "masked",
        tied=settings.get("tie_word_embeddings", True),
        labels=len(settings.classes()) if head in ("text", "tokens") else 0,
        labels_at="each" if head == "tokens" else "first",
        pooler="relu" if head == "text" else "none",
    )


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    entries = [
        Entry("encoder.embed.token.weight", ("distilbert.embeddings.word_embeddings.weight",)),
        Entry("encoder.embed.add_positions.table", ("distilbert.embeddings.position_embeddings.weight",)),
        *affine("encoder.embed.norm", "distilbert.embeddings.LayerNorm", "gain"),
    ]
    for i in range(config.n_layers):
        ours, theirs = f"encoder.blocks.{i}", f"distilbert.transformer.layer.{i}"
        for kind in ("weight", "bias"):
            qkv = tuple(f"{theirs}.attention.{part}_lin.{kind}" for part in "qkv")
            entries.append(Entry(f"{ours}.attn.qkv.{kind}", qkv, rows=(config.d_model,) * 3))
        entries += affine(f"{ours}.attn.out", f"{theirs}.attention.out_lin")
        entries += affine(f"{ours}.norm1", f"{theirs}.sa_layer_norm", "gain")
        entries += affine(f"{ours}.ffn.up", f"{theirs}.ffn.lin1")
        entries += affine(f"{ours}.ffn.down", f"{theirs}.ffn.lin2")
        entries += affine(f"{ours}.norm2", f"{theirs}.output_layer_norm", "gain")
    if config.word_head == "masked":
        entries += affine("head.dense", "vocab_transform")
        entries += affine("head.norm", "vocab_layer_norm", "gain")
        entries.append(Entry("head.words.bias", ("vocab_projector.bias",)))
        if not config.tied:
            entries.append(Entry("head.words.weight", ("vocab_projector.weight",)))
    if config.pooler != "none":
        entries += affine("classifier.pooler.dense", "pre_classifier")
    if config.labels:
        entries += affine("classifier.labels", "classifier")
    return entries


DISTILBERT = Family(
    "distilbert",
    translate,
    table,
    prefix="distilbert.",
    ignored=(r"distilbert\.embeddings\.position_ids", r"(distilbert\.)?vocab_projector\.weight"),
    harmless=frozenset({"attention_dropout", "dropout", "output_past", "qa_dropout", "seq_classif_dropout"}),
)
