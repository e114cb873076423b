"""One frozen `Config` holds every architectural choice; a wrong one is refused before anything is built.

Reference: Vaswani et al. 2017, *Attention Is All You Need*, section 3, whose letters are: d_model, h (`n_heads`),
d_k (`d_head`), d_ff, N (`n_layers`). What came later is a field with a closed set of values.
"""

from dataclasses import dataclass, fields
from math import inf
from typing import Literal, get_args, get_origin

from core.errors import ConfigError

NormName = Literal["layernorm", "rmsnorm"]
Placement = Literal["pre", "post"]
PositionName = Literal["learned", "sinusoidal", "rotary"]
ActivationName = Literal["relu", "gelu", "gelu_tanh", "silu"]


@dataclass(frozen=True)
class Config:
    """The architecture of one stack of blocks.

    Sizes are counts, not bytes. `d_ff` is the width inside the net. With `n_kv_heads` below `n_heads` several query
    heads share a key/value head (grouped-query attention, Ainslie et al. 2023). Raises `ConfigError` when a choice
    is unknown or the sizes do not fit together.
    """

    vocab_size: int
    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    context: int  # the longest sequence, in tokens

    norm: NormName = "layernorm"
    norm_eps: float = 1e-5
    placement: Placement = "pre"
    final_norm: bool = True  # a norm after the last block: pre-norm stacks need it, the original has none

    positions: PositionName = "learned"
    rope_theta: float = 10000.0

    activation: ActivationName = "gelu_tanh"
    gated: bool = False  # SwiGLU is silu with a gate (Shazeer 2020)

    qkv_bias: bool = True
    attn_out_bias: bool = True
    ffn_bias: bool = True
    head_bias: bool = False

    embed_scale: bool = False  # token vectors times sqrt(d_model): section 3.4 of the original
    tied: bool = True  # the word head is the embedding table, transposed

    def __post_init__(self) -> None:
        for field in fields(self):
            if get_origin(field.type) is Literal and getattr(self, field.name) not in get_args(field.type):
                known = ", ".join(get_args(field.type))
                raise ConfigError(f"{field.name} is {getattr(self, field.name)!r}; known are {known}.")
            if field.type is bool and type(getattr(self, field.name)) is not bool:
                raise ConfigError(f"{field.name} is {getattr(self, field.name)!r}; it must be true or false.")
        for name in (
            "vocab_size",
            "d_model",
            "n_layers",
            "n_heads",
            "n_kv_heads",
            "d_head",
            "d_ff",
            "context",
        ):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= 10**9:
                raise ConfigError(f"{name} is {value!r}; it must be a whole number from 1 to a thousand million.")
        if self.n_heads % self.n_kv_heads:
            raise ConfigError(
                f"{self.n_heads} query heads cannot share {self.n_kv_heads} key/value heads evenly;"
                " the first number must be a multiple of the second."
            )
        if self.positions == "rotary" and self.d_head % 2:
            raise ConfigError(f"d_head is {self.d_head}; rotary positions turn pairs, so it must be even.")
        for name in ("norm_eps", "rope_theta"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value < inf:
                raise ConfigError(f"{name} is {value!r}; it must be a number above 0.")
