"""A probe looks at a named value as it goes by, and may hand on another in its place.

A forward pass takes an optional `probe` and sends each interesting value through it:

    q = probe("q", self.split(query))

`silent` looks at nothing and is the default. `within` says where a part stands, so that the part need not
know. The idea is the *sow* and *plant* of effect handlers (Mathematica's Sow and Reap, oryx's `harvest`), as a
plain argument: nothing is stored on a module, so threads may share one model.
"""

from collections.abc import Callable

from torch import Tensor

Probe = Callable[[str, Tensor], Tensor]


def silent(name: str, x: Tensor) -> Tensor:
    """Look at nothing: the value goes on as it is."""
    return x


def within(probe: Probe, place: str) -> Probe:
    """The same probe for a part at `place`: a name `q` said there reaches it as `place.q`."""
    if probe is silent:
        return silent
    return lambda name, x: probe(f"{place}.{name}", x)
