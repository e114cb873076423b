"""Attention sees a set; positions make it a sequence. Four ways to tell a network where a token stands.

    sinusoidal   PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(same)    Vaswani 2017, 3.5
    learned      a table with one vector for each position                                 Radford 2018
    rotary       turn each pair (i, i + d_head/2) of q and k by pos * theta^(-2i/d_head)   Su et al. 2021
    relative     add to each score a number that depends on its distance and head          Raffel et al. 2020, 2.1

The first two are added to the token vectors (`add`); rotary turns queries and keys (`turn`), so that their dot
product depends on the distance alone; relative shifts the scores themselves (`shift`). A model without one of them
uses `add_nothing`, `turn_nothing` or `unshifted`.
"""

from collections.abc import Callable
from math import log

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.config import Config
from core.probe import Probe

Add = Callable[[Tensor, Tensor, Probe], Tensor]
"""Takes token vectors, the positions they stand at, and a probe; returns what enters the first block."""

Shift = Callable[[Tensor, Probe], Tensor]
"""Takes scores at the model's own scale, and a probe; returns what is masked."""


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
        assert config.context is not None
        self.table = nn.Parameter(torch.empty(config.context, config.d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe) -> Tensor:
        return x + probe("position", self.table[positions])


class Sinusoidal(nn.Module):
    table: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        assert config.context is not None
        self.register_buffer("table", sinusoids(config.context, config.d_model), persistent=False)

    def forward(self, x: Tensor, positions: Tensor, probe: Probe) -> Tensor:
        return x + probe("position", self.table[positions])


def add_nothing(x: Tensor, places: Tensor | None, probe: Probe) -> Tensor:
    """For models whose token vectors carry no position, or no segment."""
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


def buckets(distance: Int[Tensor, "query key"], n: int, far: int, two_sided: bool) -> Int[Tensor, "query key"]:
    """T5's `n` classes of distances (key minus query): near ones by themselves, further ones by their logarithm.

    All from `far` on are one class. One-sided, a key after its query counts as near. For n = 8, far = 16, distances
    -6 .. 6: two-sided 3 2 2 2 2 1 0 5 6 6 6 6 7, one-sided 5 4 4 3 2 1 0 0 0 0 0 0 0.
    """
    if two_sided:
        n //= 2
        side = n * (distance > 0).long()
        distance = distance.abs()
    else:
        side = torch.zeros_like(distance)
        distance = (-distance).clamp(min=0)
    near = n // 2
    logarithm = torch.log(distance.clamp(min=1).float() / near) / log(far / near)
    beyond = (near + (logarithm * (n - near)).long()).clamp(max=n - 1)
    return side + torch.where(distance < near, distance, beyond)


class RelativeBias(nn.Module):
    """One table for all layers of a stack: [bucket, head]."""

    def __init__(self, config: Config, two_sided: bool) -> None:
        super().__init__()
        self.n, self.far, self.two_sided = config.relative_buckets, config.relative_distance, two_sided
        self.table = nn.Parameter(torch.empty(self.n, config.n_heads))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, n_query: int, n_key: int) -> Shift:
        """The shift for the last `n_query` of `n_key` tokens, to be used in every layer."""
        places = torch.arange(n_key, device=self.table.device)
        distance = places - places[n_key - n_query :, None]  # query key
        bias = self.table[buckets(distance, self.n, self.far, self.two_sided)]  # query key head
        bias = bias.permute(2, 0, 1)[None]  # 1 head query key
        return lambda scaled, probe: scaled + probe("bias", bias)


def unshifted(scaled: Tensor, probe: Probe) -> Tensor:
    """For models whose scores know no distance."""
    return scaled


def shift_nothing(n_query: int, n_key: int) -> Shift:
    """What stands in a stack where others have a `RelativeBias`."""
    return unshifted


def count_from(mask: Int[Tensor, "batch key"], n: int) -> Int[Tensor, "batch position"]:
    """The positions of the last n of `mask`'s tokens, counted from the first allowed one (padding before it is 0)."""
    first = mask.int().argmax(dim=-1, keepdim=True)  # batch 1
    places = torch.arange(mask.shape[-1] - n, mask.shape[-1], device=mask.device)
    return (places - first).clamp(min=0)
