"""A component's files, read from its folder and joined with the shared ones it names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from app.theme import palettes

HERE = Path(__file__).parent


def squeeze(text: str) -> str:
    """Without indentation, blank lines and whole-line comments: Streamlit sends the script with each message."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def script(name: str, shared: Sequence[str], parts: Sequence[str] = ()) -> str:
    """The JavaScript of component `name`: palette, `shared/*.js`, its own `parts`, then `<name>.js`."""
    files = [HERE / "shared" / f"{each}.js" for each in shared]
    files += [HERE / name / f"{each}.js" for each in (*parts, name)]
    palette = f"const PALETTES = {json.dumps(palettes())};"
    return "\n".join([palette, *(squeeze(file.read_text(encoding="utf-8")) for file in files)])


def style(name: str) -> str:
    return "\n".join(
        squeeze(file.read_text(encoding="utf-8")) for file in (HERE / "shared/base.css", HERE / name / f"{name}.css")
    )


def component(name: str, shared: Sequence[str], parts: Sequence[str] = ()) -> ComponentRenderer:
    """Register `glassformer_<name>` from the files in its folder."""
    return st.components.v2.component(
        f"glassformer_{name}",
        html=(HERE / name / f"{name}.html").read_text(encoding="utf-8"),
        css=style(name),
        js=script(name, shared, parts),
    )
