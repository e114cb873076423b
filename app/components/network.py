"""The network at a glance: its parts in the order in which they run, each with its real size and real numbers."""

from collections.abc import Callable, Iterator
from html import escape

import streamlit as st
from torch import Tensor

from app.look import Look
from app.plots.thumbnail import thumbnail
from app.words import _
from core.sampling import distribution

TOP = 5


def network(look: Look) -> None:
    """Draw the way from the text to the next token, with the tensors that this text's own pass computed."""
    parts = "".join([*_before(look), *_layers(look), *_after(look)])
    st.html(f'<div class="glass-network" role="group" aria-label="{escape(_label(look))}">{parts}</div>')


def _label(look: Look) -> str:
    config = look.model.config
    return _("From {n} tokens through {layers} layers of {heads} heads each.").format(
        n=len(look.tokens), layers=config.layers("encoder") + config.layers("decoder"), heads=config.n_heads
    )


def _before(look: Look) -> Iterator[str]:
    n, config, stack = len(look.tokens), look.model.config, look.parts[0].split(".")[0]
    placed = f"{stack}.embed.position" in look.run
    yield _part(_("Tokens"), str(n), _words(look))
    yield _part(
        _("Embedding + position") if placed else _("Embedding"),
        f"{n} × {config.d_model}",
        _image(look, f"{stack}.embed.out"),
    )


def _layers(look: Look) -> Iterator[str]:
    config, both = look.model.config, len(look.parts) > 1
    for part in (part for part in look.parts if part != "decoder.cross"):
        stack = part.split(".")[0]
        name = _("Layer {n}") if not both else _("Encoder {n}") if stack == "encoder" else _("Decoder {n}")
        n = len(look.axes(part)[0])
        for layer, maps in enumerate(look.maps("pattern", part)):
            shown = "".join(
                f'<img alt="{_("head {n}").format(n=i)}" src="{thumbnail(head, 48)}">'
                for i, head in enumerate(maps[:8])
            )
            more = f"<span>+{len(maps) - 8}</span>" if len(maps) > 8 else ""
            yield _part(
                name.format(n=layer),
                _("{heads} heads · {n} × {n}").format(heads=config.n_heads, n=n),
                f'<div class="heads">{shown}{more}</div>'
                f'<div class="net">{_("net")} {config.d_model}→{config.d_ff}→{config.d_model}</div>'
                + _image(look, f"{stack}.{layer}.resid_post"),
                "layer",
            )


def _after(look: Look) -> Iterator[str]:
    """What the model says in the end: the next token, or the class of the text."""
    config = look.model.config
    if config.kind != "encoder":
        chances = distribution(look.run.logits[-1])
        name = look.model.vocabulary.token
        bars = _bars(chances.probs, lambda id: name(id).text)
        yield _part(_("Next token"), f"1 × {config.vocab_size}", bars, "next")
    elif config.labels and config.labels_at == "first":
        bars = _bars(look.run["labels"].softmax(-1), lambda id: look.model.classes[id])
        yield _part(_("Class"), f"1 × {config.labels}", bars, "next")


def _bars(probabilities: Tensor, name: Callable[[int], str]) -> str:
    shares, ids = probabilities.topk(min(TOP, len(probabilities)))
    rows = "".join(
        f'<li><bdi>{escape(name(id))}</bdi><i style="width:{share * 100:.1f}%"></i><b>{share:.0%}</b></li>'
        for share, id in zip(shares.tolist(), ids.tolist(), strict=True)
    )
    return f"<ol>{rows}</ol>"


def _words(look: Look, most: int = 9) -> str:
    shown = "".join(f"<li><bdi>{escape(token.text)}</bdi></li>" for token in look.tokens[:most])
    rest = len(look.tokens) - most
    return f'<ol class="words">{shown}</ol>' + (f"<span>+{rest}</span>" if rest > 0 else "")


def _image(look: Look, site: str) -> str:
    values = look.tensor(site)
    alt = _("{n} × {d} numbers").format(n=len(values), d=values.shape[1])
    return f'<img class="stream" alt="{alt}" src="{thumbnail(values)}">'


def _part(title: str, size: str, inside: str, kind: str = "") -> str:
    return f'<section class="{kind}"><h4>{escape(title)}</h4><p>{escape(size)}</p>{inside}</section>'
