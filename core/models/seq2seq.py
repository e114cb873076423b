"""An encoder reads the source, a decoder writes the target, looking across at each step (the original; T5).

    source   embed -> N blocks, everyone reads everyone -> norm
    target   embed -> N blocks under a causal mask, each reading the source too -> norm -> word head

Vaswani et al. 2017, figure 1; Raffel et al. 2020. Both stacks share one embedding table, and a tied head shares it too.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.attention import Attend, Source, attend
from core.block import BLOCKS, CROSS_BLOCKS
from core.cache import Cache
from core.config import Config
from core.mask import causal, open_to_all
from core.models.heads import WordHead
from core.models.stack import Stack
from core.probe import Probe, silent, within


class Seq2Seq(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.config = config
        table = nn.Embedding(config.vocab_size, config.d_model)
        block, cross_block = BLOCKS[config.placement], CROSS_BLOCKS[config.placement]
        layers, cross_layers = config.layers("encoder"), config.layers("decoder")
        self.encoder = Stack(config, layers, lambda: block(config, attend), table, two_sided=True)
        self.decoder = Stack(config, cross_layers, lambda: cross_block(config, attend), table)
        self.head = WordHead(config, table)

    def forward(
        self,
        ids: Int[Tensor, "batch key"],
        target_ids: Int[Tensor, "batch position"],
        keys: Bool[Tensor, "#batch key"] | None = None,
        probe: Probe = silent,
    ) -> Float[Tensor, "batch position vocab"]:
        """Logits for the token after each position of the target. `keys` hides places of the source, as padding."""
        mask = None if keys is None else keys[:, None].expand(-1, ids.shape[1], -1)
        return self.decode(target_ids, self.encode(ids, mask, keys, probe=probe), probe=probe)

    def encode(
        self,
        ids: Int[Tensor, "batch key"],
        mask: Bool[Tensor, "#batch key key"] | None = None,
        keys: Bool[Tensor, "#batch key"] | None = None,
        positions: Int[Tensor, "#batch key"] | None = None,
        probe: Probe = silent,
    ) -> Source:
        """Read the source. `mask` is the encoder's; `keys` are the places that the decoder may read."""
        n = ids.shape[1]
        if mask is None:
            mask = open_to_all(n, n, ids.device)[None]
        if keys is None:
            keys = mask.new_ones(1, n)
        if positions is None:
            positions = torch.arange(n, device=ids.device)[None]
        return Source(self.encoder(ids, mask, positions, within(probe, "encoder")), keys[:, None])

    def decode(
        self,
        ids: Int[Tensor, "batch position"],
        source: Source,
        mask: Bool[Tensor, "#batch position key"] | None = None,
        positions: Int[Tensor, "#batch position"] | None = None,
        probe: Probe = silent,
        cache: Cache | None = None,
    ) -> Float[Tensor, "batch position vocab"]:
        """Logits for the token after each position of the target; `mask`, `positions`, `cache` as in `Decoder`."""
        n = ids.shape[1]
        past = cache.length if cache else 0
        if mask is None:
            mask = causal(n, past + n, ids.device)[None]
        if positions is None:
            positions = torch.arange(past, past + n, device=ids.device)[None]
        x = self.decoder(ids, mask, positions, within(probe, "decoder"), cache, source)
        return self.head(x, probe)  # type: ignore[no-any-return]
