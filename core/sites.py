"""Looking in the table of sites: a row by its name, and the names that a network fires.

A name is `{stack}.{place}`; a layer's number stands for `*` in the table. A site that an architecture does not
have is absent from a run. A test holds that what a network fires is what `names` says.
"""

import re
from functools import cache

from core.config import Config
from core.errors import SiteError
from core.table import AXES, HEAD, STACKS, Site

SITES = {site.name: site for rows in (*STACKS.values(), HEAD) for site in rows}
ALWAYS = ("logits", "labels")
"""What a tape keeps whatever it is told to: the answers."""
ONCE = ("decoder.*.cross.k", "decoder.*.cross.v")
"""Made of the source in the first pass of a generation, and only there."""

_LAYER_NUMBER = re.compile(r"\.(?:0|[1-9][0-9]*)\.")


@cache
def find(name: str) -> Site:
    """The row for a full name such as `decoder.3.attn.q`. Raises `SiteError` when the table has none."""
    site = SITES.get(_LAYER_NUMBER.sub(".*.", name, count=1))
    if site is None or "*" in name:
        raise SiteError(f"{name!r} is not the name of a tensor; core/table.py lists them all.")
    return site


def axes(name: str, n: int) -> tuple[str, ...]:
    """The axes of a tensor of this name that has n: `labels` comes for each position, or for the whole text."""
    return find(name).axes[-n:]


def formula(name: str, config: Config) -> str:
    """How a network of this `config` computes the site, in LaTeX."""
    site = find(name)
    return next((form for holds, form in site.forms if holds(config)), site.formula)


def names(config: Config, later: bool = False) -> tuple[str, ...]:
    """The names that one pass of a network of this `config` fires, in that order.

    `later`: those of a pass after the first of a generation, which neither reads the source nor offers it again.
    """
    places: list[str] = []
    for stack in STACKS:
        n_layers = config.layers(stack)
        if n_layers and not (later and stack == "encoder"):
            rows = [site for site in STACKS[stack] if site.has(config)]
            layer = [site.name for site in rows if "*" in site.name and not (later and site.name in ONCE)]
            at = next(i for i, site in enumerate(rows) if "*" in site.name)
            places += [site.name for site in rows[:at]]
            places += [name.replace("*", str(i)) for i in range(n_layers) for name in layer]
            places.append(rows[-1].name)
    return (*places, *(site.name for site in HEAD if site.has(config)))


__all__ = ["ALWAYS", "AXES", "SITES", "axes", "find", "formula", "names"]
