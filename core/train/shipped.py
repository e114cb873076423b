"""A model folder as it ships: opened again for measuring; its card in numbers (card.json) and in words (README.md)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from core.checkpoints import fill, read
from core.models import Network, build

WORDS = Path(__file__).parent


def reopen(folder: Path) -> tuple[Network, Tokenizer]:
    """The network of a folder, with attention that can be read, and its tokenizer."""
    checkpoint = read(folder)
    network = build(checkpoint.config)
    fill(network, checkpoint.weights)
    return network.eval(), Tokenizer.from_file(str(checkpoint.tokenizer))


def write_card(folder: Path, card: Mapping[str, Any], template: str, **words: object) -> None:
    """Writes the numbers, and `template` with the numbers (`measured_exact_french`) and `words` filled in."""
    text = (WORDS / template).read_text(encoding="utf-8")
    samples = "\n".join(f"- `{sample}`" for sample in card["samples"])
    filled = dict(leaves(card)) | words | {"samples": samples}
    (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(text.format(**filled), encoding="utf-8")


def said(folder: Path) -> dict[str, Any]:
    """The numbers of a folder's card."""
    found: dict[str, Any] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return found


def leaves(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a tree, named by its path, joined with "_"."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{before}{name}_")
        else:
            yield before + name, value


def differences(card: Mapping[str, Any], again: Mapping[str, Any], tolerance: float) -> list[str]:
    """Where a second measurement leaves the first by more than the tolerance (whole numbers: at all), in sentences."""
    measured = dict(leaves(again))
    found = []
    for name, value in leaves(card):
        allowed = tolerance if isinstance(value, float) else 0
        same = abs(value - measured[name]) <= allowed if isinstance(value, int | float) else value == measured[name]
        if not same:
            found.append(f"{name.replace('_', ' ')}: the card says {value}, measured {measured[name]}")
    return found


def table(title: str, rows: list[list[float]]) -> str:
    """Markdown: one line a layer, one column a head."""
    columns = range(len(rows[0]))
    lines = [
        f"| {title} | " + " | ".join(f"head {i}" for i in columns) + " |",
        "|---" * (len(rows[0]) + 1) + "|",
        *(f"| layer {i} | " + " | ".join(f"{x:.2f}" for x in row) + " |" for i, row in enumerate(rows)),
    ]
    return "\n".join(lines)
