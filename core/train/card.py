"""The card of a trained storyteller: its measured numbers for machines (card.json) and in words (README.md)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from core.train.measure import HELD_OUT_SEED, PERIOD, STORIES, WINDOWS, Scores
from core.train.shipped import table

TARGETS = {"previous_token": 0.6, "induction": 0.4, "coreference": 0.5}
LOSS_TOLERANCE, HEAD_TOLERANCE = 1e-3, 0.02

SAMPLES = (
    "The cat sat because it was tired.",
    "The cat sat next to Tom because it was tired.",
    "Anna met the dog. It barked, and she",
    "Once upon a time there was a king in the castle. Every day he",
    "When Mary and John went to the shop, John gave a book to",
    "The keys on the table near the door are",
    "Tom counted the coins: one, two, three, four",
    '"Lamora zibi!" cried the witch. "Lamora',
    "The lamp was heavy but its light was",
)


@dataclass(frozen=True)
class Training:
    """What the run was: its length by the clock and in tokens read (repeated noise included)."""

    minutes: float
    tokens: int
    parameters: int
    threads: int
    note: str = ""  # what a reader of the card should know besides


def numbers(loss: float, scores: Scores, training: Training) -> dict[str, Any]:
    """Everything the card reports. Layers and heads count from 0; the loss is in nats per token."""
    return {
        "held_out_loss": round(loss, 5),
        "held_out_seed": HELD_OUT_SEED,
        "held_out_windows": WINDOWS,
        "heads": best(scores),
        "heads_measured": {"stories": STORIES, "pronouns": scores.pronouns, "noise_period": PERIOD},
        "parameters": training.parameters,
        "tokens_seen": training.tokens,
        "minutes": round(training.minutes, 1),
        "threads": training.threads,
        "note": training.note,
        "samples": list(SAMPLES),
        "scores": {
            name: [[round(x, 3) for x in row] for row in getattr(scores, name).tolist()]
            for name in ("previous_token", "induction", "antecedent", "distractor")
        },
    }


def best(scores: Scores) -> dict[str, dict[str, Any]]:
    """The strongest head of each kind; for coreference, of those with no other part to play, the one whose antecedent
    is furthest ahead of the distractor.
    """
    heads = {name: _strongest(getattr(scores, name)) for name in ("previous_token", "induction")}
    lead = scores.antecedent - scores.distractor
    for named in heads.values():
        lead[named["layer"], named["head"]] = 0.0
    layer, head = divmod(int(lead.argmax()), lead.shape[1])
    columns = ("antecedent", "distractor", "latest_antecedent", "latest_distractor")
    found = {column: round(getattr(scores, column)[layer, head].item(), 3) for column in columns}
    return {**heads, "coreference": {"layer": layer, "head": head, **found}}


def _strongest(score: Tensor) -> dict[str, Any]:
    layer, head = divmod(int(score.argmax()), score.shape[1])
    return {"layer": layer, "head": head, "score": round(score[layer, head].item(), 3)}


def missed(card: dict[str, Any]) -> list[str]:
    """The targets that a card's heads do not reach, each in a sentence."""
    heads = card["heads"]
    found = [
        f"The {name.replace('_', ' ')} head reaches {heads[name]['score']}; the target was above {TARGETS[name]}."
        for name in ("previous_token", "induction")
        if heads[name]["score"] <= TARGETS[name]
    ]
    antecedent, distractor = heads["coreference"]["antecedent"], heads["coreference"]["distractor"]
    if antecedent <= TARGETS["coreference"] or distractor >= antecedent / 2:
        found.append(
            f"The coreference head gives {antecedent} to the antecedent and {distractor} to the distractor; the"
            f" target was above {TARGETS['coreference']}, and below half of it."
        )
    return found


def differences(card: dict[str, Any], again: dict[str, Any]) -> list[str]:
    """Where a second measurement leaves the card by more than the tolerances, each in a sentence."""
    found = []
    if abs(card["held_out_loss"] - again["held_out_loss"]) > LOSS_TOLERANCE:
        found.append(f"held-out loss: the card says {card['held_out_loss']}, measured {again['held_out_loss']}")
    for kind, said in card["heads"].items():
        for key, value in said.items():
            measured = again["heads"][kind][key]
            if abs(value - measured) > (0 if key in ("layer", "head") else HEAD_TOLERANCE):
                found.append(f"{kind} {key}: the card says {value}, measured {measured}")
    return found


def write(folder: Path, card: dict[str, Any]) -> None:
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(words(card), encoding="utf-8")


def words(card: dict[str, Any]) -> str:
    """The card in Markdown, from `card.md`."""
    heads = card["heads"]
    coreference = heads["coreference"]
    template = (Path(__file__).parent / "card.md").read_text(encoding="utf-8")
    return template.format(
        **{name: value for name, value in card.items() if name not in ("heads", "scores", "samples")},
        **{f"{kind}_{key}": value for kind in ("previous_token", "induction") for key, value in heads[kind].items()},
        **{f"coreference_{key}": value for key, value in coreference.items()},
        pronouns=card["heads_measured"]["pronouns"],
        stories=card["heads_measured"]["stories"],
        period=card["heads_measured"]["noise_period"],
        millions=round(card["tokens_seen"] / 1e6, 1),
        more=f"\n{card['note']}\n" if card["note"] else "",
        tables="\n\n".join(table(name.replace("_", " "), rows) for name, rows in card["scores"].items()),
        samples="\n".join(f"- `{sample}`" for sample in card["samples"]),
        missed="\n".join(f"- {line}" for line in missed(card)) or "None.",
    )
