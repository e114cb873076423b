"""What a head is for, read off its patterns: three scores, pure functions of attention that was already computed.

    previous token   mean of pattern[i, i - 1]                        Elhage et al. 2021
    induction        mean of pattern[i, i - period + 1], where the
                     tokens repeat with that period: the token that
                     followed last time                               Olsson et al. 2022, arXiv:2209.11895
    coreference      a pronoun's row, summed over the tokens of those earlier mentions that it means (antecedents),
                     and over those that it cannot mean, because their pronoun is another (distractors)

Every function keeps the head axis, so one call scores a whole layer.
"""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor


def previous_token_score(pattern: Float[Tensor, "head query key"]) -> Float[Tensor, "head"]:
    """Mean attention of each position, from the second on, to the one before it."""
    return pattern.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)


def induction_score(pattern: Float[Tensor, "head query key"], period: int) -> Float[Tensor, "head"]:
    """Mean attention to the token after the previous occurrence, from position `period` on.

    The tokens must repeat every `period` positions; at position i the same token stood at i - period, so the one to
    look at stands at i - period + 1.
    """
    return pattern.diagonal(offset=1 - period, dim1=-2, dim2=-1)[..., 1:].mean(dim=-1)


def coreference_score(
    row: Float[Tensor, "head key"], antecedents: Sequence[int], distractors: Sequence[int]
) -> tuple[Float[Tensor, "head"], Float[Tensor, "head"]]:
    """A pronoun's attention to all tokens of the antecedent's mentions, and to all of the distractors'."""
    return row[:, list(antecedents)].sum(dim=-1), row[:, list(distractors)].sum(dim=-1)
