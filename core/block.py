"""A block lets positions talk (attention), then think (the net), each time adding to the stream.

    post-norm   x = Norm(x + Sublayer(x))        the original, Vaswani et al. 2017, section 3.1
    pre-norm    x = x + Sublayer(Norm(x))        most since GPT-2; Xiong et al. 2020

One class for each wiring; in a decoder that translates, a third sub-layer between the two reads the source. What a
sub-layer reads is `in`, what it writes is `out`.
"""

from torch import Tensor, nn

from core.attention import Attend, Attention, CrossAttention, Scene, attend
from core.cache import NO_MEMORY, Memory
from core.config import Config
from core.feedforward import feedforward
from core.norm import norm
from core.probe import Probe, silent, within


class PreNormBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.norm1, self.attn = norm(config), Attention(config, attend)
        self.norm2, self.ffn = norm(config), feedforward(config)

    def forward(self, x: Tensor, scene: Scene, probe: Probe = silent, memory: Memory = NO_MEMORY) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", self.norm1(x))
        x = probe("resid_mid", x + self.attn(read, scene, within(probe, "attn"), memory.extend))
        read = probe("ffn.in", self.norm2(x))
        return probe("resid_post", x + self.ffn(read, within(probe, "ffn")))


class PostNormBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.attn, self.norm1 = Attention(config, attend), norm(config)
        self.ffn, self.norm2 = feedforward(config), norm(config)

    def forward(self, x: Tensor, scene: Scene, probe: Probe = silent, memory: Memory = NO_MEMORY) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", x)
        x = probe("resid_mid", self.norm1(x + self.attn(read, scene, within(probe, "attn"), memory.extend)))
        read = probe("ffn.in", x)
        return probe("resid_post", self.norm2(x + self.ffn(read, within(probe, "ffn"))))


class PreNormCrossBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.norm1, self.attn = norm(config), Attention(config, attend)
        self.norm_cross, self.cross = norm(config), CrossAttention(config, attend)
        self.norm2, self.ffn = norm(config), feedforward(config)

    def forward(self, x: Tensor, scene: Scene, probe: Probe = silent, memory: Memory = NO_MEMORY) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", self.norm1(x))
        x = probe("resid_mid", x + self.attn(read, scene, within(probe, "attn"), memory.extend))
        read = probe("cross.in", self.norm_cross(x))
        x = probe("resid_cross", x + self.cross(read, scene.source, within(probe, "cross"), memory.recall))
        read = probe("ffn.in", self.norm2(x))
        return probe("resid_post", x + self.ffn(read, within(probe, "ffn")))


class PostNormCrossBlock(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.attn, self.norm1 = Attention(config, attend), norm(config)
        self.cross, self.norm_cross = CrossAttention(config, attend), norm(config)
        self.ffn, self.norm2 = feedforward(config), norm(config)

    def forward(self, x: Tensor, scene: Scene, probe: Probe = silent, memory: Memory = NO_MEMORY) -> Tensor:
        x = probe("resid_pre", x)  # batch position d_model
        read = probe("attn.in", x)
        x = probe("resid_mid", self.norm1(x + self.attn(read, scene, within(probe, "attn"), memory.extend)))
        read = probe("cross.in", x)
        wrote = self.cross(read, scene.source, within(probe, "cross"), memory.recall)
        x = probe("resid_cross", self.norm_cross(x + wrote))
        read = probe("ffn.in", x)
        return probe("resid_post", self.norm2(x + self.ffn(read, within(probe, "ffn"))))


BLOCKS: dict[str, type[PreNormBlock] | type[PostNormBlock]] = {"pre": PreNormBlock, "post": PostNormBlock}
CROSS_BLOCKS: dict[str, type[PreNormCrossBlock] | type[PostNormCrossBlock]] = {
    "pre": PreNormCrossBlock,
    "post": PostNormCrossBlock,
}
