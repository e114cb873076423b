"""An encoder reads a text in both directions at once, so that each vector knows its whole sentence (BERT).

embed -> N blocks, everyone reads everyone -> a guess at each word, a class of the text          Devlin et al. 2019
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from core.attention import Attend, attend
from core.block import BLOCKS
from core.config import Config
from core.mask import open_to_all
from core.models.heads import CLASSIFIERS, WORD_HEADS, no_head
from core.models.stack import Stack
from core.probe import Probe, silent, within


class Encoder(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.config = config
        table = nn.Embedding(config.vocab_size, config.d_model)
        block = BLOCKS[config.placement]
        self.encoder = Stack(config, config.n_layers, lambda: block(config, attend), table, two_sided=True)
        self.head = WORD_HEADS[config.word_head](config, table)
        self.classifier = CLASSIFIERS[config.labels_at](config) if config.labels else no_head

    def forward(
        self,
        ids: Int[Tensor, "batch position"],
        mask: Bool[Tensor, "#batch position key"] | None = None,
        positions: Int[Tensor, "#batch position"] | None = None,
        segments: Int[Tensor, "#batch position"] | None = None,
        probe: Probe = silent,
    ) -> dict[str, Tensor]:
        """What the network says, by its sites: `encoder.final` and, where it has the heads, `logits` and `labels`.

        Without `mask` everyone may read everyone; without `segments` the text is one sentence.
        """
        n = ids.shape[1]
        if mask is None:
            mask = open_to_all(n, n, ids.device)[None]
        if positions is None:
            positions = torch.arange(n, device=ids.device)[None]
        if segments is None:
            segments = torch.zeros_like(ids)
        x = self.encoder(ids, mask, positions, within(probe, "encoder"), segments=segments)
        said = {"encoder.final": x, "logits": self.head(x, probe), "labels": self.classifier(x, positions, probe)}
        return {name: y for name, y in said.items() if y is not None}
