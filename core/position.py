"""Attention sees a set; positions make it a sequence. Three ways to tell a network where a token stands.

    sinusoidal   PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(same)    Vaswani 2017, 3.5
    learned      a table with one vector for each position                                 Radford 2018
    rotary       turn each pair (i, i + d_head/2) of q and k by pos * theta^(-2i/d_head)   Su et al. 2021

The first two are added to the token vectors (`add`); the last turns queries and keys (`turn`), so that their dot
product depends on the distance alone. A model without one of them uses `add_nothing` or `turn_nothing`.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.config import Config
from core.probe import Probe

Add = Callable[[Tensor, Tensor, Probe], Tensor]
"""Takes token vectors, the positions they stand at, and a probe; returns what enters the first block."""


def sinusoids(n: int, d_model: int) -> Float[Tensor, "position d_model"]:
    """The sine and cosine table of the original paper (section 3.5) for positions 0 to n - 1."""
    position = torch.arange(n, dtype=torch.float64)[:, None]
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position / 10000.0 ** (pair / d_model)  # position pair
    table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)  # position d_model(+1)
    return table[:, :d_model].float()


class Learned(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(config.context, config.d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe) -> Tensor:
        return x + probe("position", self.table[positions])


class Sinusoidal(nn.Module):
    table: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.register_buffer("table", sinusoids(config.context, config.d_model), persistent=False)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe) -> Tensor:
        return x + probe("position", self.table[positions])


def add_nothing(x: Tensor, positions: Tensor, probe: Probe) -> Tensor:
    """For models whose token vectors carry no position."""
    return x


def rotate(
    x: Float[Tensor, "batch head position d_head"], cos: Tensor, sin: Tensor
) -> Float[Tensor, "batch head position d_head"]:
    """Turn each pair (i, i + d_head/2) of x; cos and sin are [batch, 1, position, d_head/2].

    A worked example: at position 1, with frequency 1, the pair (1, 0) becomes (cos 1, sin 1) = (0.540, 0.841).
    """
    a, b = x.chunk(2, dim=-1)  # batch head position d_head/2
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Rotary(nn.Module):
    frequency: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        pair = torch.arange(0, config.d_head, 2, dtype=torch.float32)
        frequency = 1.0 / config.rope_theta ** (pair / config.d_head)  # radians per position, one for each pair
        self.register_buffer("frequency", frequency, persistent=False)

    def forward(self, q: Tensor, k: Tensor, positions: Tensor, probe: Probe) -> tuple[Tensor, Tensor]:
        angle = positions[:, None, :, None] * self.frequency  # batch 1 position d_head/2
        cos, sin = angle.cos(), angle.sin()
        return probe("q_rot", rotate(q, cos, sin)), probe("k_rot", rotate(k, cos, sin))


def turn_nothing(q: Tensor, k: Tensor, positions: Tensor, probe: Probe) -> tuple[Tensor, Tensor]:
    """For models whose queries and keys are not turned."""
    return q, k


def count_from(mask: Int[Tensor, "batch key"], n: int) -> Int[Tensor, "batch position"]:
    """The positions of the last n of `mask`'s tokens, counted from the first allowed one (padding before it is 0)."""
    first = mask.int().argmax(dim=-1, keepdim=True)  # batch 1
    places = torch.arange(mask.shape[-1] - n, mask.shape[-1], device=mask.device)
    return (places - first).clamp(min=0)
