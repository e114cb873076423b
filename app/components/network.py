"""The network at a glance: its parts in the order in which they run, each with its real size and real numbers."""

from collections.abc import Iterator
from html import escape

import streamlit as st

from app.plots.thumbnail import thumbnail
from app.runs import Story
from app.words import _
from core.sampling import distribution

TOP = 5


def network(story: Story) -> None:
    """Draw the way from the text to the next token, with the tensors that this text's own pass computed."""
    parts = "".join([*_before(story), *_layers(story), *_after(story)])
    st.html(f'<div class="glass-network" role="img" aria-label="{escape(_label(story))}">{parts}</div>')


def _label(story: Story) -> str:
    config = story.model.config
    return _(
        "From {n} tokens through {layers} layers of {heads} heads each to {vocab} numbers, one for each token."
    ).format(n=len(story.tokens), layers=config.n_layers, heads=config.n_heads, vocab=config.vocab_size)


def _before(story: Story) -> Iterator[str]:
    n, config = len(story.tokens), story.model.config
    yield _part(_("Tokens"), str(n), _words(story))
    yield _part(
        _("Embedding + position") if "decoder.embed.position" in story.prompt.run else _("Embedding"),
        f"{n} × {config.d_model}",
        _image(story, "decoder.embed.out"),
    )


def _layers(story: Story) -> Iterator[str]:
    n, config = len(story.tokens), story.model.config
    for layer in range(config.n_layers):
        maps = story.tensor(f"decoder.{layer}.attn.pattern")
        shown = "".join(f'<img alt="" src="{thumbnail(head, 48)}">' for head in maps[:8])
        more = f"<span>+{len(maps) - 8}</span>" if len(maps) > 8 else ""
        yield _part(
            _("Layer {n}").format(n=layer),
            _("{heads} heads · {n} × {n}").format(heads=config.n_heads, n=n),
            f'<div class="heads">{shown}{more}</div>'
            f'<div class="net">{_("net")} {config.d_model}→{config.d_ff}→{config.d_model}</div>'
            + _image(story, f"decoder.{layer}.resid_post"),
            "layer",
        )


def _after(story: Story) -> Iterator[str]:
    chances = distribution(story.prompt.logits)
    probabilities, ids = chances.probs.topk(min(TOP, len(chances.probs)))
    rows = "".join(
        f'<li><bdi>{escape(story.model.vocabulary.token(id).text)}</bdi><i style="width:{share * 100:.1f}%"></i>'
        f"<b>{share:.0%}</b></li>"
        for share, id in zip(probabilities.tolist(), ids.tolist(), strict=True)
    )
    yield _part(_("Next token"), f"1 × {story.model.config.vocab_size}", f"<ol>{rows}</ol>", "next")


def _words(story: Story, most: int = 9) -> str:
    shown = "".join(f"<li><bdi>{escape(token.text)}</bdi></li>" for token in story.tokens[:most])
    rest = len(story.tokens) - most
    return f'<ol class="words">{shown}</ol>' + (f"<span>+{rest}</span>" if rest > 0 else "")


def _image(story: Story, site: str) -> str:
    return f'<img class="stream" alt="" src="{thumbnail(story.tensor(site))}">'


def _part(title: str, size: str, inside: str, kind: str = "") -> str:
    return f'<section class="{kind}"><h4>{escape(title)}</h4><p>{escape(size)}</p>{inside}</section>'
