"""The table of every tensor that can be read: its name, axes, formula and meaning, and who has it.

Rows are written once, for both stacks and for attention to the text and to the source alike; `STACKS` and `HEAD` are
the whole table, in the order in which a pass fires it. `core.sites` is how one looks in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.config import Config

AXES = {
    "position": "a token's place in the text, from 0",
    "query": "the position that reads",
    "key": "the position that is read",
    "head": "an attention head; for k and v of a grouped model, a key/value head",
    "d_model": "a number of the stream's vector",
    "d_head": "a number of a head's vector",
    "d_ff": "a neuron of the net",
    "vocab": "a token of the vocabulary, by id",
    "class": "a class of the classifier",
}

Has = Callable[[Config], bool]


@dataclass(frozen=True)
class Site:
    """One row of the table. `formula` is LaTeX; `has` says whether a network of this `Config` has the site.

    `forms` are the formulas of networks that compute it another way, each with whom it holds for.
    """

    name: str
    axes: tuple[str, ...]
    formula: str
    meaning: str
    has: Has = lambda config: True
    forms: tuple[tuple[Has, str], ...] = ()


def _rotary(config: Config) -> bool:
    return config.positions == "rotary"


def _relative(config: Config) -> bool:
    return config.positions == "relative"


def _added(config: Config) -> bool:
    return config.positions in ("learned", "sinusoidal")


def _post(config: Config) -> bool:
    return config.placement == "post"


def _translates(config: Config) -> bool:
    return config.kind == "seq2seq"


STREAM = ("position", "d_model")
HEADS = ("head", "position", "d_head")
MAP = ("head", "query", "key")
NET = ("position", "d_ff")

_AS_IT_IS = ((_post, r"x"),)
_UNSCALED = (lambda config: not config.attn_scale, r"q_i \cdot k_j")

EMBED = (
    Site("mask", ("query", "key"), r"M_{ij} \in \{0, 1\}", "1 where a query may look"),
    Site(
        "embed.token",
        STREAM,
        r"E_{t_i}",
        "the token's row of the embedding table",
        forms=((lambda config: config.embed_scale, r"E_{t_i} \sqrt{d_{model}}"),),
    ),
    Site(
        "embed.segment",
        STREAM,
        r"S_{s_i}",
        "the vector that says which sentence the token belongs to",
        lambda config: config.segments > 0,
    ),
    Site("embed.position", STREAM, r"P_i", "the vector that says where the token stands", _added),
    Site(
        "embed.out",
        STREAM,
        r"t_i",
        "what enters layer 0",
        forms=(
            (lambda config: config.embed_norm, r"\mathrm{norm}(t_i + s_i + P_i)"),
            (lambda config: config.segments > 0, r"t_i + s_i + P_i"),
            (_added, r"t_i + P_i"),
        ),
    ),
)
ATTENTION = (
    Site("in", STREAM, r"\mathrm{norm}(x)", "what the projections read (normed when pre-norm)", forms=_AS_IT_IS),
    Site("q", HEADS, r"q = x W_Q + b_Q", "what each position asks for"),
    Site("k", HEADS, r"k = x W_K + b_K", "what each position can be found by"),
    Site("v", HEADS, r"v = x W_V + b_V", "what each position hands over when read"),
    Site("q_rot", HEADS, r"R_i q", "the query, turned by its position", _rotary),
    Site("k_rot", HEADS, r"R_j k", "the key, turned by its position", _rotary),
    Site("scores", MAP, r"q_i \cdot k_j", "how well the key answers the query"),
    Site("bias", MAP, r"b_{j - i}", "what the distance from query to key adds, the same in every layer", _relative),
    Site(
        "scaled",
        MAP,
        r"\frac{q_i \cdot k_j}{\sqrt{d_k}}",
        "the score, brought to a common size",
        forms=(
            (lambda config: _relative(config) and not config.attn_scale, r"q_i \cdot k_j + b_{j - i}"),
            (_relative, r"\frac{q_i \cdot k_j}{\sqrt{d_k}} + b_{j - i}"),
            _UNSCALED,
        ),
    ),
    Site("masked", MAP, r"s_{ij} \text{ or } -\infty", "-inf where the query may not look"),
    Site(
        "pattern",
        MAP,
        r"\frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "the share of the key in what the query reads; a row sums to 1",
    ),
    Site("z", HEADS, r"\sum_j A_{ij} v_j", "the values read, weighted by the pattern"),
    Site("out", STREAM, r"[z^1; \ldots; z^h] W_O + b_O", "what attention writes to the stream"),
)
NET_ROWS = (
    Site("ffn.in", STREAM, r"\mathrm{norm}(x)", "what the net reads (normed when pre-norm)", forms=_AS_IT_IS),
    Site("ffn.gate", NET, r"x W_{gate}", "the gate of each neuron, before the activation", lambda config: config.gated),
    Site("ffn.pre", NET, r"x W_1 + b_1", "each neuron before the activation"),
    Site("ffn.act", NET, r"f(\cdot)", "each neuron after the activation (and the gate)"),
    Site("ffn.out", STREAM, r"a W_2 + b_2", "what the net writes to the stream"),
)


def _stream(place: str, formula: str, meaning: str, has: Has = lambda config: True) -> Site:
    return Site(place, STREAM, formula, meaning, has, ((_post, rf"\mathrm{{norm}}({formula})"),))


def _of_source(site: Site) -> Site:
    """The row of attention to the source: keys and values come from the encoder's last word y, no distance counts."""
    offered = site.name in ("k", "v")
    return replace(
        site,
        name=f"cross.{site.name}",
        formula=site.formula.replace("x", "y") if offered else site.formula,
        meaning=site.meaning.replace("position", "position of the source") if offered else site.meaning,
        has=_translates,
        forms=(_UNSCALED,) if site.name == "scaled" else site.forms,
    )


