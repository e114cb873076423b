"""Small pictures of the view Encoder, as HTML: bars, a table of cosines, vectors as strips. All text is escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.plots.thumbnail import thumbnail
from app.theme import DARK, LIGHT
from app.words import _
from core.text import Token

_CSS = Path(__file__).with_name("encoder.css").read_text(encoding="utf-8")
SIGNS = ("●", "■", "◆", "▲", "★", "✕")  # the signs of `plots.cloud`, in its order


def style() -> None:
    """The style of these pictures; once in a view that shows them."""
    st.html(f"<style>{_CSS}</style>")


def caption(sentence: str, *parts: str, live: bool = True) -> None:
    """A sentence with numbers under or over a picture; `{0}`, `{1}`, ... stand for `parts`, which are set off."""
    shown = escape(sentence)
    for i, part in enumerate(parts):
        shown = shown.replace(f"{{{i}}}", f"<bdi>{escape(part)}</bdi>")
    st.html(f'<p class="glass-caption"{" aria-live=polite" if live else ""}>{shown}</p>')


def bars(rows: Sequence[tuple[str, float]], label: str, strong: int = 0, small: bool = False) -> str:
    """Bars for names and their shares; a full bar is 1. `label` says in a sentence what one sees."""
    drawn = "".join(
        f"<li{' class=strong' if i == strong else ''}><bdi>{escape(name)}</bdi>"
        f'<i style="width:{share * 100:.2f}%"></i><b>{percent(share)}</b></li>'
        for i, (name, share) in enumerate(rows)
    )
    kind = " small" if small else ""
    return f'<ol class="glass-bars{kind}" role="img" aria-label="{escape(label)}">{drawn}</ol>'


def percent(share: float) -> str:
    """A share of 1 with one digit after the point, and never a zero for what is not zero."""
    return f"{share:.1%}" if share >= 0.0005 or share == 0 else "< 0.1%"


def sentence(tokens: Sequence[Token], marks: Mapping[int, str]) -> str:
    """The tokens in a row, those in `marks` set off and followed by what `marks` says of them."""
    pieces = []
    for i, token in enumerate(tokens):
        if i in marks:
            note = f"<sub>{escape(marks[i])}</sub>" if marks[i] else ""
            pieces.append(f"<mark><bdi>{escape(token.text)}</bdi>{note}</mark>")
        else:
            pieces.append(f"<span{' class=quiet' if token.added else ''}><bdi>{escape(token.text)}</bdi></span>")
    return f'<p class="glass-sentence">{" ".join(pieces)}</p>'


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> str:
    """A table of numbers within reach: closed until it is asked for."""
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join("<tr>" + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<details class="glass-numbers"><summary>{escape(name)}</summary><div><table><tr>{top}</tr>{body}</table>'
        "</div></details>"
    )


def cosine_table(
    names: Sequence[str], groups: Sequence[int], lines: Sequence[str], values: NDArray[np.floating], title: str
) -> str:
    """Cosines, each in a cell whose colour is its size. `lines` are ready HTML, what each row is (see `around`)."""
    top = "".join(f'<th scope="col">{_badge(name, group)}</th>' for name, group in zip(names, groups, strict=True))
    rows = ""
    for name, group, line, row in zip(names, groups, lines, values, strict=True):
        cells = "".join(
            f'<td style="--share:{max(0.0, min(1.0, float(value))) * 100:.1f}%"'
            f"{' class=strong' if value > 0.6 else ''}>{value:.2f}</td>"
            for value in row
        )
        rows += f'<tr><th scope="row">{_badge(name, group)}<span>{line}</span></th>{cells}</tr>'
    many, columns = " many" if len(names) > 4 else "", "<col>" * (len(names) + 1)
    return (
        f'<table class="glass-cosines{many}"><caption>{escape(title)}</caption><colgroup>{columns}</colgroup>'
        f"<tr><td></td>{top}</tr>{rows}</table>"
    )


def _badge(name: str, group: int) -> str:
    light, dark = (palette.series[group % len(palette.series)] for palette in (LIGHT, DARK))
    sign = SIGNS[group % len(SIGNS)]
    return f'<b class="glass-badge" style="color:light-dark({light},{dark})">{sign} {escape(name)}</b>'


def around(text: str, start: int, end: int, letters: int = 16) -> str:
    """The word at start..end of a text, set off, with a little of what stands around it."""
    before, after = text[max(0, start - letters) : start], text[end : end + letters]
    return (
        f"<bdi>{'…' if start > letters else ''}{escape(before)}<em>{escape(text[start:end])}</em>"
        f"{escape(after)}{'…' if end + letters < len(text) else ''}</bdi>"
    )


def strip(values: NDArray[np.floating], title: str, formula: str, label: str, largest: float | None = None) -> str:
    """A vector as a row of cells, with its first numbers in writing. `formula` is shown beside the title."""
    first = "  ".join(f"{value:+.2f}".replace("-", "−") for value in values[:6].tolist())
    more = " …" if len(values) > 6 else ""
    image = thumbnail(values[None], most=1024, largest=largest)
    size = _("{n} numbers").format(n=len(values))
    return (
        f'<div class="glass-strip"><p><b>{escape(title)}</b> <span>{escape(formula)}</span></p>'
        f'<img role="img" alt="{escape(label)}" src="{image}"><p class="numbers">{first}{more}<span>{size}</span></p>'
        "</div>"
    )
