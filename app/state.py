"""What is on the screen, in one place: kept for the session, and written into the address so that it can be shared.

The view is the path, its state the query: `/attention?text=The+cat+sat&layer=1&head=2`. Every value comes from an
address that anybody can type, so it is parsed as hostile input: one that is not valid falls back to its default, and
a line says so. This module alone touches `st.session_state` and `st.query_params`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, Literal

import streamlit as st

from app import mask
from app.words import _

MAX_TEXT = 20_000  # letters: what an address may carry, and more than any model here reads
MAX_DRAWN = 4_096  # ids in `continuation`
MAX_BRANCHES = 8
MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class State:
    """The shared state of all views. None means: not chosen, take what the model suggests."""

    model: str | None = None
    text: str | None = None
    target: str | None = None
    text2: str | None = None
    mask: str | None = None  # as in `app.mask`; None: the model's own
    layer: int | None = None
    head: int | None = None
    token: int | None = None
    part: Literal["encoder.attn", "decoder.attn", "decoder.cross"] | None = None
    show: Literal["pattern", "scores"] = "pattern"  # which kind of attention map
    step: int | None = None
    tab: Literal["steps", "maps", "beams"] = "steps"  # of a translation
    width: int = 4  # lines that a beam search follows
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 7
    continuation: tuple[int, ...] = ()
    topic: Literal["maps", "meanings", "mixture", "blank", "class"] = "maps"  # of the view Encoder
    depth: int | None = None  # how far up a word's vector is taken: 0 is the embedding, before any context
    cloud: Literal["path", "words"] = "path"  # what a projection shows: one word at all depths, or all words at one
    amount: float = 1.0  # of attention, from 0 (each word is itself) to 1


def _text(value: str) -> str:
    if len(value) > MAX_TEXT:
        raise ValueError
    return value


def _count(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= 10):
        raise ValueError
    return int(value)


def _one_to(most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not 1 <= (number := _count(value)) <= most:
            raise ValueError
        return number

    return parse


def _seed(value: str) -> int:
    seed = _count(value)
    if seed > MAX_SEED:
        raise ValueError
    return seed


_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{0,20})?(e-[0-9]{1,3})?", re.ASCII)


def _number(low: float, high: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        number = float(value) if _NUMBER.fullmatch(value) else float("nan")
        if not (isfinite(number) and low <= number <= high):
            raise ValueError
        return number

    return parse


def _ids(value: str) -> tuple[int, ...]:
    ids = tuple(_count(part) for part in value.split("."))
    if len(ids) > MAX_DRAWN:
        raise ValueError
    return ids


def _one_of(*known: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in known:
            raise ValueError
        return value

    return parse


MAX_TEMPERATURE = 2.0
PARSE: Mapping[str, Callable[[str], Any]] = {
    "model": _text,
    "text": _text,
    "target": _text,
    "text2": _text,
    "mask": mask.check,
    "layer": _count,
    "head": _count,
    "token": _count,
    "part": _one_of("encoder.attn", "decoder.attn", "decoder.cross"),
    "show": _one_of("pattern", "scores"),
    "step": _count,
    "tab": _one_of("steps", "maps", "beams"),
    "width": _one_to(6),
    "temperature": _number(0.0, MAX_TEMPERATURE),
    "top_k": _count,
    "top_p": _number(0.0, 1.0),
    "seed": _seed,
    "continuation": _ids,
    "topic": _one_of("maps", "meanings", "mixture", "blank", "class"),
    "depth": _count,
    "cloud": _one_of("path", "words"),
    "amount": _number(0.0, 1.0),
}


def parse(query: Mapping[str, str]) -> tuple[State, list[str]]:
    """The state that an address asks for, and a sentence for each value that is not valid."""
    found, wrong = {}, []
    for name, read in PARSE.items():
        if name in query:
            try:
                found[name] = read(query[name])
            except ValueError:
                wrong.append(
                    _("The address asks for {name} “{value}”, which is not valid; the default is shown.").format(
                        name=name, value=query[name][:40]
                    )
                )
    return State(**found), wrong


def address(state: State) -> dict[str, str]:
    """The query that brings `state` back: what differs from the default, in a fixed order."""
    default = State()
    query = {}
    for field in fields(State):
        value = getattr(state, field.name)
        if value is not None and value != getattr(default, field.name):
            query[field.name] = ".".join(map(str, value)) if field.name == "continuation" else _plain(value)
    return query


def _plain(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def open_page(view: str) -> State:
    """The state at the start of a view's script run: the address where somebody followed a link, else the session's.

    Streamlit empties the query when a visitor goes to another view; the state goes along all the same. A run that a
    control caused may bring an address from before the last one that was written, so it is not looked at.
    """
    if st.session_state.get("view") != view:
        st.session_state["view"], st.session_state["delivered"] = view, False
    query = st.query_params.to_dict()
    moved = st.session_state.pop("moved", False)
    if "state" not in st.session_state or (query and query != st.session_state.get("address") and not moved):
        state, wrong = parse(query)
        change(**{field.name: getattr(state, field.name) for field in fields(State)})
        st.session_state["wrong"] = wrong
        st.session_state.pop("moved")
    return current()


def current() -> State:
    """The state as it stands."""
    state: State = st.session_state.setdefault("state", State())
    return state


def change(**values: Any) -> None:
    """Change values, also from a widget's callback. What no longer fits goes: another text has no continuation yet."""
    old = current()
    new = replace(old, **values)
    if (new.text, new.model) != (old.text, old.model):
        fresh: dict[str, Any] = {"continuation": (), "step": None, "token": None, "target": None}
        new = replace(new, **{name: values.get(name, value) for name, value in fresh.items()})
        if new.mask and mask.size(new.mask):  # made for so many tokens
            new = replace(new, mask=values.get("mask"))
        st.session_state["branches"] = []
        st.session_state["drawing"] = None
    elif old.mask and mask.kind(old.mask) == "hand":
        st.session_state["drawing"] = old.mask
    if new.model != old.model:
        given: dict[str, Any] = {name: values.get(name) for name in ("layer", "head", "depth", "mask")}
        new = replace(new, **given)
    st.session_state["state"] = new
    st.session_state["wrong"] = []
    st.session_state["moved"] = True


