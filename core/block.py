"""A block lets positions talk (attention), then think (the net), each time adding to the stream.

    post-norm   x = Norm(x + Sublayer(x))        the original, Vaswani et al. 2017, section 3.1
    pre-norm    x = x + Sublayer(Norm(x))        most since GPT-2; Xiong et al. 2020

One class for each wiring. What a sub-layer reads is `in`, what it writes is `out`.
"""

from torch import Tensor, nn

from core.attention import Attend, Attention, attend
from core.cache import Extend, alone
from core.config import Config
from core.feedforward import feedforward
from core.norm import norm
from core.probe import Probe, silent, within


class PreNormBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.norm1, self.attn = norm(config), Attention(config, attend)
        self.norm2, self.ffn = norm(config), feedforward(config)

    def forward(
        self, x: Tensor, mask: Tensor, positions: Tensor, probe: Probe = silent, extend: Extend = alone
    ) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", self.norm1(x))
        x = probe("resid_mid", x + self.attn(read, mask, positions, within(probe, "attn"), extend))
        read = probe("ffn.in", self.norm2(x))
        return probe("resid_post", x + self.ffn(read, within(probe, "ffn")))


class PostNormBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.attn, self.norm1 = Attention(config, attend), norm(config)
        self.ffn, self.norm2 = feedforward(config), norm(config)

    def forward(
        self, x: Tensor, mask: Tensor, positions: Tensor, probe: Probe = silent, extend: Extend = alone
    ) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", x)
        x = probe("resid_mid", self.norm1(x + self.attn(read, mask, positions, within(probe, "attn"), extend)))
        read = probe("ffn.in", x)
        return probe("resid_post", self.norm2(x + self.ffn(read, within(probe, "ffn"))))


BLOCKS: dict[str, type[PreNormBlock] | type[PostNormBlock]] = {"pre": PreNormBlock, "post": PostNormBlock}
