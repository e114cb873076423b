"""Attention: each position asks (q), every position offers (k), and what is offered (v) is mixed accordingly.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k) + mask) V        Vaswani et al. 2017, eq. 1

`attend` is the formula, `Attention` and `CrossAttention` own the weights: the first reads the text itself, the second
another text, the source (ibid., section 3.2.3). With fewer key/value heads than query heads (grouped-query
attention, Ainslie et al. 2023), query heads 0 .. g-1 read key/value head 0, the next g read head 1, and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from core.cache import Extend, Recall, afresh, alone
from core.config import Config
from core.position import Rotary, Shift, turn_nothing, unshifted
from core.probe import Probe, silent

Attend = Callable[[Tensor, Tensor, Tensor, Tensor, float, Probe, Shift], Tensor]


@dataclass(frozen=True)
class Source:
    """What a decoder reads across: the encoder's output, and which of its places are allowed."""

    output: Float[Tensor, "batch key d_model"]
    mask: Bool[Tensor, "#batch 1 key"]


@dataclass(frozen=True)
class Scene:
    """What all layers of a stack see alike: who may look at whom, where the queries stand, how distance shifts the
    scores, and in a decoder that translates, the source."""

    mask: Bool[Tensor, "#batch query key"]
    positions: Tensor  # batch query
    shift: Shift = unshifted
    source: Source | None = None


def attend(
    q: Float[Tensor, "batch head query d_head"],
    k: Float[Tensor, "batch kv_head key d_head"],
    v: Float[Tensor, "batch kv_head key d_head"],
    mask: Bool[Tensor, "#batch query key"],
    scale: float,
    probe: Probe = silent,
    shift: Shift = unshifted,
) -> Float[Tensor, "batch head query d_head"]:
    """Mix the values: softmax(shift(q k^T * scale)) v, each row over the keys that `mask` allows.

    A row with nothing allowed gives zeros. What is hidden is read off `masked`, so an edit there opens or closes a
    cell as one in the mask does. Every step goes through `probe`: scores, scaled, masked, pattern, z.
    """
    scores = probe("scores", by_group(q, k.mT))  # batch head query key
    scaled = probe("scaled", shift(scores * scale, probe))
    masked = probe("masked", scaled.masked_fill(~mask.unsqueeze(1), -inf))
    pattern = probe("pattern", masked.softmax(dim=-1).masked_fill(masked == -inf, 0.0))
    return probe("z", by_group(pattern, v))  # batch head query d_head


def attend_fused(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scale: float, probe: Probe = silent, shift: Shift = unshifted
) -> Tensor:
    """The same sum in one kernel that never holds the n x n maps: only z can be seen, and a bias, which is no map."""
    groups = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    added = shift(q.new_zeros(()), probe).masked_fill(~mask.unsqueeze(1), -inf)
    return probe("z", F.scaled_dot_product_attention(q, k, v, attn_mask=added, scale=scale))


def by_group(
    x: Float[Tensor, "batch head query inner"], y: Float[Tensor, "batch kv_head inner outer"]
) -> Float[Tensor, "batch head query outer"]:
    """x @ y, the heads of a group sharing one y. A group's rows are laid under one another, so y is never copied."""
    batch, heads, rows, _ = x.shape
    kv_heads = y.shape[1]
    x = x.reshape(batch, kv_heads, heads // kv_heads * rows, -1)  # batch kv_head group*query inner
    return (x @ y).view(batch, heads, rows, -1)


def into_heads(x: Float[Tensor, "batch position width"], n: int) -> Float[Tensor, "batch head position d_head"]:
    """A projection, cut into n heads."""
    return x.view(*x.shape[:2], n, -1).transpose(1, 2)


def from_heads(z: Float[Tensor, "batch head position d_head"]) -> Float[Tensor, "batch position width"]:
    """The heads side by side again."""
    return z.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.heads = (config.n_heads, config.n_kv_heads, config.n_kv_heads)
        self.widths = [n * config.d_head for n in self.heads]
        self.qkv = nn.Linear(config.d_model, sum(self.widths), bias=config.qkv_bias)  # W_Q, W_K, W_V stacked
        self.out = nn.Linear(self.widths[0], config.d_model, bias=config.attn_out_bias)  # W_O
        self.turn = Rotary(config) if config.positions == "rotary" else turn_nothing
        self.attend = attend
        self.scale = 1.0 / sqrt(config.d_head) if config.attn_scale else 1.0

    def forward(self, x: Tensor, scene: Scene, probe: Probe = silent, extend: Extend = alone) -> Tensor:
        parts = self.qkv(x).split(self.widths, dim=-1)  # each: batch position head*d_head
        q, k, v = (into_heads(y, n) for y, n in zip(parts, self.heads, strict=True))
        q = probe("q", q)  # batch head position d_head
        k = probe("k", k)  # batch kv_head position d_head
        v = probe("v", v)  # batch kv_head position d_head
        q, k = self.turn(q, k, scene.positions, probe)
        z = self.attend(q, *extend(k, v), scene.mask, self.scale, probe, scene.shift)
        return probe("out", self.out(from_heads(z)))  # batch position d_model


class CrossAttention(nn.Module):
    """Queries from x, keys and values from the source. Distance has no meaning here: nothing turns, nothing shifts."""

    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.n_heads, self.n_kv_heads = config.n_heads, config.n_kv_heads
        width, kv_width = config.n_heads * config.d_head, config.n_kv_heads * config.d_head
        self.query = nn.Linear(config.d_model, width, bias=config.qkv_bias)  # W_Q
        self.key_value = nn.Linear(config.d_model, 2 * kv_width, bias=config.qkv_bias)  # W_K, W_V stacked
        self.out = nn.Linear(width, config.d_model, bias=config.attn_out_bias)  # W_O
        self.attend = attend
        self.scale = 1.0 / sqrt(config.d_head) if config.attn_scale else 1.0

    def forward(self, x: Tensor, source: Source, probe: Probe = silent, recall: Recall = afresh) -> Tensor:
        q = probe("q", into_heads(self.query(x), self.n_heads))  # batch head query d_head
        k, v = recall(lambda: self.offer(source.output, probe))
        z = self.attend(q, k, v, source.mask, self.scale, probe, unshifted)
        return probe("out", self.out(from_heads(z)))  # batch query d_model

    def offer(self, output: Tensor, probe: Probe) -> tuple[Tensor, Tensor]:
        """Keys and values of the source, which do not change while a target grows."""
        k, v = (into_heads(y, self.n_kv_heads) for y in self.key_value(output).chunk(2, dim=-1))
        return probe("k", k), probe("v", v)  # batch kv_head key d_head
