"""One frozen `Config` holds every architectural choice; a wrong one is refused before anything is built.

Reference: Vaswani et al. 2017, *Attention Is All You Need*, section 3, whose letters are: d_model, h (`n_heads`),
d_k (`d_head`), d_ff, N (`n_layers`). What came later is a field with a closed set of values.
"""

from dataclasses import dataclass, fields
from math import inf
from typing import Literal, get_args, get_origin

from core.errors import ConfigError

Kind = Literal["decoder", "encoder", "seq2seq"]
NormName = Literal["layernorm", "rmsnorm"]
Placement = Literal["pre", "post"]
PositionName = Literal["learned", "sinusoidal", "rotary", "relative"]
ActivationName = Literal["relu", "gelu", "gelu_tanh", "silu"]
WordHeadName = Literal["linear", "masked", "none"]
PoolerName = Literal["none", "tanh", "relu"]
LARGEST = 10**9  # of any size
LARGEST_TABLE = 2**28  # numbers in a table of sines, which no weights of a file bound


@dataclass(frozen=True)
class Config:
    """The architecture of a network: a decoder, an encoder, or the two together (seq2seq).

    Sizes are counts, not bytes. `d_ff` is the width inside the net. With `n_kv_heads` below `n_heads` several query
    heads share a key/value head (grouped-query attention, Ainslie et al. 2023). Raises `ConfigError` when a choice
    is unknown, the sizes do not fit together, or a part is asked for that this kind does not have.
    """

    vocab_size: int
    d_model: int
    n_layers: int  # of each stack
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    context: int | None  # the longest sequence, in tokens; None where no table bounds it

    kind: Kind = "decoder"
    n_decoder_layers: int | None = None  # seq2seq: where it has another number of layers than the encoder

    norm: NormName = "layernorm"
    norm_eps: float = 1e-5
    placement: Placement = "pre"
    final_norm: bool = True  # a norm after the last block: pre-norm stacks need it, the original has none

    positions: PositionName = "learned"
    rope_theta: float = 10000.0
    relative_buckets: int = 32  # distances that a relative bias tells apart
    relative_distance: int = 128  # from here on all are one

    activation: ActivationName = "gelu_tanh"
    gated: bool = False  # SwiGLU is silu with a gate (Shazeer 2020)

    attn_scale: bool = True  # scores over sqrt(d_head); T5 has none
    qkv_bias: bool = True
    attn_out_bias: bool = True
    ffn_bias: bool = True
    head_bias: bool = False

    embed_scale: bool = False  # token vectors times sqrt(d_model): section 3.4 of the original
    embed_norm: bool = False  # a norm over what enters layer 0, as in BERT
    segments: int = 0  # sentences that an encoder tells apart: 2 in BERT

    word_head: WordHeadName = "linear"  # masked: BERT's, with a layer of its own before the projection
    head_scale: bool = False  # what the head reads is divided by sqrt(d_model): T5 1.0
    tied: bool = True  # the word head is the embedding table, transposed
    labels: int = 0  # classes of an encoder's classifier
    labels_at: Literal["first", "each"] = "first"  # the text by its first token, or every token
    pooler: PoolerName = "none"  # a layer between the first token and the classifier, by its activation

    def __post_init__(self) -> None:
        for field in fields(self):
            if get_origin(field.type) is Literal and getattr(self, field.name) not in get_args(field.type):
                known = ", ".join(get_args(field.type))
                raise ConfigError(f"{field.name} is {getattr(self, field.name)!r}; known are {known}.")
            if field.type is bool and type(getattr(self, field.name)) is not bool:
                raise ConfigError(f"{field.name} is {getattr(self, field.name)!r}; it must be true or false.")
        for name in ("vocab_size", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff"):
            self._count(name)
        for name in ("segments", "labels"):
            self._count(name, least=0)
        for name in ("norm_eps", "rope_theta"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value < inf:
                raise ConfigError(f"{name} is {value!r}; it must be a number above 0.")
        self._check_sizes()
        self._check_kind()

    def room(self, n: int) -> int:
        """How many tokens can be read after n of them; where nothing bounds them, more than any text has."""
        return (LARGEST if self.context is None else self.context) - n

    def layers(self, stack: str) -> int:
        """The number of layers of `encoder` or `decoder`; 0 where there is no such stack."""
        if self.kind not in (stack, "seq2seq"):
            return 0
        return self.n_layers if stack == "encoder" or self.n_decoder_layers is None else self.n_decoder_layers

    def _count(self, name: str, least: int = 1) -> None:
        value = getattr(self, name)
        if type(value) is not int or not least <= value <= LARGEST:
            raise ConfigError(f"{name} is {value!r}; it must be a whole number from {least} to a thousand million.")

    def _check_sizes(self) -> None:
        if self.context is not None or self.positions in ("learned", "sinusoidal"):
            self._count("context")
        if self.n_heads % self.n_kv_heads:
            raise ConfigError(
                f"{self.n_heads} query heads cannot share {self.n_kv_heads} key/value heads evenly;"
                " the first number must be a multiple of the second."
            )
        if self.positions == "rotary" and self.d_head % 2:
            raise ConfigError(f"d_head is {self.d_head}; rotary positions turn pairs, so it must be even.")
        if self.positions == "sinusoidal" and self.room(0) * self.d_model > LARGEST_TABLE:
            raise ConfigError(
                f"context is {self.context}; sines for so many positions of {self.d_model} numbers fit into no memory."
            )
        if self.positions == "relative":
            self._count("relative_buckets", least=4)
            self._count("relative_distance")
            if self.relative_buckets % 2 or self.relative_distance <= self.relative_buckets // 2:
                raise ConfigError(
                    f"relative_buckets is {self.relative_buckets} and relative_distance {self.relative_distance}; the"
                    " first must be even, and the second more than half of it."
                )

    def _check_kind(self) -> None:
        if self.n_decoder_layers is not None:
            self._count("n_decoder_layers")
        wrong = {
            "n_decoder_layers": self.n_decoder_layers is not None and self.kind != "seq2seq",
            "segments": self.segments > 0 and self.kind != "encoder",
            "labels": self.labels > 0 and self.kind != "encoder",
            "word_head": self.word_head != "linear" and self.kind != "encoder",
            "pooler": self.pooler != "none" and not (self.labels and self.labels_at == "first"),
        }
        for name, is_wrong in wrong.items():
            if is_wrong:
                raise ConfigError(f"{name} is {getattr(self, name)!r}, which this {self.kind} has no place for.")
