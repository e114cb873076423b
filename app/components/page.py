"""What every view has in common: the sentence and the model above, the picture, the explanation below."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from app import runs, state
from app.look import Look, Story
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
    state.open_page(explanation)
    st.html(f"<style>{_CSS}</style>")
    if heading:
        st.html(heading)
    _controls(kinds)
    _body(body, read, kinds)
    with st.expander(_("What am I looking at?")):
        st.markdown(prose(explanation))
    state.close_page(whole=True)


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
def _body(body: Callable[[T], None], read: Callable[[str, str], T], kinds: tuple[str, ...]) -> None:
    """The picture of what is chosen *now*: a click may come in one message with the text that was typed before it."""
    above = st.container()
    name, text = _chosen(kinds)
    if runs.kind(name) not in kinds:
        _explain(name, kinds)
    else:
        try:
            found = read(name, text)
        except GlassformerError as error:
            notice(str(error))
            _offer_cut(name, text)
        else:
            _draw(body, found)
    with above:
        for line in state.complaints():
            notice(line)
    state.close_page()


def _draw(body: Callable[[T], None], found: T) -> None:
    try:
        body(found)
    except GlassformerError as error:
        notice(str(error))


def again() -> None:
    """Draw the picture once more with the state as it is now, and nothing else where only the picture was drawn."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:  # the whole page is being drawn
        st.rerun()


def _chosen(kinds: tuple[str, ...]) -> tuple[str, str]:
    """The model and the text on the screen. Where no model was chosen, it is one that has the view."""
    names = runs.names()
    name = state.current().model
    if name is not None and name not in names:
        state.give_up("model", _("There is no model “{name}” here; another is shown.").format(name=name[:40]))
        name = None
    if name is None:
        name = next((name for name in names if runs.kind(name) in kinds), names[0])
    text = state.current().text
    return name, runs.samples(name)[0] if text is None else text


def _controls(kinds: tuple[str, ...]) -> None:
    """The controls for text and model."""
    name, text = _chosen(kinds)
    left, middle, right = st.columns([8, 1.3, 2.2], vertical_alignment="bottom")
    if "\n" in text or "\r" in text:  # a line of its own would lose its line ends
        left.text_area(
            _("Text"),
            key=state.widget("text-lines", text),
            height=68,
            max_chars=state.MAX_TEXT,
            on_change=state.from_widget("text-lines", "text"),
        )
    else:
        left.text_input(
            _("Text"),
            key=state.widget("text-box", text),
            live="300ms",
            max_chars=state.MAX_TEXT,
            placeholder=_("Type a sentence"),
            on_change=state.from_widget("text-box", "text"),
        )
    with middle.popover(_("Examples"), width="stretch"):
        for i, sample in enumerate(runs.samples(name)):
            st.button(sample, key=f"sample-{i}", on_click=_take, args=(sample,), width="stretch")
    right.selectbox(
        _("Model"),
        list(runs.names()),
        key=state.widget("model-box", name),
        on_change=state.from_widget("model-box", "model"),
    )


def _take(sample: str) -> None:
    state.change(text=sample)


def _offer_cut(name: str, text: str) -> None:
    """Offer the part of a text that the model can read, where it is too long."""
    limit = runs.config(name).room(0)
    try:
        tokens = runs.vocabulary(name).encode(text)
    except GlassformerError:
        return
    cut = text[: tokens[limit].start] if len(tokens) > limit else ""
    if cut:
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
