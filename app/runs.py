"""The only place that calls `core` from the app, and the only one with caches. Everything leaves it on the CPU.

A model is loaded once and shared by all sessions. A `Look` is one pass over a text, a `Story` a text that a decoder
reads, with the ways it was continued; views that show the same text share them, and a control that only changes the
picture finds them here.
"""

import gc
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st
import torch

import core
from app import mask as mask_of
from app import says
from app.look import Look, Story, computing, kept
from app.words import _
from core.beam import Beams
from core.config import Config
from core.library import assets
from core.sampling import uniform
from core.text import Vocabulary

LONGEST = 32  # tokens that a beam search writes
SENTENCE = "The cat sat because it was tired."  # for a model that suggests none


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
    with computing:
        return Look(model(name), text, model(name).run(text, target=target, keep=kept(model(name))))


@st.cache_resource(max_entries=64, show_spinner=False)
def masked(name: str, text: str, target: str | None, mask: str) -> Look:
    """The pass of `look`, with a mask of the visitor's (`app.mask`) over the text and the target as it was."""
    own = look(name, text, target)
    n = len(own.tokens)
    padded = mask_of.kind(mask) == ("both" if kind(name) == "decoder" else "pad")  # what the model was trained with
    given = [*mask_of.keys(mask, n)] if padded else torch.from_numpy(mask_of.matrix(mask, n))
    ids = [token.id for token in own.run.target_tokens] or None
    with computing:
        return Look(own.model, text, own.model.run(text, mask=given, target_ids=ids, keep=kept(own.model)))


@st.cache_resource(max_entries=48, show_spinner=False)
def steps(name: str, text: str, target: str | None = None) -> tuple[says.Step, ...]:
    """What an encoder-decoder wrote, or would have written, at each step of a target."""
    return says.steps(look(name, text, target))


@st.cache_resource(max_entries=48, show_spinner=False)
def beams(name: str, text: str, width: int) -> Beams:
    """The tree of a beam search that translates a text."""
    with computing:
        return model(name).beam(text, width=width, max_new_tokens=LONGEST)


@st.cache_resource(show_spinner=False)
def card(name: str) -> Card:
    """The card of a built-in model; an empty one for any other."""
    path = assets() / "models" / name / "card.json"
    if _sources().get(name) != name or not path.is_file():
        return Card()
    found = json.loads(path.read_text(encoding="utf-8"))
    heads = {habit: (head["layer"], head["head"]) for habit, head in found.get("heads", {}).items()}
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
