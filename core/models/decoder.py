"""A decoder reads from left to right, and its last vector predicts the next token (GPT, Llama).

embed -> N blocks under a causal mask -> norm -> word head          Radford et al. 2018, 2019
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.attention import Attend, attend
from core.block import BLOCKS
from core.cache import Cache
from core.config import Config
from core.mask import causal
from core.models.heads import WordHead
from core.models.stack import Stack
from core.probe import Probe, silent, within


class Decoder(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.config = config
        table = nn.Embedding(config.vocab_size, config.d_model)
        block = BLOCKS[config.placement]
        self.decoder = Stack(config, config.n_layers, lambda: block(config, attend), table)
        self.head = WordHead(config, table)

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
        x = self.decoder(ids, mask, positions, within(probe, "decoder"), cache)
        return self.head(x, probe)  # type: ignore[no-any-return]
