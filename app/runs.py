"""The only place that calls `core` from the app, and the only one with caches. Everything leaves it on the CPU.

A model is loaded once and shared by all sessions. A `Story` is a text that a model reads, with the ways it was
continued; views that show the same text share it, and a control that only changes the picture finds it here.
"""

import gc
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import core
from core.config import Config
from core.library import assets
from core.reading import Reading
from core.sampling import Distribution, Draw, distribution, uniform
from core.text import Token, Vocabulary

KEPT = ("decoder.mask", "decoder.embed.*", "*.masked", "*.pattern", "*.resid_post", "decoder.final")
MAX_READINGS = 512  # steps kept of one text, over all its branches
SENTENCE = "The cat sat because it was tired."  # for a model that suggests none
_computing = threading.BoundedSemaphore(2)  # passes at once: more would only wait for each other


class Story:
    """A text that a model has read, and the tree of its continuations."""

    def __init__(self, model: core.Model, text: str) -> None:
        self.model, self.text = model, text
        self._lock = threading.Lock()
        with _computing:
            self.prompt = model.begin(text, keep=KEPT)
        self._readings: OrderedDict[tuple[int, ...], Reading] = OrderedDict()

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text."""
        return self.prompt.tokens

    def reading(self, drawn: tuple[int, ...] = ()) -> Reading:
        """The model having read the text and then the tokens `drawn`. Steps that are known are not run again."""
        if not drawn:
            return self.prompt
        with self._lock:
            known = next((i for i in range(len(drawn), 0, -1) if drawn[:i] in self._readings), 0)
            reading = self._readings[drawn[:known]] if known else self.prompt
            for i in range(known, len(drawn)):
                with _computing:
                    reading = reading.then(drawn[i])
                self._readings[drawn[: i + 1]] = reading
            self._readings.move_to_end(drawn)
            while len(self._readings) > MAX_READINGS:
                self._readings.popitem(last=False)
        return reading

    def maps(self, kind: str, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """A kind of attention map (pattern, masked) of the newest pass, [layer, head, query, key]."""
        run = self.reading(drawn).run
        layers = range(self.model.config.layers("decoder"))
        return np.stack([run[f"decoder.{i}.attn.{kind}"].float().cpu().numpy() for i in layers])

    def tensor(self, site: str) -> NDArray[np.float32]:
        """A tensor of the text's own pass, by its name."""
        return self.prompt.run[site].float().cpu().numpy()

    def logits(self, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """The logits of the next token, [vocab]."""
        return self.reading(drawn).logits.float().cpu().numpy()

    def chances(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float) -> Distribution:
        """The distribution that the token after `drawn` is drawn from."""
        return distribution(self.reading(drawn).logits, temperature, top_k, top_p)

    def draw(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float, seed: int) -> Draw:
        """Draw the token after `drawn`. The same settings, seed and step draw the same token for everyone."""
        return self.chances(drawn, temperature, top_k, top_p).at(uniform(seed, len(drawn)))

    def written(self, drawn: Sequence[int]) -> str:
        """The text with its continuation."""
        vocabulary = self.model.vocabulary
        return vocabulary.running([*(token.id for token in self.tokens), *drawn])


@dataclass(frozen=True)
class Card:
    """What a built-in model says of itself: sentences to try, and the (layer, head) of heads with a known habit."""

    samples: tuple[str, ...] = ()
    heads: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@st.cache_resource(max_entries=4, show_spinner=False)
def model(name: str) -> core.Model:
    """The model of this name, loaded once for everybody."""
    return core.load(_sources()[name])


@st.cache_resource(max_entries=48, show_spinner=False)
def story(name: str, text: str) -> Story:
    """The text, read by the model of this name."""
    return Story(model(name), text)


@st.cache_resource(show_spinner=False)
def card(name: str) -> Card:
    """The card of a built-in model; an empty one for any other."""
    path = assets() / "models" / name / "card.json"
    if name not in names() or not path.is_file():
        return Card()
    found = json.loads(path.read_text(encoding="utf-8"))
    heads = {habit: (head["layer"], head["head"]) for habit, head in found["heads"].items()}
    return Card(tuple(found["samples"]), heads)


def samples(name: str) -> tuple[str, ...]:
    """Sentences to try with the model of this name."""
    return card(name).samples or (SENTENCE,)


@st.cache_resource(show_spinner=False)
def boot() -> None:
    """Once, when the server starts: load the default model, then tell the collector that all this is here to stay."""
    story(names()[0], samples(names()[0])[0])
    gc.collect()
    gc.freeze()


def names() -> tuple[str, ...]:
    """The models that a visitor may choose, first the one to open with."""
    return tuple(_sources())


def _sources() -> dict[str, str]:
    """What to load for each name: `glassformer --model` may have put a folder before the built-in models."""
    given = os.environ.get("GLASSFORMER_MODEL")
    return {**({Path(given).name: given} if given else {}), **{name: name for name in core.models()}}


def config(name: str) -> Config:
    """The architecture of the model of this name."""
    return model(name).config


def vocabulary(name: str) -> Vocabulary:
    """The vocabulary of the model of this name."""
    return model(name).vocabulary


def uniform_number(seed: int, step: int) -> float:
    """The number in [0, 1) that this step draws with."""
    return uniform(seed, step)
