"""A stack turns token ids into vectors that know their neighbours: embed, N blocks, a last norm.

An encoder is one stack, a decoder is another, a translator has both (Vaswani et al. 2017, figure 1). They differ in
their mask, in their blocks, and in what is put on top.
"""

from collections.abc import Callable
from math import sqrt

import torch
from torch import Tensor, nn

from core.attention import Scene, Source
from core.cache import NO_MEMORY, Cache
from core.config import Config
from core.norm import norm
from core.position import Add, Learned, RelativeBias, Sinusoidal, add_nothing, shift_nothing
from core.probe import Probe, silent, within

ADD_POSITIONS: dict[str, Callable[[Config], Add]] = {
    "learned": Learned,
    "sinusoidal": Sinusoidal,
    "rotary": lambda config: add_nothing,
    "relative": lambda config: add_nothing,
}


class Segments(nn.Module):
    """Says which sentence of a pair a token belongs to; Devlin et al. 2019, figure 2."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(config.segments, config.d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, segments: Tensor, probe: Probe) -> Tensor:
        return x + probe("segment", self.table[segments])


class Embed(nn.Module):
    """Token ids to what enters layer 0. `table` may be shared with another stack, and with the head."""

    def __init__(self, config: Config, table: nn.Embedding) -> None:
        super().__init__()
        self.token = table
        self.scale = sqrt(config.d_model) if config.embed_scale else 1.0
        self.add_segments = Segments(config) if config.segments else add_nothing
        self.add_positions = ADD_POSITIONS[config.positions](config)
        self.norm = norm(config) if config.embed_norm else nn.Identity()

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor | None, probe: Probe = silent) -> Tensor:
        x = probe("token", self.token(ids) * self.scale)  # batch position d_model
        x = self.add_segments(x, segments, probe)
        x = self.add_positions(x, positions, probe)
        return probe("out", self.norm(x))


class Stack(nn.Module):
    def __init__(
        self,
        config: Config,
        n_layers: int,
        block: Callable[[], nn.Module],
        table: nn.Embedding,
        two_sided: bool = False,
    ) -> None:
        super().__init__()
        self.embed = Embed(config, table)
        self.shift = RelativeBias(config, two_sided) if config.positions == "relative" else shift_nothing
        self.blocks = nn.ModuleList(block() for _ in range(n_layers))
        self.final_norm = norm(config) if config.final_norm else nn.Identity()

    def forward(
        self,
        ids: Tensor,
        mask: Tensor,
        positions: Tensor,
        probe: Probe = silent,
        cache: Cache | None = None,
        source: Source | None = None,
        segments: Tensor | None = None,
    ) -> Tensor:
        mask = probe("mask", mask)  # batch query key
        x = self.embed(ids, positions, segments, within(probe, "embed"))  # batch position d_model
        scene = Scene(mask, positions, self.shift(*mask.shape[-2:]), source)
        for i, block in enumerate(self.blocks):
            x = block(x, scene, within(probe, str(i)), cache.layer(i) if cache else NO_MEMORY)
        if cache:
            cache.advance(ids.shape[1])
        return probe("final", self.final_norm(x))  # batch position d_model
