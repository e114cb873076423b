"""Makes a model of `assets/models` again, or checks the shipped one against its card.

python -m core.train storyteller [--minutes 45] [--out DIR] [--threads 2] [--resume] [--note TEXT]
python -m core.train storyteller --check
"""

import argparse
import json
import sys
from pathlib import Path

import torch

from core.train.folder import check
from core.train.storyteller import make

MODELS = Path(__file__).parents[2] / "assets" / "models"
SCRATCH = Path("build")


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 1 where a check found a difference."""
    parser = argparse.ArgumentParser(prog="python -m core.train", description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=["storyteller"])
    parser.add_argument("--minutes", type=float, default=45, help="how long to train (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="the model folder to write or to check")
    parser.add_argument("--threads", type=int, default=2, help="threads that torch may use (default: %(default)s)")
    parser.add_argument("--resume", action="store_true", help=f"go on from the checkpoint in {SCRATCH}/")
    parser.add_argument("--note", default="", help="a sentence for the card, about what was special in this run")
    parser.add_argument("--check", action="store_true", help="measure the weights again and compare with the card")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    folder = asked.out or MODELS / asked.model
    if asked.check:
        found = check(folder)
        print("\n".join(found) or "The weights do what the card says.")
        return 1 if found else 0
    card = make(folder, asked.minutes, SCRATCH, resume=asked.resume, note=asked.note)
    print(json.dumps({name: card[name] for name in ("held_out_loss", "heads")}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