def give_up(name: str, sentence: str) -> None:
    """Put a value back to its default and say why: for what only a model can judge, like a layer it does not have."""
    found = [*complaints(), sentence]
    change(**{name: getattr(State(), name)})
    st.session_state["wrong"] = found


def close_page(whole: bool = False) -> None:
    """Write the state into the address, at the end of a script or fragment run; `whole` says that it was a script's."""
    if whole:
        st.session_state["delivered"] = True
    query = address(current())
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    st.session_state["address"] = query
    st.session_state.pop("moved", None)


def complaints() -> list[str]:
    """What was wrong with the address that was opened."""
    found: list[str] = st.session_state.get("wrong", [])
    return found


def branches() -> list[tuple[int, ...]]:
    """The continuations of this text that were left for another one, newest last, the present one included."""
    kept: list[tuple[int, ...]] = st.session_state.setdefault("branches", [])
    now = current().continuation
    for known in [known for known in kept if known == now[: len(known)]]:
        kept.remove(known)  # the present one has grown out of it
    if now and not any(now == known[: len(now)] for known in kept):
        kept.append(now)
    del kept[:-MAX_BRANCHES]
    return kept


def drawing() -> str | None:
    """The mask that was last drawn by hand over this text, to compare with others and come back to."""
    found: str | None = st.session_state.get("drawing")
    return found


def widget(key: str, value: Any) -> str:
    """Give a widget its value before it is drawn, and only if it is another one: setting it disturbs who is typing.

    Returns the key to draw it with. It is the view's own: Streamlit lets a widget's value go when the visitor goes to
    another view, but a run later than a widget of the same name there looks for it. As long as no run of this view
    came to its end, the value is given each time: of a run that was cut off the browser may have seen nothing.
    """
    own = _own(key)
    if st.session_state.get(own) != value or not st.session_state.get("delivered"):
        st.session_state[own] = value
    return own


def widget_value(key: str, otherwise: Any = None) -> Any:
    """What a widget of the view holds, for its callback; `otherwise` where the visitor has gone to another view."""
    return st.session_state.get(_own(key), otherwise)


def from_widget(key: str, name: str) -> Callable[[], None]:
    """The callback of a widget whose value is the state's `name`."""
    own = _own(key)

    def take() -> None:
        if own in st.session_state:
            change(**{name: st.session_state[own]})

    return take


def _own(key: str) -> str:
    return f"{st.session_state.get('view', '')}/{key}"
