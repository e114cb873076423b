"""The only place that calls `core` from the app, and the only one with caches. Everything leaves it on the CPU.

A model is loaded once and shared by all sessions. A `Look` is one pass over a text, a `Story` a text that a decoder
reads, with the ways it was continued; views that show the same text share them, and a control that only changes the
picture finds them here.
"""

import gc
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

import core
from app import mask as mask_of
from app import says
from app.words import _
from core.beam import Beams
from core.config import Config
from core.library import assets
from core.reading import Reading
from core.sampling import Distribution, Draw, distribution, uniform
from core.sites import names as site_names
from core.text import Token, Vocabulary

KEPT = ("*.mask", "*.embed.*", "*.masked", "*.pattern", "*.resid_post", "*.final", "pooler", "encoder.*.attn.[vz]")
MAX_READINGS = 512  # steps kept of one text, over all its branches
LONGEST = 32  # tokens that a beam search writes
SENTENCE = "The cat sat because it was tired."  # for a model that suggests none
_computing = threading.BoundedSemaphore(2)  # passes at once: more would only wait for each other


class Look:
    """One pass over a text, and in an encoder-decoder over its target too: what the pictures show.

    A `part` names a kind of map by its place: `encoder.attn`, `decoder.attn`, `decoder.cross`.
    """

    def __init__(self, model: core.Model, text: str, run: core.Run) -> None:
        self.model, self.text, self.run = model, text, run

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text: of an encoder-decoder those of the source."""
        return self.run.tokens

    @property
    def parts(self) -> tuple[str, ...]:
        """The kinds of map that the model has, in the order in which they are computed."""
        every = ("encoder.attn", "decoder.attn", "decoder.cross")
        return tuple(part for part in every if f"{part.replace('.', '.0.', 1)}.pattern" in self.run)

    def axes(self, part: str) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """Who reads in a part, and who is read."""
        target = self.run.target_tokens or self.run.tokens
        queries = self.run.tokens if part == "encoder.attn" else target
        return queries, target if part == "decoder.attn" else self.run.tokens

    def maps(self, kind: str, part: str) -> NDArray[np.float32]:
        """A kind of attention map (pattern, masked) of a part, [layer, head, query, key]."""
        stack, place = part.split(".")
        layers = range(self.model.config.layers(stack))
        return np.stack([self.tensor(f"{stack}.{i}.{place}.{kind}") for i in layers])

    def pattern(self, part: str, layer: int, head: int) -> NDArray[np.float32]:
        """One head's pattern, [query, key]."""
        stack, place = part.split(".")
        return self.run[f"{stack}.{layer}.{place}.pattern"][head].float().cpu().numpy()

    def tensor(self, site: str) -> NDArray[np.float32]:
        """A tensor by its name."""
        return self.run[site].float().cpu().numpy()


