"""Makes a model of `assets/models` again, or checks the shipped one against its card.

python -m core.train NAME [--minutes 45] [--out DIR] [--threads 2] [--resume] [--note TEXT]
python -m core.train NAME --check
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from core.train import folder, reader, storyteller, translator

MODELS = Path(__file__).parents[2] / "assets" / "models"
SCRATCH = Path("build")


@dataclass(frozen=True)
class Recipe:
    """`make` trains for some minutes and writes a folder with its card; `check` says where a folder leaves its card."""

    minutes: float
    make: Callable[..., dict[str, Any]]
    check: Callable[[Path], list[str]]
    shown: tuple[str, ...]  # of the card, after a run


RECIPES = {
    "storyteller": Recipe(45, storyteller.make, folder.check, ("held_out_loss", "heads")),
    "reader": Recipe(25, reader.make, reader.check, ("measured", "training")),
    "translator": Recipe(25, translator.make, translator.check, ("measured", "training")),
}


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 1 where a check found a difference."""
    parser = argparse.ArgumentParser(prog="python -m core.train", description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=list(RECIPES))
    parser.add_argument("--minutes", type=float, help="how long to train (default: what the recipe says)")
    parser.add_argument("--out", type=Path, help="the model folder to write or to check")
    parser.add_argument("--threads", type=int, default=2, help="threads that torch may use (default: %(default)s)")
    parser.add_argument("--resume", action="store_true", help=f"go on from the checkpoint in {SCRATCH}/")
    parser.add_argument("--note", default="", help="a sentence for the card, about what was special in this run")
    parser.add_argument("--check", action="store_true", help="measure the weights again and compare with the card")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    recipe, where = RECIPES[asked.model], asked.out or MODELS / asked.model
    if asked.check:
        found = recipe.check(where)
        print("\n".join(found) or "The weights do what the card says.")
        return 1 if found else 0
    card = recipe.make(where, asked.minutes or recipe.minutes, SCRATCH, resume=asked.resume, note=asked.note)
    print(json.dumps({name: card[name] for name in recipe.shown}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
