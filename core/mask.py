"""Who may look at whom: a boolean matrix, query down and key across, True where a query may look.

A causal mask is a lower triangle (a token reads itself and what came before; Vaswani 2017, section 3.2.3). A padding
mask hides keys that stand for nothing. Both are joined by *and*. Where a row has nothing allowed, its pattern is
all zeros, never NaN.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool
from torch import Tensor

from core.errors import TextError


def causal(n_query: int, n_key: int, device: torch.device | None = None) -> Bool[Tensor, "query key"]:
    """The last `n_query` rows of the n_key x n_key lower triangle.

    With a cache the queries are the newest tokens, so row 0 may see every key before it, not key 0 alone.
    """
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device).tril(n_key - n_query)


def open_to_all(n_query: int, n_key: int, device: torch.device | None = None) -> Bool[Tensor, "query key"]:
    """Every query may read every key: what an encoder starts from."""
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device)


def hide(mask: Bool[Tensor, "*batch query key"], keys: Bool[Tensor, "*batch key"]) -> Bool[Tensor, "*batch query key"]:
    """`mask` without the keys that `keys` does not allow."""
    return mask & keys.unsqueeze(-2)


def given(mask: Sequence[object] | Tensor, n: int) -> Bool[Tensor, "key"] | Bool[Tensor, "query key"]:
    """A mask as a person writes it, checked: n zeros and ones, or n rows of n.

    Raises `TextError` with what was found when the size or a value is another.
    """
    try:
        found = torch.as_tensor(mask)
    except (ValueError, TypeError, RuntimeError):
        raise TextError("The mask is no row or square of numbers 0 (hidden) and 1 (allowed).") from None
    if tuple(found.shape) not in ((n,), (n, n)):
        shape = " x ".join(map(str, found.shape))
        raise TextError(f"The mask has size {shape or 'one number'}; {n} tokens need {n} numbers, or {n} x {n}.")
    if not ((found == 0) | (found == 1)).all():
        raise TextError("The mask holds something else than 0 (hidden) and 1 (allowed).")
    return found.bool()
