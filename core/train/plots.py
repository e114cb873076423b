"""The plots: what can happen to whom, written once in `plots.txt` for every cast.

A family of plots opens with `## name`, a plot with `name: cast`. The cast gives each letter a kind of entity (see
`world.KINDS`); two of a cast never share a pronoun unless the letter carries `~`. In the text `(x|y)` is a choice and
`<...>` a slot:

    <a> <a+> <a*>                the noun with "the", with "a", bare; a name stays a name
    <a.she> <a.her> <a.hers>     a pronoun of theirs: she, her, her; he, him, his; ...
    <a.was> <a.did> <a.own> ...  a verb in their number, a habit of theirs (see `world.Entity`)
    <colour>  <colour.1>         any colour; the same one wherever the mark 1 returns (see `world.WORDS`)
    <list.1> <upto.1> ...        something long and drawn at random, to be said twice (see `stories`)
    <an colour.1>                with "a" or "an" before it

A slot with a capital letter (`<A.she>`) gives a capital word. Besides, openings and beats are single sentences about
a and b, from which stories are strung together.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Plot:
    name: str
    cast: str
    text: str


def read(path: Path) -> tuple[dict[str, tuple[Plot, ...]], dict[str, tuple[str, ...]]]:
    """The plots of a file by their family, and its single lines by theirs."""
    text = path.read_text(encoding="utf-8")
    plots: dict[str, tuple[Plot, ...]] = {}
    lines: dict[str, tuple[str, ...]] = {}
    for section in text.split("## ")[1:]:
        family, body = section.split("\n", 1)
        blocks = [block.splitlines() for block in body.strip("\n").split("\n\n")]
        if blocks[0][0].startswith(" "):  # no plots here but single lines
            lines[family] = tuple(line.strip() for line in blocks[0])
        else:
            plots[family] = tuple(
                Plot(name, cast.strip(), " ".join(line.strip() for line in rest))
                for head, *rest in blocks
                for name, cast in [head.split(":", 1)]
            )
    return plots, lines


PLOTS, LINES = read(Path(__file__).with_suffix(".txt"))