LAYER = (
    Site("resid_pre", STREAM, r"x", "the stream entering the layer"),
    *(replace(site, name=f"attn.{site.name}") for site in ATTENTION),
    _stream("resid_mid", r"x + \mathrm{attn}", "the stream after attention"),
)
CROSS = (
    *(_of_source(site) for site in ATTENTION if site.has not in (_rotary, _relative)),
    _stream("resid_cross", r"x + \mathrm{cross}", "the stream after attention to the source", _translates),
)
NET_LAYER = (*NET_ROWS, _stream("resid_post", r"x + \mathrm{ffn}", "the stream leaving the layer"))
FINAL = Site(
    "final",
    STREAM,
    r"\mathrm{norm}(x)",
    "the stack's last word, which a head reads, or the other stack",
    forms=((lambda config: not config.final_norm, r"x"),),
)
LAYERS = {"encoder": (*LAYER, *NET_LAYER), "decoder": (*LAYER, *CROSS, *NET_LAYER)}


def _masked(config: Config) -> bool:
    return config.word_head == "masked"


HEAD = (
    Site("head.dense", STREAM, r"x W + c", "the masked-word head's own layer", _masked),
    Site("head.act", STREAM, r"f(\cdot)", "that layer after the activation", _masked),
    Site("head.norm", STREAM, r"\mathrm{norm}(\cdot)", "what is compared with each token's vector", _masked),
    Site(
        "logits",
        ("position", "vocab"),
        r"x W_U",
        "how strongly each token is expected: next, or behind a mask here",
        lambda config: config.word_head != "none",
        ((lambda config: config.head_scale, r"\frac{x}{\sqrt{d_{model}}} W_U"),),
    ),
    Site(
        "pooler",
        ("d_model",),
        r"f(x_1 W + c)",
        "the first token's vector, made ready to speak for the text",
        lambda config: config.pooler != "none",
    ),
    Site(
        "labels",
        ("position", "class"),
        r"x V + d",
        "how strongly each class is expected, of the text or of each token",
        lambda config: config.labels > 0,
    ),
)


def _in_stack(stack: str) -> tuple[Site, ...]:
    """The rows of one stack, by their full names. Only an encoder tells sentences apart."""
    embed = (site for site in EMBED if stack == "encoder" or site.name != "embed.segment")
    layer = (replace(site, name=f"*.{site.name}") for site in LAYERS[stack])
    return tuple(replace(site, name=f"{stack}.{site.name}") for site in (*embed, *layer, FINAL))


STACKS = {stack: _in_stack(stack) for stack in LAYERS}
