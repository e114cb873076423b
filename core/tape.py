"""The probe that records, and the edits it can make as a value goes by.

    tape = Tape(keep=["*.pattern"], edits={"decoder.1.attn.z": zero(head=2)})
    logits = network(ids, probe=tape)
    tape.check()

One tape is for one pass. What would go wrong in silence raises instead: a name that the table does not have, a name
heard twice, an edit that never fired, a `keep` that matched nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fnmatch import translate
from operator import index

import torch
from torch import Tensor

from core.errors import SiteError
from core.sites import ALWAYS, axes, find

Edit = Callable[[Tensor, tuple[str, ...], int], Tensor]
"""Takes a site's tensor (no batch axis), the names of its axes and the place in the text of its first position, and
returns another tensor of the same shape."""

Index = int | slice | Sequence[int]


class Tape:
    """Records a pass. `tensors` holds what was kept, by name, each with a leading batch axis.

    `keep`: names or globs; without it everything is kept, with `[]` only `logits` and `labels`, which are kept always.
    `edits`: a name or glob for each edit; an edited site is recorded as edited.
    `first`: the place in the text of the pass's first position, above 0 when a cache holds those before it.
    `before`: names that an earlier pass fired for this one too, and that `keep` and `edits` may therefore name.
    """

    def __init__(
        self,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
        first: int = 0,
        before: Iterable[str] = (),
    ) -> None:
        self._first = first
        self._before = tuple(before)
        self.tensors: dict[str, Tensor] = {}
        self._heard: set[str] = set()
        globs = [keep] if isinstance(keep, str) else keep
        self._keep = None if globs is None else {glob: re.compile(translate(glob)) for glob in globs}
        self._edits = {glob: (re.compile(translate(glob)), edit) for glob, edit in (edits or {}).items()}
        self._fired: set[str] = set()

    def __call__(self, name: str, x: Tensor) -> Tensor:
        find(name)
        if name in self._heard:
            raise SiteError(f"{name!r} was heard twice in one pass; a tape is for one pass.")
        self._heard.add(name)
        for glob, (pattern, edit) in self._edits.items():
            if pattern.match(name):
                self._fired.add(glob)
                x = self._edited(name, x, edit)
        if self._keep is None or name in ALWAYS or any(p.match(name) for p in self._keep.values()):
            self.tensors[name] = x
        return x

    def check(self) -> None:
        """Raise `SiteError` if an edit never fired or a `keep` matched nothing in the pass that is over."""
        for glob, (pattern, _) in self._edits.items():
            if glob not in self._fired and not any(map(pattern.match, self._before)):
                raise SiteError(f"The edit at {glob!r} never fired: this model has no tensor of that name.")
        for glob, pattern in (self._keep or {}).items():
            if not any(map(pattern.match, (*self._heard, *self._before))):
                raise SiteError(f"keep={glob!r} matches no tensor of this model.")

    def _edited(self, name: str, x: Tensor, edit: Edit) -> Tensor:
        new = edit(x[0], axes(name, x.ndim - 1), self._first)
        if new.shape != x.shape[1:]:
            found, wanted = tuple(new.shape), tuple(x.shape[1:])
            raise SiteError(f"The edit at {name!r} turned size {wanted} into {found}; it must keep the size.")
        return new.to(x.dtype)[None]


def zero(**axes: Index) -> Edit:
    """An edit that sets to 0 what `axes` picks, all of it without axes: `zero(head=2)`, `zero(head=[0, 1], key=0)`.

    Positions and queries count from the start of the text, in a cached step too; negative ones count from the end of
    what a pass reads, so in a generation `position=-1` is each new token. A number past the end is refused.
    """
    return scale(0.0, **axes)


def scale(factor: float, **axes: Index) -> Edit:
    """An edit that multiplies what `axes` picks by `factor`."""
    return _Change(lambda part: torch.zeros_like(part) if factor == 0 else part * factor, axes)


def put(tensor: Tensor | float, **axes: Index) -> Edit:
    """An edit that puts `tensor` where `axes` picks; it must have that size, or broadcast to it.

    An axis picked by one number is gone from that size, as in indexing: `put(v, head=2)` at a site with axes head,
    position, d_head takes v as [position, d_head].
    """
    value = torch.as_tensor(tensor)
    return _Change(lambda part: value.to(part.device, part.dtype), axes)


class _Change:
    """Replace the part of a tensor that named axes pick. Several lists pick the rectangle they span.

    Positions count from the start of the text, so in a cached pass those that an earlier pass computed pick nothing.
    """

    def __init__(self, change: Callable[[Tensor], Tensor], axes: Mapping[str, Index]) -> None:
        self.change, self.axes = change, axes

    def __call__(self, x: Tensor, axes: tuple[str, ...], first: int) -> Tensor:
        for axis in self.axes:
            if axis not in axes:
                raise SiteError(f"The edit picks {axis!r}, but the axes here are {', '.join(axes)}.")
        x = x.clone()
        part, grid = x, list[Tensor]()
        for dim in reversed(range(x.ndim)):  # from the last axis, so that those before it keep their numbers
            start = first if axes[dim] in ("position", "query") else 0
            pick = _pick(self.axes.get(axes[dim], slice(None)), axes[dim])
            inside = [i - start for i in _absolute(pick, start + x.shape[dim], axes[dim]) if i >= start]
            if not inside:
                return x
            if isinstance(pick, int):
                part = part.select(dim, inside[0])
            else:
                grid.insert(0, torch.tensor(inside, device=x.device))
        picked = torch.meshgrid(*grid, indexing="ij") if grid else (...,)
        new = self.change(part[picked])
        try:
            part[picked] = new
        except (RuntimeError, IndexError):
            size = tuple(part[picked].shape)
            raise SiteError(f"The edit puts size {tuple(new.shape)} where size {size} is picked.") from None
        return x


def _pick(pick: Index, axis: str) -> int | list[int] | slice:
    """`pick` in plain Python, whatever kind of whole number it came as."""
    if isinstance(pick, slice):
        return pick
    for plain in (index, lambda many: [index(one) for one in many]):
        with suppress(TypeError):
            return plain(pick)  # type: ignore[arg-type]
    raise SiteError(f"The edit picks {axis} {pick!r}; a whole number, a list of them or a slice is needed.")


def _absolute(pick: int | list[int] | slice, size: int, axis: str) -> Sequence[int]:
    """`pick` as numbers from 0 to size - 1; negative ones count from the end."""
    if isinstance(pick, slice):
        numbers: Sequence[int] = range(size)[pick]
    else:
        numbers = [pick] if isinstance(pick, int) else pick
    for i in numbers:
        if not -size <= i < size:
            raise SiteError(f"The edit picks {axis} {i}, but there are {size}, counted from 0.")
    to_come = isinstance(pick, slice) and axis in ("position", "query", "key")  # what a generation has yet to read
    if not numbers and not to_come:
        raise SiteError(f"The edit picks no {axis}; there are {size}, counted from 0.")
    return [i % size for i in numbers]
