"""What a foreign family of checkpoints needs to say of itself: a config translation and a table of names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeVar

import torch
from torch import Tensor

from core.config import Config
from core.errors import CheckpointError

Value = TypeVar("Value", bound=str)


def as_it_is(x: Tensor) -> Tensor:
    """No change, for a tensor that both sides store alike."""
    return x


def transposed(x: Tensor) -> Tensor:
    """Rows and columns exchanged: for weights stored as (in, out)."""
    return x.T


@dataclass(frozen=True)
class Entry:
    """Our tensor `ours` is the tensors `theirs` under one another, `rows` high each; both sides are `turn`ed.

    `turn` is its own inverse, so that an entry can be read either way. One tensor needs no `rows`.
    """

    ours: str
    theirs: tuple[str, ...]
    turn: Callable[[Tensor], Tensor] = as_it_is
    rows: tuple[int, ...] = ()

    def join(self, theirs: Sequence[Tensor]) -> Tensor:
        """Ours, from theirs."""
        return self.turn(torch.cat(list(theirs)) if self.rows else theirs[0]).contiguous()

    def split(self, ours: Tensor) -> Sequence[Tensor]:
        """Theirs, from ours."""
        x = self.turn(ours)
        return x.split(self.rows) if self.rows else (x,)  # type: ignore[no-untyped-call]


class Settings:
    """A config.json, read field by field, so that what nobody read can be found and refused.

    `tensors` are the names in the weights' files, for families whose config does not say which head they hold.
    """

    def __init__(self, values: Mapping[str, Any], tensors: Iterable[str] = ()) -> None:
        self.values, self.tensors = values, frozenset(tensors)
        self._read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """The field's value; `default` where it is absent or null.

        Raises `CheckpointError` for a value of another kind than the default's.
        """
        self._read.add(name)
        value = self.values.get(name)
        if value is None:
            return default
        if default is not None and not _alike(value, default):
            raise CheckpointError(f"config.json says {name} {value!r}; a value such as {default!r} belongs there.")
        return value

    def need(self, name: str) -> int:
        """The size that the field gives. Raises `CheckpointError` where it is absent or no whole number above 0."""
        value = self.get(name)
        if value is None:
            raise CheckpointError(f"config.json does not say {name!r}, which this family needs.")
        if type(value) is not int or value < 1:
            raise CheckpointError(f"config.json says {name} {value!r}; it must be a whole number of at least 1.")
        return value

    def split(self, whole: str, parts: str) -> int:
        """The size of one part of `whole`. Raises `CheckpointError` where it does not divide."""
        n, k = self.need(whole), self.need(parts)
        if n % k:
            raise CheckpointError(
                f"config.json says {whole} {n!r} and {parts} {k!r}; the first must divide by the second."
            )
        return n // k

    def choose(self, name: str, known: Mapping[str, Value], default: str) -> Value:
        """The field's value in our words. Raises `CheckpointError` for a value that `known` does not have."""
        value = self.get(name, default)
        if value not in known:
            raise CheckpointError(f"config.json says {name} {value!r}; known are {', '.join(known)}.")
        return known[value]

    def expect(self, **fields: Any) -> None:
        """Raise `CheckpointError` where a field has another value than the one that we compute."""
        for name, value in fields.items():
            if self.get(name, value) != value:
                raise CheckpointError(f"config.json says {name} {self.values[name]!r}; only {value!r} is supported.")

    def architecture(self, known: Mapping[str, Value], default: Value) -> Value:
        """What `architectures` names, in our words; `default` where the field is absent.

        Raises `CheckpointError` for one that `known` does not have.
        """
        found = self.get("architectures", [])
        if found and (not isinstance(found[0], str) or found[0] not in known):
            raise CheckpointError(f"config.json says architectures {found!r}; known are {', '.join(known)}.")
        return known[found[0]] if found else default

    def classes(self) -> tuple[str, ...]:
        """The names of a classifier's classes; LABEL_0 and LABEL_1 where the file names none, as elsewhere.

        Raises `CheckpointError` where they are not numbered from 0.
        """
        names = self.get("id2label", {"0": "LABEL_0", "1": "LABEL_1"})
        wanted = [str(i) for i in range(len(names))]
        if not names or sorted(names) != sorted(wanted) or not all(type(name) is str for name in names.values()):
            raise CheckpointError(f"config.json says id2label {names!r}; names for the numbers from 0 belong there.")
        return tuple(names[i] for i in wanted)

    def unread(self) -> list[str]:
        """The fields that nobody asked for. One that is null says nothing."""
        return [name for name, value in self.values.items() if name not in self._read and value is not None]


def _alike(value: Any, default: Any) -> bool:
    """Whether `value` can stand where `default` does: a whole number also stands for a fraction."""
    if isinstance(default, float) and type(value) in (int, float):
        return abs(value) < 1e300 and isfinite(value)
    return type(value) is type(default)


@dataclass(frozen=True)
class Family:
    """How to open one family. `ignored` are patterns of tensors that may lie in the file and are not weights."""

    model_type: str
    translate: Callable[[Settings], Config]
    table: Callable[[Config], list[Entry]]
    prefix: str = ""  # hub files come with and without it
    rename: Callable[[str], str] = lambda name: name  # an older spelling of a name to the present one
    ignored: tuple[str, ...] = ()
    harmless: frozenset[str] = field(default_factory=frozenset)  # fields that change nothing we compute
