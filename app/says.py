"""What a model says, as names and shares: the likeliest few, and all others together. Pure functions of a `Look`."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from app.look import Look
from core.sampling import distribution
from core.text import Token

MASKS = ("[MASK]", "<mask>")  # how vocabularies spell a word that is to be guessed
GROUPS = 3  # predictions shown beside one another


@dataclass(frozen=True)
class Step:
    """What was written at one place of a target, and what the model would have written by itself."""

    token: Token
    share: float
    best: Token
    best_share: float
    top: tuple[Token, ...]  # the likeliest, the first is `best`
    shares: tuple[float, ...]
    rest: float
    more: int  # how many tokens `rest` is the share of


@dataclass(frozen=True)
class Answer:
    """One prediction before a change and after it. `shares` and `rest` hold both."""

    about: Token | None  # the token whose place it is made at; None: the class of the text
    names: tuple[str, ...]
    shares: NDArray[np.float32]  # [name, 2]
    rest: NDArray[np.float32]  # [2]
    more: int


def steps(look: Look, most: int = 10) -> tuple[Step, ...]:
    """A step for each token of the target that was read; the last one is what comes after the target."""
    name = look.model.vocabulary.token
    written = look.run.target_tokens[1:]
    found = []
    for at, row in enumerate(look.run.logits):
        chances = distribution(row).probs
        shares, ids = _likeliest(chances, most)
        token = written[at] if at < len(written) else name(ids[0])
        top = tuple(name(id) for id in ids)
        rest = max(0.0, 1.0 - sum(shares))
        share = float(chances[token.id])
        found.append(Step(token, share, top[0], shares[0], top, tuple(shares), rest, len(chances) - len(ids)))
    return tuple(found)


def logprob(steps: tuple[Step, ...]) -> float:
    """The logarithm of the probability of all that the steps wrote."""
    return sum(log(step.share) if step.share > 0 else -np.inf for step in steps)


def next_token(before: Look, after: Look, at: int, most: int = 5) -> Answer:
    """The word head at a place, before a change and after it."""
    tokens = before.run.target_tokens or before.tokens
    vocabulary = before.model.vocabulary
    both = tuple(distribution(look.run.logits[at]).probs for look in (before, after))
    return _answer(tokens[at], both, lambda id: vocabulary.token(id).text, most)


def words(before: Look, after: Look, at: int) -> tuple[Answer, ...]:
    """An encoder's words for the places that are to be guessed, or where there is none, for the place `at`."""
    places = [i for i, token in enumerate(before.tokens) if token.raw in MASKS][:GROUPS] or [at]
    most = 5 if len(places) == 1 else 3
    return tuple(next_token(before, after, i, most) for i in places)


def classes(before: Look, after: Look, at: int) -> Answer:
    """A classifier's answer: of the text, or where each token has its own, of the token `at`."""
    whole = before.model.config.labels_at == "first"
    both = tuple(distribution(run.labels if whole else run.labels[at]).probs for run in (before.run, after.run))
    names = before.model.classes
    return _answer(
        None if whole else before.tokens[at], both, lambda id: names[id] if id < len(names) else f"{id}", len(both[0])
    )


def _likeliest(chances: Tensor, most: int) -> tuple[list[float], list[int]]:
    """The largest shares and their ids; of equal ones the lowest ids first."""
    ranked = chances.sort(descending=True, stable=True)
    return ranked.values[:most].tolist(), ranked.indices[:most].tolist()


def _answer(about: Token | None, both: tuple[Tensor, ...], name: Callable[[int], str], most: int) -> Answer:
    """The likeliest of both, ordered by the larger share."""
    ids = {id for chances in both for id in _likeliest(chances, most)[1]}
    ranked = sorted(ids, key=lambda id: (-max(float(chances[id]) for chances in both), id))
    shares = np.array([[float(chances[id]) for chances in both] for id in ranked], dtype=np.float32)
    rest = np.maximum(0.0, 1.0 - shares.sum(axis=0)).astype(np.float32)
    return Answer(about, tuple(name(id) for id in ranked), shares, rest, len(both[0]) - len(ranked))
