"""Who holds what, between Python and the browser.

The browser owns a control while a finger is on it; Python owns it otherwise. When the finger rests, the browser
sends one state value `view` (what is chosen, a running number `seq`, and `have`: the revision of the data it holds).
Python answers with its own idea of the view and the `seq` it has seen: an answer to an older `seq` is stale and is
ignored there, an answer that differs from what was sent wins. When the browser already holds the data, only that
small answer crosses the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from app.components.wire import pack, revision

View = dict[str, Any]


def _reported(key: str) -> View:
    state = st.session_state.get(key)
    view = state.get("view") if isinstance(state, Mapping) else None
    return dict(view) if isinstance(view, Mapping) else {}


def mount(
    render: ComponentRenderer,
    *,
    key: str,
    view: View,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    clean: Callable[[View], View],
    on_change: Callable[[View], None] | None = None,
    triggers: Mapping[str, Callable[[], None] | None] | None = None,
) -> tuple[View, Mapping[str, Any]]:
    """Show the component; return the view now in force and the trigger values of this run (None where none).

    `clean` turns what a browser reported (hostile input) into a valid view. With `on_change` the caller stores the
    view before the script runs and passes it back in as `view`; without it, a view reported in this very run is
    used and returned, and the caller is expected to pass it back next time.
    """
    moved = f"{key}:moved"

    def changed() -> None:
        st.session_state[moved] = True
        if on_change is not None:
            on_change(clean(_reported(key)))

    reported = _reported(key)
    if st.session_state.pop(moved, False) and on_change is None:
        view = clean(reported)
    seq = reported.get("seq")
    answer = {"view": view, "seq": seq if isinstance(seq, int) else 0}

    payload = pack(header, arrays)
    rev = revision(payload)
    if reported.get("have") == rev:
        data = pack({"rev": rev, **answer}, {})
    else:
        data = pack({"rev": rev, "full": True, **header, **answer}, arrays)

    names = triggers or {}
    callbacks: dict[str, Any] = {f"on_{name}_change": callback or _nothing for name, callback in names.items()}
    result = render(key=key, data=data, on_view_change=changed, **callbacks)
    return view, {name: result.get(name) for name in names}


def _nothing() -> None:
    """A trigger exists only if it has a callback."""
