"""Every tensor that can be read, declared: its name, axes, formula and meaning.

A name is `{stack}.{place}`; a layer's number stands for `*` in the table. A site that an architecture does not
have is absent from a run. A test holds that what a network fires is what `names` says.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from core.config import Config
from core.errors import SiteError

AXES = {
    "position": "a token's place in the text, from 0",
    "query": "the position that reads",
    "key": "the position that is read",
    "head": "an attention head; for k and v of a grouped model, a key/value head",
    "d_model": "a number of the stream's vector",
    "d_head": "a number of a head's vector",
    "d_ff": "a neuron of the net",
    "vocab": "a token of the vocabulary, by id",
}


@dataclass(frozen=True)
class Site:
    """One row of the table. `formula` is LaTeX; `has` says whether a network of this `Config` has the site."""

    name: str
    axes: tuple[str, ...]
    formula: str
    meaning: str
    has: Callable[[Config], bool] = lambda config: True


def _rotary(config: Config) -> bool:
    return config.positions == "rotary"


STREAM = ("position", "d_model")
HEADS = ("head", "position", "d_head")
MAP = ("head", "query", "key")

EMBED = (
    Site("decoder.mask", ("query", "key"), r"M_{ij} \in \{0, 1\}", "1 where a query may look"),
    Site("decoder.embed.token", STREAM, r"E_{t_i} \cdot s", "the token's row of the embedding table"),
    Site(
        "decoder.embed.position",
        STREAM,
        r"P_i",
        "the vector that says where the token stands",
        lambda config: config.positions in ("learned", "sinusoidal"),
    ),
    Site("decoder.embed.out", STREAM, r"E_{t_i} \cdot s + P_i", "what enters layer 0"),
)
LAYER = (
    Site("decoder.*.resid_pre", STREAM, r"x", "the stream entering the layer"),
    Site("decoder.*.attn.in", STREAM, r"\mathrm{norm}(x)", "what the projections read (normed when pre-norm)"),
    Site("decoder.*.attn.q", HEADS, r"q = x W_Q + b_Q", "what each position asks for"),
    Site("decoder.*.attn.k", HEADS, r"k = x W_K + b_K", "what each position can be found by"),
    Site("decoder.*.attn.v", HEADS, r"v = x W_V + b_V", "what each position hands over when read"),
    Site("decoder.*.attn.q_rot", HEADS, r"R_i q", "the query, turned by its position", _rotary),
    Site("decoder.*.attn.k_rot", HEADS, r"R_j k", "the key, turned by its position", _rotary),
    Site("decoder.*.attn.scores", MAP, r"q_i \cdot k_j", "how well the key answers the query"),
    Site(
        "decoder.*.attn.scaled",
        MAP,
        r"\frac{q_i \cdot k_j}{\sqrt{d_k}}",
        "the score, brought to a common size",
    ),
    Site("decoder.*.attn.masked", MAP, r"s_{ij} \text{ or } -\infty", "-inf where the query may not look"),
    Site(
        "decoder.*.attn.pattern",
        MAP,
        r"\frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "the share of the key in what the query reads; a row sums to 1",
    ),
    Site("decoder.*.attn.z", HEADS, r"\sum_j A_{ij} v_j", "the values read, weighted by the pattern"),
    Site("decoder.*.attn.out", STREAM, r"[z^1; \ldots; z^h] W_O + b_O", "what attention writes to the stream"),
    Site("decoder.*.resid_mid", STREAM, r"x + \mathrm{attn}", "the stream between attention and net"),
    Site("decoder.*.ffn.in", STREAM, r"\mathrm{norm}(x)", "what the net reads (normed when pre-norm)"),
    Site(
        "decoder.*.ffn.gate",
        ("position", "d_ff"),
        r"x W_{gate}",
        "the gate of each neuron, before the activation",
        lambda config: config.gated,
    ),
    Site("decoder.*.ffn.pre", ("position", "d_ff"), r"x W_1 + b_1", "each neuron before the activation"),
    Site(
        "decoder.*.ffn.act",
        ("position", "d_ff"),
        r"f(\cdot)",
        "each neuron after the activation (and the gate)",
    ),
    Site("decoder.*.ffn.out", STREAM, r"a W_2 + b_2", "what the net writes to the stream"),
    Site("decoder.*.resid_post", STREAM, r"x + \mathrm{ffn}", "the stream leaving the layer"),
)
HEAD = (
    Site("decoder.final", STREAM, r"\mathrm{norm}(x)", "the stack's last word, which the head reads"),
    Site("logits", ("position", "vocab"), r"x W_U", "how strongly each token is expected next"),
)
SITES = {site.name: site for site in (*EMBED, *LAYER, *HEAD)}

_LAYER_NUMBER = re.compile(r"\.(?:0|[1-9][0-9]*)\.")


@cache
def find(name: str) -> Site:
    """The row for a full name such as `decoder.3.attn.q`. Raises `SiteError` when the table has none."""
    site = SITES.get(_LAYER_NUMBER.sub(".*.", name, count=1))
    if site is None or "*" in name:
        raise SiteError(f"{name!r} is not the name of a tensor; core/sites.py lists them all.")
    return site


def names(config: Config) -> tuple[str, ...]:
    """The names that one pass of a network of this `config` fires, in that order."""
    places = [site.name for site in EMBED if site.has(config)]
    for layer in range(config.n_layers):
        places += [site.name.replace("*", str(layer)) for site in LAYER if site.has(config)]
    return (*places, *(site.name for site in HEAD if site.has(config)))
