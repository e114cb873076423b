"""BERT in Hugging Face layout: an encoder, post-norm, learned positions and segments, a norm over the embedding.

Reference: Devlin et al. 2019. The head is what `architectures` names: the guess at masked words, classes of the text
by its first token (through the pooler), classes of each token, or none. A pooler that no classifier needs and the
next-sentence head are left in the file. Old files call a norm's weights gamma and beta.
"""

import re
from typing import Literal

from core.checkpoints.family import Entry, Family, Settings
from core.config import ActivationName, Config

ACTIVATIONS: dict[str, ActivationName] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}

Head = Literal["masked", "text", "tokens", "none"]
ARCHITECTURES: dict[str, Head] = {
    "BertModel": "none",
    "BertForMaskedLM": "masked",
    "BertForPreTraining": "masked",
    "BertForSequenceClassification": "text",
    "BertForTokenClassification": "tokens",
}


def translate(settings: Settings) -> Config:
    """The architecture that a BERT config.json describes. Raises `CheckpointError` for one that we do not compute."""
    settings.expect(is_decoder=False, add_cross_attention=False, position_embedding_type="absolute")
    guesses = any(name.endswith("cls.predictions.bias") for name in settings.tensors)
    head = settings.architecture(ARCHITECTURES, "masked" if guesses else "none")
    n_heads = settings.need("num_attention_heads")
    return Config(
        kind="encoder",
        vocab_size=settings.need("vocab_size"),
        d_model=settings.need("hidden_size"),
        n_layers=settings.need("num_hidden_layers"),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=settings.split("hidden_size", "num_attention_heads"),
        d_ff=settings.need("intermediate_size"),
        context=settings.need("max_position_embeddings"),
        norm_eps=settings.get("layer_norm_eps", 1e-12),
        placement="post",
        final_norm=False,
        activation=settings.choose("hidden_act", ACTIVATIONS, "gelu"),
        embed_norm=True,
        segments=settings.get("type_vocab_size", 2),
        word_head="masked" if head == "masked" else "none",
        head_bias=head == "masked",
        tied=settings.get("tie_word_embeddings", True),
        labels=len(settings.classes()) if head in ("text", "tokens") else 0,
        labels_at="each" if head == "tokens" else "first",
        pooler="tanh" if head == "text" else "none",
    )


def table(config: Config) -> list[Entry]:
    """Each of our weights, and the tensors of the file that it is made from."""
    entries = [
        Entry("encoder.embed.token.weight", ("bert.embeddings.word_embeddings.weight",)),
        Entry("encoder.embed.add_positions.table", ("bert.embeddings.position_embeddings.weight",)),
        *affine("encoder.embed.norm", "bert.embeddings.LayerNorm", "gain"),
    ]
    if config.segments:
        name = "bert.embeddings.token_type_embeddings.weight"
        entries.append(Entry("encoder.embed.add_segments.table", (name,)))
    for i in range(config.n_layers):
        ours, theirs = f"encoder.blocks.{i}", f"bert.encoder.layer.{i}"
        for kind in ("weight", "bias"):
            qkv = tuple(f"{theirs}.attention.self.{part}.{kind}" for part in ("query", "key", "value"))
            entries.append(Entry(f"{ours}.attn.qkv.{kind}", qkv, rows=(config.d_model,) * 3))
        entries += affine(f"{ours}.attn.out", f"{theirs}.attention.output.dense")
        entries += affine(f"{ours}.norm1", f"{theirs}.attention.output.LayerNorm", "gain")
        entries += affine(f"{ours}.ffn.up", f"{theirs}.intermediate.dense")
        entries += affine(f"{ours}.ffn.down", f"{theirs}.output.dense")
        entries += affine(f"{ours}.norm2", f"{theirs}.output.LayerNorm", "gain")
    return entries + heads(config)


def heads(config: Config) -> list[Entry]:
    """What stands on the stack."""
    entries: list[Entry] = []
    if config.word_head == "masked":
        entries += affine("head.dense", "cls.predictions.transform.dense")
        entries += affine("head.norm", "cls.predictions.transform.LayerNorm", "gain")
        if config.tied:
            entries.append(Entry("head.words.bias", ("cls.predictions.bias",)))
        else:  # then the projection has a bias of its own too, and the other one is not read
            entries += affine("head.words", "cls.predictions.decoder")
    if config.pooler != "none":
        entries += affine("classifier.pooler.dense", "bert.pooler.dense")
    if config.labels:
        entries += affine("classifier.labels", "classifier")
    return entries


def affine(ours: str, theirs: str, weight: str = "weight") -> list[Entry]:
    """A matrix or a gain, and its bias."""
    return [Entry(f"{ours}.{weight}", (f"{theirs}.weight",)), Entry(f"{ours}.bias", (f"{theirs}.bias",))]


def rename(name: str) -> str:
    """Today's name of a norm's weights; `gamma` elsewhere in a name is left alone."""
    return re.sub(r"(?<=LayerNorm\.)(gamma|beta)$", lambda found: {"gamma": "weight", "beta": "bias"}[found[0]], name)


BERT = Family(
    "bert",
    translate,
    table,
    prefix="bert.",
    rename=rename,
    ignored=(
        r"bert\.embeddings\.(position_ids|token_type_ids)",
        r"bert\.pooler\.dense\.(weight|bias)",
        r"(bert\.)?cls\.predictions\.((decoder\.)?bias|decoder\.weight)",
        r"(bert\.)?cls\.seq_relationship\.(weight|bias)",
    ),
    harmless=frozenset(
        {
            "attention_probs_dropout_prob",
            "classifier_dropout",
            "gradient_checkpointing",
            "hidden_dropout_prob",
            "pooler_fc_size",
            "pooler_num_attention_heads",
            "pooler_num_fc_layers",
            "pooler_size_per_head",
            "pooler_type",
            "directionality",
        }
    ),
)
