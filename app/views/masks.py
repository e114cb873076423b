"""Masks: who may read whom, what that does to a head, and what it does to the prediction."""

import streamlit as st

from app import mask as masks
from app import runs, says, state
from app.components.contrast import contrast
from app.components.encoder import caption
from app.components.grid import GridState, grid
from app.components.page import page
from app.look import Look
from app.says import Answer
from app.views.attention import maps_of
from app.words import _

ROOMY = 12  # tokens whose cells are large in any column
NAMES = {
    "causal": _("Causal"),
    "pad": _("Padding"),
    "both": _("Causal + padding"),
    "none": _("None"),
    "hand": _("By hand"),
}


def show() -> None:
    """Draw the view."""
    page(_picture, runs.look, "masks")


def _picture(look: Look) -> None:
    """The mask, a head under it, and the prediction before and after."""
    mask = _mask(look)
    before = _aimed(look)
    after = runs.masked(look.model.name, look.text, _target(look), mask)
    _choice(look, mask)
    crowded = ROOMY < len(look.tokens) <= masks.LARGEST
    left, middle, right = st.columns([4.7, 4.0, 3.3] if crowded else [3.9, 4.3, 3.8], gap="medium")
    with left:
        _draw(look, mask, 460 if crowded else 380)
    with middle:
        maps_of(after, look.parts[0], "pattern", height=330)
    with right:
        contrast(answers=_answers(before, after), key="contrast")


def _target(look: Look) -> str | None:
    """The target that was given to an encoder-decoder."""
    return state.current().target or None if look.model.config.kind == "seq2seq" else None


def _aimed(look: Look) -> Look:
    """The pass with the model's own mask, over the target that was given, if there is one."""
    target = _target(look)
    return runs.look(look.model.name, look.text, target) if target else look


def _own(look: Look) -> str:
    """The mask that the model was trained with."""
    return "causal" if look.model.config.kind == "decoder" else "none"


def _mask(look: Look) -> str:
    """The mask on the screen: the one in the address, if it is made for so many tokens; else the model's own."""
    asked, n, own = state.current().mask, len(look.tokens), _own(look)
    if asked and masks.size(asked) not in (None, n):
        sentence = _("The address holds a mask for {size} tokens, and this text has {n}; the model's own is shown.")
        state.give_up("mask", sentence.format(size=masks.size(asked), n=n))
    elif asked and masks.kind(asked) == "hand" and n > masks.LARGEST:
        sentence = _("A mask can be drawn by hand for up to {most} tokens, and this text has {n}.")
        state.give_up("mask", sentence.format(most=masks.LARGEST, n=n))
    return masks.settled(state.current().mask, n, own)


def _choice(look: Look, mask: str) -> None:
    """Which kind of mask, and for a padding how many tokens it hides on each side."""
    n, own = len(look.tokens), _own(look)
    names = [name for name in NAMES if name != "hand" or n <= masks.LARGEST]
    kind = masks.kind(mask)
    left, before, after = st.columns([8, 2, 2], vertical_alignment="bottom")
    left.segmented_control(
        _("Mask"),
        names,
        format_func=lambda name: NAMES[name] + (_(" (its own)") if name == own else ""),
        key=state.widget("mask-box", kind),
        required=True,
        on_change=_switch,
    )
    if kind not in ("pad", "both"):
        return
    seen = masks.keys(mask, n)
    hidden = {"left": _leading(seen), "right": _leading(seen[::-1])}
    for side, place, label in (("left", before, _("Hide from the left")), ("right", after, _("Hide from the right"))):
        place.number_input(
            label,
            min_value=0,
            max_value=n,
            step=1,
            key=state.widget(f"hide-{side}", hidden[side]),
            on_change=_hide,
            args=(kind, n, side, hidden),
        )


def _leading(seen: tuple[bool, ...]) -> int:
    """How many are hidden before the first that is seen."""
    return next((i for i, each in enumerate(seen) if each), len(seen))


def _switch() -> None:
    """Another kind: a padding keeps what is hidden, a drawing is the last one or starts from what was there."""
    now = state.current().mask
    kind = state.widget_value("mask-box", now)
    n = masks.size(now) if now else None
    if kind in ("pad", "both") and now and n and masks.kind(now) != "hand":
        state.change(mask=masks.padding(kind, masks.keys(now, n)))
    elif kind == "hand" and state.drawing():
        state.change(mask=state.drawing())
    elif kind == "hand" and now:
        state.change(
            mask=masks.drawn(masks.matrix(now, n)) if n else "hand:" + now if now in ("causal", "none") else kind
        )
    else:
        state.change(mask=kind)


def _hide(kind: str, n: int, side: str, hidden: dict[str, int]) -> None:
    count = {**hidden, side: state.widget_value(f"hide-{side}", hidden[side])}
    state.change(mask=masks.padding(kind, [count["left"] <= i < n - count["right"] for i in range(n)]))


def _draw(look: Look, mask: str, width: int) -> None:
    n = len(look.tokens)
    if n > masks.LARGEST:
        sentence = _("This text has {n} tokens; a mask can be drawn cell by cell for up to {most}.")
        caption(sentence.format(n=n, most=masks.LARGEST))
        return
    grid(tokens=look.tokens, mask=mask, width=width, key="grid", on_change=_store)


def _store(view: GridState) -> None:
    state.change(mask=view.mask)


def _answers(before: Look, after: Look) -> list[tuple[str, Answer]]:
    """What the model says with its own mask and with this one, each with a title."""
    config = before.model.config
    if config.kind == "decoder":
        return [(_("The next token, after {token}"), says.next_token(before, after, len(before.tokens) - 1))]
    if config.kind == "seq2seq":
        return [(_("The next token of the target, after {token}"), says.next_token(before, after, _step(before)))]
    token = state.current().token
    at = token if token is not None and token < len(before.tokens) else 0
    answers = (
        [(_("The word at {token}"), answer) for answer in says.words(before, after, at)]
        if "logits" in before.run
        else []
    )
    if config.labels:
        title = _("The class of the text") if config.labels_at == "first" else _("The class of {token}")
        answers.append((title, says.classes(before, after, at)))
    return answers


def _first_word(look: Look) -> int:
    """The first token that the text has itself."""
    return next((i for i, token in enumerate(look.tokens) if not (token.special or token.added)), 0)


def _step(look: Look) -> int:
    """Which token of the target was read last before the next is said; a control, where there are several."""
    last = len(look.run.target_tokens) - 1
    step = state.current().step or 0
    if step > last:
        sentence = _("There is no step {n}: this target has {count}, counted from 0.")
        state.give_up("step", sentence.format(n=step, count=last + 1))
        step = 0
    if last:
        st.slider(
            _("Step"), 0, last, key=state.widget("step-box", step), on_change=state.from_widget("step-box", "step")
        )
    return step
