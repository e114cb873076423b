"""What every view has in common: the sentence and the model above, the picture, the explanation below."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TypeVar

import streamlit as st

from app import runs, state
from app.runs import Look, Story
from app.words import _, prose
from core import GlassformerError, Model

T = TypeVar("T", Look, Story)
_CSS = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
KINDS = {
    "decoder": _("a decoder: it reads from left to right and writes on"),
    "encoder": _("an encoder: it reads a whole text at once and writes nothing"),
    "seq2seq": _("an encoder-decoder: it reads one text and writes another"),
}


def page(
    body: Callable[[T], None],
    read: Callable[[str, str], T],
    explanation: str,
    kinds: tuple[str, ...] = tuple(KINDS),
    heading: str | None = None,
) -> None:
    """Draw a view: `body` draws the picture of what `read` makes of a model's name and a text.

    `kinds` are the kinds of model that have such a picture, `explanation` names the text that says what one sees.
    What moves in the picture reruns the body alone. A text that cannot be read, and a model that has no such picture,
    are answered with a sentence; what was typed stays, and no older picture is shown in place of its own.
    """
    state.open_page()
    st.html(f"<style>{_CSS}</style>")
    if heading:
        st.html(heading)
    name, text = _controls(kinds)
    if runs.kind(name) in kinds:
        _read(body, read, name, text)
    else:
        _explain(name, kinds)
    with st.expander(_("What am I looking at?")):
        st.markdown(prose(explanation))
    state.close_page()


def _read(body: Callable[[T], None], read: Callable[[str, str], T], name: str, text: str) -> None:
    try:
        found = read(name, text)
    except GlassformerError as error:
        notice(str(error))
        _offer_cut(name, text)
    else:
        _body(body, found)


def _explain(name: str, kinds: tuple[str, ...]) -> None:
    """Say why a model cannot show this view, and offer one that can."""
    notice(
        _("{name} is {kind}. This view is for another kind of model.").format(name=name, kind=KINDS[runs.kind(name)])
    )
    for other in runs.names():
        if runs.kind(other) in kinds:
            st.button(_("Open it with {name}").format(name=other), on_click=_choose, args=(other,))


def _choose(name: str) -> None:
    state.change(model=name, text=None)


@st.fragment
def _body(body: Callable[[T], None], found: T) -> None:
    above = st.container()
    try:
        body(found)
    except GlassformerError as error:
        notice(str(error))
    with above:
        for line in state.complaints():
            notice(line)
    state.close_page()


def _controls(kinds: tuple[str, ...]) -> tuple[str, str]:
    """The controls for text and model, and what they say. Where no model was chosen, it is one that has the view."""
    names = runs.names()
    name = state.current().model
    if name is not None and name not in names:
        state.give_up("model", _("There is no model “{name}” here; another is shown.").format(name=name[:40]))
        name = None
    if name is None:
        name = next((name for name in names if runs.kind(name) in kinds), names[0])
    samples = runs.samples(name)
    text = state.current().text
    text = samples[0] if text is None else text
    left, middle, right = st.columns([8, 1.3, 2.2], vertical_alignment="bottom")
    left.text_input(
        _("Text"),
        key=state.widget("text-box", text),
        live="300ms",
        placeholder=_("Type a sentence"),
        on_change=state.from_widget("text-box", "text"),
    )
    with middle.popover(_("Examples"), width="stretch"):
        for i, sample in enumerate(samples):
            st.button(sample, key=f"sample-{i}", on_click=_take, args=(sample,), width="stretch")
    right.selectbox(
        _("Model"),
        list(names),
        key=state.widget("model-box", name),
        on_change=state.from_widget("model-box", "model"),
    )
    return name, text


def _take(sample: str) -> None:
    state.change(text=sample)


def _offer_cut(name: str, text: str) -> None:
    """Offer the part of a text that the model can read, where it is too long."""
    limit = runs.config(name).room(0)
    try:
        tokens = runs.vocabulary(name).encode(text)
    except GlassformerError:
        return
    if len(tokens) > limit:
        cut = text[: tokens[limit].start]
        st.button(_("Read the first {n} tokens").format(n=limit), on_click=_take, args=(cut,))


def chosen_head(model: Model, part: str) -> tuple[int, int]:
    """The layer and head on the screen: those in the address, else one of this part that the model's card points at."""
    stack, place = part.split(".")
    layer, head = runs.card(model.name).heads.get("alignment" if place == "cross" else "coreference", (0, 0))
    n_layers, n_heads = model.config.layers(stack), model.config.n_heads
    return _within("layer", n_layers, min(layer, n_layers - 1)), _within("head", n_heads, head)


def _within(name: str, count: int, otherwise: int) -> int:
    """The number that the address gives `name`, if there are that many; else `otherwise`."""
    value = getattr(state.current(), name)
    if value is not None and value >= count:
        sentence = _("This model has no {name} {value}: it has {count}, counted from 0.")
        state.give_up(name, sentence.format(name=name, value=value, count=count))
        value = None
    return otherwise if value is None else int(value)


def notice(sentence: str) -> None:
    """A sentence for the visitor. It may quote what was typed, so it is escaped and never read as Markdown."""
    st.html(f'<p class="glass-notice" role="alert">{escape(sentence)}</p>')
