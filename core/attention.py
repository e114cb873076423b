"""Attention: each position asks (q), every position offers (k), and what is offered (v) is mixed accordingly.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k) + mask) V        Vaswani et al. 2017, eq. 1

`attend` is the formula, `Attention` owns the weights. With fewer key/value heads than query heads (grouped-query
attention, Ainslie et al. 2023), query heads 0 .. g-1 read key/value head 0, the next g read head 1, and so on.
"""

from collections.abc import Callable
from math import inf, sqrt

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from core.cache import Extend, alone
from core.config import Config
from core.position import Rotary, turn_nothing
from core.probe import Probe, silent

Attend = Callable[[Tensor, Tensor, Tensor, Tensor, float, Probe], Tensor]


def attend(
    q: Float[Tensor, "batch head query d_head"],
    k: Float[Tensor, "batch kv_head key d_head"],
    v: Float[Tensor, "batch kv_head key d_head"],
    mask: Bool[Tensor, "#batch query key"],
    scale: float,
    probe: Probe = silent,
) -> Float[Tensor, "batch head query d_head"]:
    """Mix the values: softmax(q k^T * scale) v, each row over the keys that `mask` allows.

    A row with nothing allowed gives zeros. What is hidden is read off `masked`, so an edit there opens or closes a
    cell as one in the mask does. Every step goes through `probe`: scores, scaled, masked, pattern, z.
    """
    scores = probe("scores", by_group(q, k.mT))  # batch head query key
    scaled = probe("scaled", scores * scale)
    masked = probe("masked", scaled.masked_fill(~mask.unsqueeze(1), -inf))
    pattern = probe("pattern", masked.softmax(dim=-1).masked_fill(masked == -inf, 0.0))
    return probe("z", by_group(pattern, v))  # batch head query d_head


def attend_fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scale: float, probe: Probe = silent) -> Tensor:
    """The same sum in one kernel that never holds the n x n maps: only z can be seen."""
    groups = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    return probe("z", F.scaled_dot_product_attention(q, k, v, attn_mask=mask.unsqueeze(1), scale=scale))


def by_group(
    x: Float[Tensor, "batch head query inner"], y: Float[Tensor, "batch kv_head inner outer"]
) -> Float[Tensor, "batch head query outer"]:
    """x @ y, the heads of a group sharing one y. A group's rows are laid under one another, so y is never copied."""
    batch, heads, rows, _ = x.shape
    kv_heads = y.shape[1]
    x = x.reshape(batch, kv_heads, heads // kv_heads * rows, -1)  # batch kv_head group*query inner
    return (x @ y).view(batch, heads, rows, -1)


class Attention(nn.Module):
    def __init__(self, config: Config, attend: Attend = attend) -> None:
        super().__init__()
        self.heads = (config.n_heads, config.n_kv_heads, config.n_kv_heads)
        self.widths = [n * config.d_head for n in self.heads]
        self.qkv = nn.Linear(config.d_model, sum(self.widths), bias=config.qkv_bias)  # W_Q, W_K, W_V stacked
        self.out = nn.Linear(self.widths[0], config.d_model, bias=config.attn_out_bias)  # W_O
        self.turn = Rotary(config) if config.positions == "rotary" else turn_nothing
        self.attend = attend
        self.scale = 1.0 / sqrt(config.d_head)

    def forward(
        self, x: Tensor, mask: Tensor, positions: Tensor, probe: Probe = silent, extend: Extend = alone
    ) -> Tensor:
        parts = self.qkv(x).split(self.widths, dim=-1)  # each: batch position head*d_head
        q, k, v = (y.unflatten(-1, (n, -1)).transpose(1, 2) for y, n in zip(parts, self.heads, strict=True))
        q = probe("q", q)  # batch head position d_head
        k = probe("k", k)  # batch kv_head position d_head
        v = probe("v", v)  # batch kv_head position d_head
        q, k = self.turn(q, k, positions, probe)
        z = self.attend(q, *extend(k, v), mask, self.scale, probe)
        return probe("out", self.out(z.transpose(1, 2).flatten(2)))  # batch position d_model
