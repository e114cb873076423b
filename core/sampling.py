"""From logits to a drawn token, each stage kept: temperature, then top-k, then top-p, then one draw.

    p_i = exp(l_i / T) / sum_j exp(l_j / T)                                       temperature T
    top-k keeps the k likeliest (Fan et al. 2018); top-p keeps the smallest set of the likeliest whose mass
    reaches p (Holtzman et al. 2020); what is kept is scaled up to sum to 1 after each.

The order is that of Hugging Face: temperature first, top-p over what top-k left. Everything runs in float64, so a
tiny temperature does not overflow. Equal logits are ranked by id, the lowest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.errors import SamplingError

TOLERANCE = 1e-9
"""A mass within this of p counts as having reached it: 0.7 + 0.1 + 0.1 reaches 0.9 though its float sum does not."""


class Draw(NamedTuple):
    """A token id, and the uniform number in [0, 1) that it was read off from."""

    id: int
    uniform: float


@dataclass(frozen=True, eq=False)
class Distribution:
    """The stages between logits and draw, each [vocab]; probabilities are float64."""

    logits: Float[Tensor, " vocab"]  # raw, as the model gave them
    tempered: Float[Tensor, " vocab"]  # probabilities at this temperature, nothing cut
    kept: Bool[Tensor, " vocab"]  # what top-k and top-p left
    probs: Float[Tensor, " vocab"]  # what is drawn from: sums to 1, 0 where cut

    def draw(self, generator: torch.Generator | None = None) -> Draw:
        """Draw a token with one uniform number from `generator`."""
        return self.at(torch.rand((), dtype=torch.float64, generator=generator).item())

    def at(self, uniform: float) -> Draw:
        """The token that `uniform` in [0, 1) lands on when the probabilities are laid end to end in id order.

        Raises `SamplingError` for a number outside.
        """
        if not 0 <= uniform < 1:
            raise SamplingError(f"The number to draw with is {uniform}; it must be at least 0 and below 1.")
        ends = self.probs.cumsum(0)
        id = int(torch.searchsorted(ends, torch.tensor([uniform * ends[-1]], dtype=torch.float64), right=True))
        last = int(self.probs.nonzero()[-1])  # where rounding leaves `uniform` past the end
        return Draw(min(id, last), uniform)


def distribution(
    logits: Float[Tensor, " vocab"] | Sequence[float],
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
) -> Distribution:
    """The distribution that the next token is drawn from.

    `temperature` 0 is greedy: all mass on the likeliest token, whatever the cuts. `top_k` 0, or at least the
    vocabulary, is off. `top_p` 1 cuts nothing; 0 keeps the likeliest. Raises `SamplingError` for settings outside
    their range, and for logits that are not all finite numbers.
    """
    check(temperature, top_k, top_p)
    top_k = int(top_k)  # 40.0 is what a page sends
    if not isinstance(logits, Tensor):
        logits = torch.tensor(logits, dtype=torch.float64)  # as exact as they were given
    raw = logits.detach().cpu()
    if raw.ndim != 1 or not len(raw):
        raise SamplingError(f"Logits for one token form a list; found size {tuple(raw.shape)}.")
    exact = raw.double()
    if not exact.isfinite().all():
        bad = int((~exact.isfinite()).nonzero()[0])
        raise SamplingError(f"The logit of token {bad} is {exact[bad]:g}; the model computed no usable numbers.")
    order = exact.argsort(descending=True, stable=True)  # rank -> id
    if temperature == 0:
        tempered = torch.zeros_like(exact).index_fill(0, order[:1], 1.0)
        return Distribution(raw, tempered, tempered > 0, tempered)
    tempered = ((exact - exact.max()) / temperature).softmax(0)
    ranked = tempered[order]
    if 0 < top_k < len(ranked):
        ranked[top_k:] = 0.0
        ranked /= ranked.sum()
    n_kept = min(top_k, len(ranked)) if top_k else len(ranked)
    if top_p < 1:
        before = ranked.cumsum(0) - ranked  # the mass before each: a token is needed while that has not reached p
        n_kept = min(n_kept, max(1, int((before < top_p - TOLERANCE).sum())))
    kept = torch.zeros(len(exact), dtype=torch.bool).index_fill(0, order[:n_kept], True)
    probs = torch.where(kept, tempered, 0.0)
    return Distribution(raw, tempered, kept, probs / probs.sum())


def check(temperature: float, top_k: int, top_p: float) -> None:
    """Raise `SamplingError` unless the settings are in their ranges."""
    if not (isfinite(temperature) and temperature >= 0):
        raise SamplingError(f"Temperature is {temperature}; it must be a number of at least 0.")
    if not (isfinite(top_k) and top_k >= 0 and top_k == int(top_k)):
        raise SamplingError(f"Top-k is {top_k}; it must be a whole number of at least 0, where 0 is off.")
    if not (isfinite(top_p) and 0 <= top_p <= 1):
        raise SamplingError(f"Top-p is {top_p}; it must lie between 0 and 1, where 1 is off.")


def uniform(seed: int, step: int) -> float:
    """The number that step `step` (from 0) of a generation with this seed draws with.

    It depends on nothing else, so a step's draw is the same whoever asks for it, and in whatever order.
    """
    generator = torch.Generator().manual_seed(seed)
    for _ in range(step + 1):
        number = torch.rand((), dtype=torch.float64, generator=generator)
    return number.item()
