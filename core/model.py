"""What `load` returns: a network, its vocabulary and its device, and the things one does with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import torch
from torch import Tensor

from core.beam import Beams, search
from core.config import Config
from core.errors import TextError
from core.generate import Generation, Sampling
from core.inputs import a_target, one_text, sentences
from core.mask import given
from core.models import Encoder, Network, Seq2Seq
from core.reading import Reader, Reading, begin, look, translate
from core.run import Run
from core.tape import Edit
from core.text import Token, Vocabulary

MOST = 64
"""Tokens that `run` decodes at most where it is given no target, and no end token comes."""

KINDS = {
    "decoder": "a decoder: it reads one text and",
    "encoder": "an encoder: it reads a whole text at once and",
    "seq2seq": "an encoder-decoder: it reads a source and a target and",
}


@dataclass(frozen=True)
class Model:
    """A network ready to read. It holds no state of a run, so threads may share it."""

    name: str
    family: str
    network: Network
    vocabulary: Vocabulary
    stop: tuple[int, ...]  # ids that end a text
    start: int | None = None  # the id that starts a target
    classes: tuple[str, ...] = ()  # what a classifier's classes are called

    @property
    def config(self) -> Config:
        """The architecture."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.network.parameters()).device

    def run(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
        pair: str | None = None,
        segments: Sequence[int] | None = None,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
    ) -> Run:
        """One pass over `text`, or over token `ids` used as given; everything it computes is kept.

        `mask`: n zeros and ones hide keys, and positions count from the first allowed token; n rows of n are the whole
        query x key mask. An encoder-decoder reads a `target` too, which starts with its start token, written out in
        `target_ids`; without one it decodes greedily, and the pass over what it wrote is returned. An encoder may
        read a second sentence (`pair`), or be told by `segments` which sentence each token belongs to.

        `keep`: names or globs of what to keep instead of everything. `edits`: changes by name, made with `core.zero`,
        `core.scale`, `core.put`. Raises `TextError`, `SiteError` or another `GlassformerError`.
        """
        if isinstance(self.network, Encoder):
            self._refuse(target=target, target_ids=target_ids)
            if not self.config.segments:
                self._refuse(segments=segments)
            tokens, parts = sentences(self.vocabulary, self.config.segments, text, ids, pair, segments)
            allowed = None if mask is None else given(mask, len(tokens))
            return look(self._reader(keep, edits), self.network, tokens, parts, allowed)
        self._refuse(pair=pair, segments=segments)
        if isinstance(self.network, Seq2Seq) and target is None and target_ids is None:
            target_ids = self._greedy(self.begin(text, ids=ids, mask=mask, keep=(), edits=edits))
        return self.begin(text, ids=ids, mask=mask, target=target, target_ids=target_ids, keep=keep, edits=edits).run

    def generate(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
        pair: str | None = None,
        segments: Sequence[int] | None = None,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
        max_new_tokens: int = 20,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int | None = None,
        stop: Sequence[int] | None = None,
    ) -> Generation:
        """Steps that continue the text, or write its translation, each drawn when it is asked for.

        Settings as in `core.sampling.distribution`; without `seed` each generation is another one. `stop` are token
        ids, by default the model's own; `()` never stops. The other inputs are those of `run`.
        """
        self._refuse(pair=pair, segments=segments)
        ends = self.stop if stop is None else tuple(stop)
        sampling = Sampling(temperature, top_k, top_p, seed, max_new_tokens, ends)
        begun = self.begin(text, ids=ids, mask=mask, target=target, target_ids=target_ids, keep=keep, edits=edits)
        return Generation(begun, sampling)

    def beam(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
        keep: Iterable[str] | None = (),
        edits: Mapping[str, Edit] | None = None,
        width: int = 4,
        max_new_tokens: int = 20,
        length_penalty: float = 1.0,
        stop: Sequence[int] | None = None,
    ) -> Beams:
        """The `width` likeliest ways on, followed side by side: see `core.beam.search`. Inputs as in `generate`."""
        ends = self.stop if stop is None else tuple(stop)
        begun = self.begin(text, ids=ids, mask=mask, target=target, target_ids=target_ids, keep=keep, edits=edits)
        return search(begun, width, max_new_tokens, length_penalty, ends)

    def begin(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
    ) -> Reading:
        """The network having read a text, or a source and the start of its target: continue it with `Reading.then`.

        Inputs as in `run`; without a target, only its start token is read.
        """
        if isinstance(self.network, Encoder):
            raise TextError(f"{self.name} is an encoder: it reads a whole text at once, and cannot write one.")
        reader = self._reader(keep, edits)
        tokens = self.tokens(text, ids)
        allowed = None if mask is None else given(mask, len(tokens))
        if isinstance(self.network, Seq2Seq):
            target_tokens = a_target(self.vocabulary, self.start, target, target_ids)
            return translate(reader, self.network, tokens, target_tokens, allowed)
        self._refuse(target=target, target_ids=target_ids)
        return begin(reader, self.network, tokens, allowed)

    def tokens(self, text: str | None = None, ids: Sequence[int] | None = None) -> tuple[Token, ...]:
        """The tokens of a text, or those with these ids, checked against the embedding table."""
        return one_text(self.vocabulary, text, ids)

    def _reader(self, keep: Iterable[str] | None, edits: Mapping[str, Edit] | None) -> Reader:
        keep = (keep,) if isinstance(keep, str) else keep if keep is None else tuple(keep)
        return Reader(self.network, self.vocabulary, keep, edits)

    def _greedy(self, reading: Reading) -> list[int]:
        """The target that the network writes by itself, as `target_ids`."""
        settings = Sampling(temperature=0, max_new_tokens=MOST, stop=self.stop)
        drawn = (step.token.id for step in Generation(reading, settings))
        room = reading.reader.limit - len(reading.tokens)
        return [token.id for token in reading.tokens] + [*takewhile(lambda id: id not in self.stop, drawn)][:room]

    def _refuse(self, **foreign: object) -> None:
        for name, value in foreign.items():
            if value is not None:
                raise TextError(f"{self.name} is {KINDS[self.config.kind]} has no {name}.")
