"""What every view has in common: the sentence and the model above, the picture, the explanation below."""

from collections.abc import Callable
from html import escape
from pathlib import Path

import streamlit as st

from app import runs, state
from app.runs import Story
from app.words import _, prose
from core import GlassformerError

Body = Callable[[Story], None]
_CSS = Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def page(body: Body, explanation: str, heading: str | None = None) -> None:
    """Draw a view: `body` draws the picture of a story, `explanation` names the text that says what one sees.

    What moves in the picture reruns the body alone. A text that cannot be read is answered with a sentence; it stays
    in its box, and no older picture is shown in place of its own.
    """
    state.open_page()
    st.html(f"<style>{_CSS}</style>")
    if heading:
        st.html(heading)
    story = _story()
    if story is not None:
        _body(body, story)
    with st.expander(_("What am I looking at?")):
        st.markdown(prose(explanation))
    state.close_page()


@st.fragment
def _body(body: Body, story: Story) -> None:
    above = st.container()
    try:
        body(story)
    except GlassformerError as error:
        notice(str(error))
    with above:
        for line in state.complaints():
            notice(line)
    state.close_page()


def _story() -> Story | None:
    """The controls for model and text, and the story that they choose; None where there is none to show."""
    name = state.current().model or runs.names()[0]
    if name not in runs.names():
        state.give_up("model", _("There is no model “{name}” here; another is shown.").format(name=name[:40]))
        name = runs.names()[0]
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
        list(runs.names()),
        key=state.widget("model-box", name),
        on_change=state.from_widget("model-box", "model"),
    )
    try:
        return runs.story(name, text)
    except GlassformerError as error:
        notice(str(error))
        _offer_cut(name, text)
        return None


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


def chosen_head(story: Story) -> tuple[int, int]:
    """The layer and head on the screen: those in the address, else one that the model's card points at."""
    config = story.model.config
    layer, head = runs.card(story.model.name).heads.get("coreference", (0, 0))
    return _within("layer", config.n_layers, layer), _within("head", config.n_heads, head)


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
