"""A decoder reads from left to right, and its last vector predicts the next token (GPT, Llama).

embed -> N blocks under a causal mask -> norm -> word head          Radford et al. 2018, 2019
"""

from collections.abc import Callable
from math import sqrt

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.attention import Attend, attend
from core.block import BLOCKS
from core.cache import Cache
from core.config import Config
from core.mask import causal
from core.norm import norm
from core.position import Add, Learned, Sinusoidal, add_nothing
from core.probe import Probe, silent, within

ADD_POSITIONS: dict[str, Callable[[Config], Add]] = {
    "learned": Learned,
    "sinusoidal": Sinusoidal,
    "rotary": lambda config: add_nothing,
}


class Decoder(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab_size, config.d_model)
        self.embed_scale = sqrt(config.d_model) if config.embed_scale else 1.0
        self.add_positions = ADD_POSITIONS[config.positions](config)
        block = BLOCKS[config.placement]
        self.blocks = nn.ModuleList(block(config, attend) for _ in range(config.n_layers))
        self.final_norm = norm(config) if config.final_norm else nn.Identity()
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=config.head_bias)
        if config.tied:
            self.head.weight = self.embed.weight

    def forward(
        self,
        ids: Int[Tensor, "batch position"],
        mask: Bool[Tensor, "#batch position key"] | None = None,
        positions: Int[Tensor, "#batch position"] | None = None,
        probe: Probe = silent,
        cache: Cache | None = None,
    ) -> Float[Tensor, "batch position vocab"]:
        """Logits for the token after each position.

        Without `mask` every token may read itself and what came before; without `positions` they count on from the
        tokens in `cache`, whose keys and values this pass adds to.
        """
        n = ids.shape[1]
        past = cache.length if cache else 0
        if mask is None:
            mask = causal(n, past + n, ids.device)[None]
        if positions is None:
            positions = torch.arange(past, past + n, device=ids.device)[None]
        x = self.stack(ids, mask, positions, within(probe, "decoder"), cache)
        return probe("logits", self.head(x))  # batch position vocab

    def stack(self, ids: Tensor, mask: Tensor, positions: Tensor, probe: Probe, cache: Cache | None) -> Tensor:
        """All but the head, whose site has no stack in its name: ids in, the stack's last word out."""
        mask = probe("mask", mask)  # batch query key
        x = probe("embed.token", self.embed(ids) * self.embed_scale)  # batch position d_model
        x = probe("embed.out", self.add_positions(x, positions, within(probe, "embed")))
        for i, block in enumerate(self.blocks):
            keep = (cache.layer(i),) if cache else ()
            x = block(x, mask, positions, within(probe, str(i)), *keep)
        if cache:
            cache.advance(ids.shape[1])
        return probe("final", self.final_norm(x))  # batch position d_model
