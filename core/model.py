"""What `load` returns: a network, its vocabulary and its device, and the two things one does with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index

import torch
from torch import Tensor

from core.config import Config
from core.errors import TextError
from core.generate import Generation, Reader, Reading, Sampling
from core.mask import given
from core.models import Decoder
from core.run import Run
from core.tape import Edit
from core.text import Token, Vocabulary


@dataclass(frozen=True)
class Model:
    """A network ready to read. It holds no state of a run, so threads may share it."""

    name: str
    family: str
    network: Decoder
    vocabulary: Vocabulary
    stop: tuple[int, ...]  # ids that end a text

    @property
    def config(self) -> Config:
        """The architecture."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.network.embed.weight.device

    def run(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
        segments: Sequence[int] | None = None,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
    ) -> Run:
        """One pass over `text`, or over token `ids` used as given; everything it computes is kept.

        `mask`: n zeros and ones hide keys, and positions count from the first allowed token; n rows of n are the whole
        query x key mask. `keep`: names or globs of what to keep instead of everything. `edits`: changes by name, made
        with `core.zero`, `core.scale`, `core.put`. Raises `TextError`, `SiteError` or another `GlassformerError`.
        """
        self._refuse(target, target_ids, segments)
        return self.begin(text, ids=ids, mask=mask, keep=keep, edits=edits).run

    def generate(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        target: str | None = None,
        target_ids: Sequence[int] | None = None,
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
        """Steps that continue the text, each drawn when it is asked for.

        Settings as in `core.sampling.distribution`; without `seed` each generation is another one. `stop` are token
        ids, by default the model's own; `()` never stops. The other inputs are those of `run`.
        """
        self._refuse(target, target_ids, segments)
        ends = self.stop if stop is None else tuple(stop)
        sampling = Sampling(temperature, top_k, top_p, seed, max_new_tokens, ends)
        return Generation(self.begin(text, ids=ids, mask=mask, keep=keep, edits=edits), sampling)

    def begin(
        self,
        text: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        mask: Sequence[object] | Tensor | None = None,
        keep: Iterable[str] | None = None,
        edits: Mapping[str, Edit] | None = None,
    ) -> Reading:
        """The network having read a text: continue it token by token with `Reading.then`. Inputs as in `run`."""
        tokens = self.tokens(text, ids)
        allowed = None if mask is None else given(mask, len(tokens))
        keep = (keep,) if isinstance(keep, str) else keep if keep is None else tuple(keep)
        return Reader(self.network, self.vocabulary, keep, edits).begin(tokens, allowed)

    def tokens(self, text: str | None = None, ids: Sequence[int] | None = None) -> tuple[Token, ...]:
        """The tokens of a text, or those with these ids, checked against the embedding table."""
        if (text is None) == (ids is None):
            raise TextError("Give a text or token ids: one of the two.")
        if text is not None:
            return self.vocabulary.encode(text)
        assert ids is not None
        ids = [index(id) for id in ids]  # from a tensor, too
        if not ids:
            raise TextError("There is no text to read yet: give at least one token id.")
        self.vocabulary.check(ids)
        return self.vocabulary.tokens(ids)

    def _refuse(self, *foreign: object) -> None:
        for name, value in zip(("target", "target_ids", "segments"), foreign, strict=True):
            if value is not None:
                raise TextError(f"{self.name} is a decoder: it reads one text and has no {name}.")
