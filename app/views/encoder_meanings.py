"""One word, two meanings: the vector of a word in several sentences, from the embedding up to the last layer."""

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app import runs, state
from app.components.encoder import around, caption, cosine_table, table
from app.components.page import notice
from app.look import Look
from app.plots.projection import cosines
from app.views.encoder_planes import planes
from app.views.encoder_words import Place, choose_word, chosen, longest
from app.words import _
from core import GlassformerError
from core.text import Token

MOST = 6  # sentences, and places of a word: more cannot be told apart


def picture(look: Look) -> None:
    """The word in this text and in others: cosines at one layer, and the words on a plane."""
    left, right = st.columns([5, 7], gap="medium")
    with left:
        token = chosen(look, lambda: _telling_word(look))
        looks = _sentences(look, token)
        word, depth = st.columns([1, 1.25])
        with word:
            choose_word(look, token)
        stations = _stations(look)
        with depth:
            at = _depth(list(stations))
        places = _places(looks, look.tokens[token].id)
        vectors = np.stack([[p.look.tensor(site)[p.token] for site in stations.values()] for p in places])
        _cosines(look.tokens[token], places, list(stations), vectors, at)
    with right:
        planes(looks, places, stations, vectors, at)


def _stations(look: Look) -> dict[str, str]:
    """Where on its way a word's vector can be looked at, and the site that holds it there."""
    config = look.model.config
    found = {_("embedding"): "encoder.embed.token"}
    if "encoder.embed.position" in look.run:
        found[_("+ position")] = "encoder.embed.out"
    found |= {_("layer {n}").format(n=i): f"encoder.{i}.resid_post" for i in range(config.layers("encoder"))}
    if config.final_norm:
        found[_("last norm")] = "encoder.final"
    return found


def _telling_word(look: Look) -> int:
    """The longest word that another sentence uses too, so that there is something to compare; else the longest."""
    typed = state.current().text2
    ids = set().union(*(_ids(look, line) for line in (_samples(look) if typed is None else _lines(typed))))
    shared = tuple(token for token in look.tokens if token.id in ids and not token.special)
    return look.tokens.index(shared[longest(shared)]) if shared else longest(look.tokens)


def _samples(look: Look) -> list[str]:
    """The model's own sentences, without the one on the screen."""
    return [sample.replace("\n", " ") for sample in runs.samples(look.model.name) if sample != look.text]


def _ids(look: Look, line: str) -> set[int]:
    """The tokens of a line, by id; none where the model cannot read it."""
    try:
        return {token.id for token in look.model.vocabulary.encode(line)}
    except GlassformerError:
        return set()


def _lines(typed: str) -> list[str]:
    return [line for line in typed.splitlines() if line.strip()]


def _sentences(look: Look, token: int) -> list[Look]:
    """The text and the sentences below it, read. None typed yet: samples that use the word, or the first sample."""
    typed = state.current().text2
    if typed is None:
        every = _samples(look)
        using = [line for line in every if look.tokens[token].id in _ids(look, line)] or every[:1]
        typed = "\n".join(using[: MOST - 2])
    st.text_area(
        _("More sentences, one per line"),
        key=state.widget("text2-box", typed),
        on_change=state.from_widget("text2-box", "text2"),
        height=90,
    )
    lines = _lines(typed)
    if len(lines) > MOST - 1:
        notice(_("The first {n} lines are read.").format(n=MOST - 1))
    looks = [look]
    for line in lines[: MOST - 1]:
        try:
            looks.append(runs.look(look.model.name, line))
        except GlassformerError as error:
            notice(str(error))
    return looks


def _depth(stations: Sequence[str]) -> int:
    """The station on the screen, and a slider for it."""
    asked = state.current().depth
    if asked is not None and asked >= len(stations):
        sentence = _("This model has no depth {n}: it has {count}, counted from 0, the embedding.")
        state.give_up("depth", sentence.format(n=asked, count=len(stations)))
        asked = None
    at = len(stations) - 1 if asked is None else asked
    st.select_slider(
        _("Layer"),
        range(len(stations)),
        format_func=lambda i: stations[i],
        key=state.widget("depth-box", at),
        on_change=state.from_widget("depth-box", "depth"),
    )
    return at


def _places(looks: Sequence[Look], id: int) -> list[Place]:
    """Everywhere that the word stands: 1, 2, 3 by sentence, 2a and 2b where one has it twice."""
    found = []
    for sentence, look in enumerate(looks):
        here = [i for i, token in enumerate(look.tokens) if token.id == id]
        letters = ascii_lowercase if len(here) > 1 else [""]
        found += [
            (nth, Place(sentence, look, i, f"{sentence + 1}{a}"))
            for nth, (i, a) in enumerate(zip(here, letters, strict=False))
        ]
    kept = sorted(found, key=lambda ranked: ranked[0])[:MOST]  # every sentence's first before any second
    return sorted((place for _nth, place in kept), key=lambda place: (place.sentence, place.token))


def _cosines(
    word: Token, places: Sequence[Place], stations: Sequence[str], vectors: NDArray[np.float32], at: int
) -> None:
    """A cosine for each pair of places, at the chosen station; at all stations as a table within reach."""
    every = [cosines(vectors[:, i]) for i in range(len(stations))]
    title = _("Cosine of “{word}” with itself: {station}").format(word=word.text, station=stations[at])
    names, groups = [p.name for p in places], [p.sentence for p in places]
    letters = 16 if len(places) < 5 else 6
    lines = [around(p.look.text, p.look.tokens[p.token].start, p.look.tokens[p.token].end, letters) for p in places]
    pairs = [(a, b) for a in range(len(places)) for b in range(a + 1, len(places))]
    numbers = table(
        [_("Layer"), *(f"{names[a]} · {names[b]}" for a, b in pairs)],
        [[station, *(f"{every[i][a, b]:.4f}" for a, b in pairs)] for i, station in enumerate(stations)],
        _("All layers as a table"),
    )
    st.html(cosine_table(names, groups, lines, every[at], title) + (numbers if pairs else ""))
    if pairs:
        low, high = min(pairs, key=lambda pair: every[-1][pair]), every[0]
        caption(
            _("In the embedding, the word is the same everywhere: {0}. After the last layer, {1} and {2}: {3}."),
            f"{high[low]:.2f}",
            names[low[0]],
            names[low[1]],
            f"{every[-1][low]:.2f}",
        )
    else:
        notice(_("None of the other sentences has the token “{word}”: type one above that has.").format(word=word.text))
