"""What the text says: the class, and the way to it from the vector of the first token."""

from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app import heads, state
from app.components.encoder import bars, caption, percent, strip, table
from app.components.page import notice
from app.look import Look
from app.plots.mixture import Votes, contributions, ranked
from app.words import _

MOST = 8  # classes with a bar, the likeliest
DRAWN = 3  # classes whose votes are drawn
FORMULAS = {"tanh": "tanh(x W + c)", "relu": "relu(x W + c)", "none": "x"}


def picture(look: Look) -> None:
    """The class of the text with its path, or the class of every token."""
    config = look.model.config
    if not config.labels:
        notice(_("{name} has no classifier: it gives a text no class.").format(name=look.model.name))
    elif config.labels_at == "first":
        _text(look)
    else:
        _tokens(look)


def _text(look: Look) -> None:
    """From the first token's vector through the pooler to the classes, each number on the way within reach."""
    config, names, shares = look.model.config, look.model.classes, heads.classes(look)
    order = ranked(shares)[:MOST]
    best = order[0]
    first = look.tensor("encoder.final")[0]
    pooled = look.tensor("pooler") if config.pooler != "none" else first
    weights, bias = heads.votes(look)
    votes, logits = contributions(pooled, weights[order]), look.tensor("labels")
    left, right = st.columns([7, 5], gap="medium")
    with left:
        token = look.tokens[0].text
        steps = [
            strip(
                first,
                _("1 · The vector of {token} after the last layer").format(token=token),
                "x",
                _("The vector of the first token, {n} numbers.").format(n=len(first)),
            )
        ]
        if config.pooler != "none":
            steps.append(
                strip(pooled, _("2 · Made ready by the pooler"), FORMULAS[config.pooler], _("What the pooler gives."))
            )
        for place, i in enumerate(order[:DRAWN]):
            terms = (f"{x:+.2f}".replace("-", "−") for x in (votes.sums[place], bias[i], logits[i]))
            made = _("number × weight: sum {0}, bias {1}: {2}").format(*terms)
            steps.append(
                strip(
                    votes.parts[place],
                    _("3 · What speaks for “{name}”").format(name=names[i]),
                    made,
                    _("What each number adds to “{name}”.").format(name=names[i]),
                    votes.largest,
                )
            )
        st.html(
            f'<div class="glass-path">{"".join(steps)}</div>'
            + _numbers([names[i] for i in order], first, pooled, votes, config.pooler)
        )
    with right:
        st.html(f'<p class="glass-sub">{escape(_("4 · Softmax: the class of the text"))}</p>')
        label = _("The text is “{name}” with probability {share}.").format(
            name=names[best], share=percent(shares[best])
        )
        st.html(bars([(names[i], float(shares[i])) for i in order], label, small=len(order) > 4))
        if len(names) > MOST:
            caption(_("The {0} likeliest of {1} classes."), str(MOST), str(len(names)))
        _by_layer(look, order)
        st.button(
            _("What {token} reads").format(token=_escaped(token)),
            help=_("Opens the map of the last layer at the first token: the words that its vector is made of."),
            on_click=_open_first,
            args=(config.layers("encoder") - 1,),
        )


def _numbers(names: list[str], first: NDArray[np.float32], pooled: NDArray[np.float32], votes: Votes, how: str) -> str:
    columns = [first, *([pooled] if how != "none" else []), *votes.parts]
    titles = ["#", "x", *([_("pooler")] if how != "none" else []), *(f"→ {name}" for name in names)]
    rows = [[str(i), *(f"{column[i]:.4f}" for column in columns)] for i in range(len(first))]
    rows.append([_("sum"), *([""] * (len(columns) - len(names))), *(f"{x:.4f}" for x in votes.sums)])
    return table(titles, rows, _("All numbers as a table"))


def _by_layer(look: Look, order: list[int]) -> None:
    """How the probability would stand if the classifier read an earlier layer: marked as the comparison that it is."""
    shares, best = heads.early(look), order[0]
    name = look.model.classes[best]
    st.html(f'<p class="glass-sub">{escape(_("If the classifier read an earlier layer"))}</p>')
    rows = [(_("layer {n}").format(n=i), float(row[best])) for i, row in enumerate(shares)]
    label = _("Probability of “{name}” by layer, from {a} to {b}.").format(
        name=name, a=percent(rows[0][1]), b=percent(rows[-1][1])
    )
    st.html(bars(rows, label, strong=len(rows) - 1, small=len(rows) > 4))
    caption(
        _("The probability of {0}. Only the last bar is what the model says; it never learnt to read the others."),
        name,
    )


def _tokens(look: Look) -> None:
    """The likeliest class of every token, and all of them as a table."""
    shares, names = heads.classes(look), look.model.classes
    best = [ranked(row)[0] for row in shares]
    caption(_("This model gives a class to each token, from the token's own vector after the last layer."))
    said = [f"{names[k]} {percent(shares[i, k])}" for i, k in enumerate(best)]
    chips = "".join(
        f"<span><bdi>{escape(token.text)}</bdi><small>{escape(note)}</small></span>"
        for token, note in zip(look.tokens, said, strict=True)
    )
    label = ", ".join(f"{token.text}: {names[best[i]]}" for i, token in enumerate(look.tokens[:40]))
    st.html(f'<div class="glass-chips" role="img" aria-label="{escape(label)}">{chips}</div>')
    rows = [[str(i), token.text, *(f"{x:.4f}" for x in shares[i])] for i, token in enumerate(look.tokens)]
    st.html(table(["#", _("Token"), *names], rows, _("All probabilities as a table")))


def _open_first(layer: int) -> None:
    state.change(topic="maps", token=0, layer=layer)


def _escaped(text: str) -> str:
    """A token's text in a label that is read as Markdown."""
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]()<>#+-.!|~$:" else letter for letter in text)