class Story:
    """A text that a model has read, and the tree of its continuations."""

    def __init__(self, model: core.Model, text: str) -> None:
        self.model, self.text = model, text
        self._lock = threading.Lock()
        with _computing:
            self.prompt = model.begin(text, keep=_kept(model))
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

    def rows(self, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """What the newest token reads, [layer, head, key]."""
        return Look(self.model, self.text, self.reading(drawn).run).maps("pattern", "decoder.attn")[:, :, -1]

    def logits(self, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """The logits of the next token, [vocab]."""
        return self.reading(drawn).logits.float().cpu().numpy()

    def chances(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float) -> Distribution:
        """The distribution that the token after `drawn` is drawn from."""
        return distribution(self.reading(drawn).logits, temperature, top_k, top_p)

    def draw(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float, seed: int) -> Draw:
        """Draw the token after `drawn`. The same settings, seed and step draw the same token for everyone."""
        return self.chances(drawn, temperature, top_k, top_p).at(uniform(seed, len(drawn)))


def _kept(model: core.Model) -> list[str]:
    """The names of what the pictures need; a model has no tensor for some of the globs."""
    return [name for name in site_names(model.config) if any(fnmatchcase(name, glob) for glob in KEPT)]


@dataclass(frozen=True)
class Card:
    """What a built-in model says of itself: sentences to try, and the (layer, head) of heads with a known habit."""

    samples: tuple[str, ...] = ()
    heads: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@st.cache_resource(max_entries=4, show_spinner=False)
def model(name: str) -> core.Model:
    """The model of this name, loaded once for everybody."""
    return replace(core.load(_sources()[name]), name=name)


@st.cache_resource(max_entries=48, show_spinner=False)
def story(name: str, text: str) -> Story:
    """The text, read by the model of this name."""
    return Story(model(name), text)


@st.cache_resource(max_entries=48, show_spinner=False)
def look(name: str, text: str, target: str | None = None) -> Look:
    """One pass of the model of this name over a text. An encoder-decoder writes the target itself if there is none."""
    if kind(name) == "decoder":
        return Look(model(name), text, story(name, text).prompt.run)
    with _computing:
        return Look(model(name), text, model(name).run(text, target=target, keep=_kept(model(name))))


@st.cache_resource(max_entries=64, show_spinner=False)
def masked(name: str, text: str, target: str | None, mask: str) -> Look:
    """The pass of `look`, with a mask of the visitor's (`app.mask`) over the text and the target as it was."""
    own = look(name, text, target)
    n, kept = len(own.tokens), _kept(own.model)
    padded = mask_of.kind(mask) == ("both" if kind(name) == "decoder" else "pad")  # what the model was trained with
    given = [*mask_of.keys(mask, n)] if padded else torch.from_numpy(mask_of.matrix(mask, n))
    ids = [token.id for token in own.run.target_tokens] or None
    with _computing:
        return Look(own.model, text, own.model.run(text, mask=given, target_ids=ids, keep=kept))


@st.cache_resource(max_entries=48, show_spinner=False)
def steps(name: str, text: str, target: str | None = None) -> tuple[says.Step, ...]:
    """What an encoder-decoder wrote, or would have written, at each step of a target."""
    return says.steps(look(name, text, target))


@st.cache_resource(max_entries=48, show_spinner=False)
def beams(name: str, text: str, width: int) -> Beams:
    """The tree of a beam search that translates a text."""
    with _computing:
        return model(name).beam(text, width=width, max_new_tokens=LONGEST)


@st.cache_resource(show_spinner=False)
def card(name: str) -> Card:
    """The card of a built-in model; an empty one for any other."""
    path = assets() / "models" / name / "card.json"
    if _sources().get(name) != name or not path.is_file():
        return Card()
    found = json.loads(path.read_text(encoding="utf-8"))
    heads = {habit: (head["layer"], head["head"]) for habit, head in found["heads"].items()}
    return Card(tuple(found["samples"]), heads)


def samples(name: str) -> tuple[str, ...]:
    """Sentences to try with the model of this name."""
    return card(name).samples or (SENTENCE,)


@st.cache_resource(show_spinner=False)
def boot() -> None:
    """Once in a server's life: read the first example, then tell the collector that all this is here to stay."""
    with suppress(core.GlassformerError):  # an example that this model cannot read is told where it is shown
        look(names()[0], samples(names()[0])[0])
    gc.collect()
    gc.freeze()


def names() -> tuple[str, ...]:
    """The models that a visitor may choose, first the one to open with."""
    return tuple(_sources())


def _sources() -> dict[str, str]:
    """What to load for each name: `glassformer --model` may have put a folder before the built-in models."""
    built_in = sorted(core.models(), key=lambda name: name != "storyteller")  # the one that a beginner meets first
    given = os.environ.get("GLASSFORMER_MODEL")
    if given in built_in:
        built_in = sorted(built_in, key=lambda name: name != given)
        given = None
    folder = Path(given).name if given else ""
    own = {_("{name} (folder)").format(name=folder) if folder in built_in else folder: given} if given else {}
    return {**own, **{name: name for name in built_in}}


def kind(name: str) -> str:
    """What the model of this name is: decoder, encoder or seq2seq."""
    return model(name).config.kind


def config(name: str) -> Config:
    """The architecture of the model of this name."""
    return model(name).config


def vocabulary(name: str) -> Vocabulary:
    """The vocabulary of the model of this name."""
    return model(name).vocabulary


def uniform_number(seed: int, step: int) -> float:
    """The number in [0, 1) that this step draws with."""
    return uniform(seed, step)
