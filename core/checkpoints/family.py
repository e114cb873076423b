"""What a foreign family of checkpoints needs to say of itself: a config translation and a table of names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from core.config import Config
from core.errors import CheckpointError


@dataclass(frozen=True)
class Entry:
    """Our tensor `ours` is made from the tensors `theirs` by `join` (their one tensor as it is, by default)."""

    ours: str
    theirs: tuple[str, ...]
    join: Callable[[Sequence[Tensor]], Tensor] = lambda parts: parts[0]


def transposed(parts: Sequence[Tensor]) -> Tensor:
    """One tensor, rows and columns exchanged: for weights stored as (in, out)."""
    return parts[0].T


class Settings:
    """A config.json, read field by field, so that what nobody read can be found and refused."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """The field's value; `default` where it is absent or null."""
        self._read.add(name)
        value = self.values.get(name)
        return default if value is None else value

    def need(self, name: str) -> Any:
        """The field's value. Raises `CheckpointError` where it is absent."""
        if self.get(name) is None:
            raise CheckpointError(f"config.json does not say {name!r}, which this family needs.")
        return self.values[name]

    def split(self, whole: str, parts: str) -> int:
        """The size of one part of `whole`. Raises `CheckpointError` where it does not divide."""
        n, k = self.need(whole), self.need(parts)
        if type(n) is not int or type(k) is not int or k < 1 or n % k:
            raise CheckpointError(
                f"config.json says {whole} {n!r} and {parts} {k!r}; the first must divide by the second."
            )
        return n // k

    def choose(self, name: str, known: Mapping[str, str], default: str) -> str:
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

    def unread(self) -> list[str]:
        """The fields that nobody asked for."""
        return [name for name in self.values if name not in self._read]


@dataclass(frozen=True)
class Family:
    """How to open one family. `ignored` are patterns of tensors that may lie in the file and are not weights."""

    model_type: str
    translate: Callable[[Settings], Config]
    table: Callable[[Config], list[Entry]]
    prefix: str = ""  # hub files come with and without it
    ignored: tuple[str, ...] = ()
    harmless: frozenset[str] = field(default_factory=frozenset)  # fields that change nothing we compute
