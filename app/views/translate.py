"""Translate: an encoder reads the source, a decoder writes the target, and looks across at each step."""

import streamlit as st

from app import runs, says, state
from app.components.beams import beams
from app.components.crossing import CrossingState, crossing
from app.components.encoder import caption
from app.components.page import chosen_head, page
from app.look import Look
from app.plots.maps import window
from app.views.attention import maps_of, part_of
from app.words import _

TABS = {"steps": _("Step by step"), "maps": _("Maps"), "beams": _("Beams")}
CROSS = "decoder.cross"


def show() -> None:
    """Draw the view."""
    page(_picture, runs.look, "translate", kinds=("seq2seq",))


def _picture(written: Look) -> None:
    """What the model writes by itself, or reads of a target that was given."""
    now = state.current()
    left, right = st.columns([4, 8], vertical_alignment="bottom")
    left.segmented_control(
        _("Show"),
        list(TABS),
        format_func=lambda tab: TABS[tab],
        key=state.widget("tab-box", now.tab),
        required=True,
        on_change=state.from_widget("tab-box", "tab"),
        label_visibility="collapsed",
    )
    if now.tab == "beams":
        _tree(written, right)
        return
    right.text_input(
        _("Target"),
        key=state.widget("target-box", now.target or ""),
        live="300ms",
        placeholder=_("A translation of your own; left empty, the model writes: {text}").format(text=_text(written)),
        on_change=_aim,
    )
    look = runs.look(written.model.name, written.text, now.target or None)
    if now.tab == "maps":
        maps_of(look, part_of(look), "pattern", height=350)
    else:
        _steps(look, now.target or None)


def _text(look: Look) -> str:
    """The target as text."""
    return look.model.vocabulary.running([token.id for token in look.run.target_tokens[1:]])


def _aim() -> None:
    target = state.widget_value("target-box", state.current().target)
    state.change(target=target or None, step=None, token=None)


def _steps(look: Look, target: str | None) -> None:
    """Source and target, and what the step on the screen reads and could write."""
    steps = runs.steps(look.model.name, look.text, target)
    step = state.current().step or 0
    if step >= len(steps):
        sentence = _("There is no step {n}: this target has {count}, counted from 0.")
        state.give_up("step", sentence.format(n=step, count=len(steps)))
        step = 0
    layer, head = chosen_head(look.model, CROSS)
    maps = look.maps("pattern", CROSS)
    first, sent = window(maps, layer)
    crossing(
        sources=look.tokens,
        targets=look.run.target_tokens,
        steps=steps,
        maps=sent,
        first_layer=first,
        n_layers=len(maps),
        layer=layer,
        head=head,
        step=step,
        key="crossing",
        on_change=_store,
    )
    if target is None and steps[-1].token.id not in look.model.stop:
        caption(_("The model has not ended its text; it was stopped after {n} tokens.").format(n=len(steps) - 1))


def _store(view: CrossingState) -> None:
    state.change(layer=view.layer, head=view.head, step=view.step)


def _tree(written: Look, place: st.delta_generator.DeltaGenerator) -> None:
    """The ways that a beam search has followed, and the greedy one for comparison."""
    width = state.current().width
    place.segmented_control(
        _("Beam width"),
        range(1, 7),
        format_func=lambda n: _("1 line") if n == 1 else _("{n} lines").format(n=n),
        key=state.widget("width-box", width),
        required=True,
        on_change=state.from_widget("width-box", "width"),
        label_visibility="collapsed",
    )
    steps = runs.steps(written.model.name, written.text)
    ended = steps[-1].token.id in written.model.stop
    greedy = tuple(step.token for step in (steps if ended else steps[:-1]))
    beams(
        tree=runs.beams(written.model.name, written.text, width),
        width=width,
        stop=written.model.stop,
        greedy=greedy,
        greedy_text=_text(written),
        greedy_logprob=says.logprob(steps if ended else steps[:-1]),
        key="beams",
    )
