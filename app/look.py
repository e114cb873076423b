"""What a model made of a text: a `Look` is one pass, a `Story` a text that a decoder read and the ways it went on.

Everything leaves here on the CPU, as numpy. Both are shared by all visitors and never change; `app.runs` keeps them.
"""

import threading
from collections import OrderedDict
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

import core
from core.reading import Reading
from core.sampling import Distribution, Draw, distribution, uniform
from core.sites import names as site_names
from core.text import Token

KEPT = ("*.mask", "*.embed.*", "*.masked", "*.pattern", "*.resid_post", "*.final", "pooler", "encoder.*.attn.[vz]")
MAX_READINGS = 512  # steps kept of one text, over all its branches
computing = threading.BoundedSemaphore(2)  # passes at once: more would only wait for each other


class Look:
    """One pass over a text, and in an encoder-decoder over its target too: what the pictures show.

    A `part` names a kind of map by its place: `encoder.attn`, `decoder.attn`, `decoder.cross`.
    """

    def __init__(self, model: core.Model, text: str, run: core.Run) -> None:
        self.model, self.text, self.run = model, text, run

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text: of an encoder-decoder those of the source."""
        return self.run.tokens

    @property
    def parts(self) -> tuple[str, ...]:
        """The kinds of map that the model has, in the order in which they are computed."""
        every = ("encoder.attn", "decoder.attn", "decoder.cross")
        return tuple(part for part in every if f"{part.replace('.', '.0.', 1)}.pattern" in self.run)

    def axes(self, part: str) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """Who reads in a part, and who is read."""
        target = self.run.target_tokens or self.run.tokens
        queries = self.run.tokens if part == "encoder.attn" else target
        return queries, target if part == "decoder.attn" else self.run.tokens

    def maps(self, kind: str, part: str) -> NDArray[np.float32]:
        """A kind of attention map (pattern, masked) of a part, [layer, head, query, key]."""
        stack, place = part.split(".")
        layers = range(self.model.config.layers(stack))
        return np.stack([self.tensor(f"{stack}.{i}.{place}.{kind}") for i in layers])

    def pattern(self, part: str, layer: int, head: int) -> NDArray[np.float32]:
        """One head's pattern, [query, key]."""
        stack, place = part.split(".")
        return self.run[f"{stack}.{layer}.{place}.pattern"][head].float().cpu().numpy()

    def tensor(self, site: str) -> NDArray[np.float32]:
        """A tensor by its name."""
        return self.run[site].float().cpu().numpy()


class Story:
    """A text that a model has read, and the tree of its continuations."""

    def __init__(self, model: core.Model, text: str) -> None:
        self.model, self.text = model, text
        self._lock = threading.Lock()
        with computing:
            self.prompt = model.begin(text, keep=kept(model))
        self._readings: OrderedDict[tuple[int, ...], Reading] = OrderedDict()

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text."""
        return self.prompt.tokens

    def reading(self, drawn: tuple[int, ...] = ()) -> Reading:
        """The model having read the text and then the tokens `drawn`. Steps that are known are not run again."""
        if not drawn:
            return self.prompt
        with self._lock:
            known = next((i for i in range(len(drawn), 0, -1) if drawn[:i] in self._readings), 0)
            reading = self._readings[drawn[:known]] if known else self.prompt
            for i in range(known, len(drawn)):
                with computing:
                    reading = reading.then(drawn[i])
                self._readings[drawn[: i + 1]] = reading
            self._readings.move_to_end(drawn)
            while len(self._readings) > MAX_READINGS:
                self._readings.popitem(last=False)
        return reading

    def rows(self, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """What the newest token reads, [layer, head, key]."""
        return Look(self.model, self.text, self.reading(drawn).run).maps("pattern", "decoder.attn")[:, :, -1]

    def logits(self, drawn: tuple[int, ...] = ()) -> NDArray[np.float32]:
        """The logits of the next token, [vocab]."""
        return self.reading(drawn).logits.float().cpu().numpy()

    def chances(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float) -> Distribution:
        """The distribution that the token after `drawn` is drawn from."""
        return distribution(self.reading(drawn).logits, temperature, top_k, top_p)

    def draw(self, drawn: tuple[int, ...], temperature: float, top_k: int, top_p: float, seed: int) -> Draw:
        """Draw the token after `drawn`. The same settings, seed and step draw the same token for everyone."""
        return self.chances(drawn, temperature, top_k, top_p).at(uniform(seed, len(drawn)))


def kept(model: core.Model) -> list[str]:
    """The names of what the pictures need; a model has no tensor for some of the globs."""
    return [name for name in site_names(model.config) if any(fnmatchcase(name, glob) for glob in KEPT)]
