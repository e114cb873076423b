"""What a trained reader can do, measured on texts that it has never seen.

    hidden words   the share guessed right, of 15 % of the tokens of held-out stories, all of them hidden
    sentiment      the share of verdicts that are right, on reviews of held-out templates
    senses         a linear probe (softmax regression), one for each ambiguous word, that reads the word's vector and
                   names its sense: learned on sentences of the frames of training, asked about the held-out frames.
                   It is fitted to each layer and to the word's bare embedding, which knows no context. Alain and
                   Bengio 2016

Everything is drawn from one seed, so that it can be measured again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from core.models import Encoder, Network
from core.probe import Probe, silent
from core.train.batches import padded, there
from core.train.reviews import reviews
from core.train.senses import SENSES, WORDS, Sensed, sentences
from core.train.stories import stories

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
PAD_ID, CLS_ID, SEP_ID, MASK_ID = range(4)
CONTEXT = 128

HELD_OUT_SEED = 1_000_003
STORIES, REVIEWS = 200, 2000
LEARNED, ASKED = 150, 60  # sentences of each sense: to fit the probe, to try it on
BARE = "encoder.embed.token"


def open_to(ids: Int[Tensor, "row position"]) -> Tensor:
    """The mask of texts side by side: everyone reads everyone, padding nobody."""
    return there(ids, PAD_ID)[:, None].expand(-1, ids.shape[1], -1)


def places(ids: Int[Tensor, "row position"]) -> Int[Tensor, "1 position"]:
    return torch.arange(ids.shape[1])[None]


def vectors(network: Encoder, ids: Tensor, segments: Tensor | None = None, probe: Probe = silent) -> Tensor:
    """What the stack makes of texts side by side, which may be padded at the end."""
    segments = torch.zeros_like(ids) if segments is None else segments
    found: Tensor = network.encoder(ids, open_to(ids), places(ids), probe, segments=segments)
    return found


def guesses(network: Encoder, x: Tensor) -> Float[Tensor, "token vocab"]:
    """The word head on vectors of the stack, of hidden words only."""
    said = network.head(x)
    assert said is not None
    return said


def verdicts(network: Encoder, ids: Int[Tensor, "row position"]) -> Float[Tensor, "row class"]:
    """The classifier on texts side by side."""
    said = network.classifier(vectors(network, ids), places(ids))
    assert said is not None
    return said


@torch.inference_mode()
def hidden_words(network: Encoder, tokenizer: Tokenizer) -> float:
    """The share of hidden words that the network names."""
    generator = torch.Generator().manual_seed(HELD_OUT_SEED)
    told = [story.text for story in islice(stories(HELD_OUT_SEED, held=True), STORIES)]
    right = asked = 0
    for part in _batches([e.ids[:CONTEXT] for e in tokenizer.encode_batch(told)]):
        chosen = (torch.rand(part.shape, generator=generator) < 0.15) & (part >= len(SPECIAL))
        x = vectors(network, part.masked_fill(chosen, MASK_ID))
        right += int((guesses(network, x[chosen]).argmax(dim=-1) == part[chosen]).sum())
        asked += int(chosen.sum())
    return right / asked


@torch.inference_mode()
def sentiment(network: Encoder, tokenizer: Tokenizer) -> float:
    """The share of right verdicts."""
    asked = list(islice(reviews(HELD_OUT_SEED, held=True), REVIEWS))
    labels = torch.tensor([review.label for review in asked])
    rows = [e.ids for e in tokenizer.encode_batch([review.text for review in asked])]
    said = [verdicts(network, part).argmax(dim=-1) for part in _batches(rows)]
    return (torch.cat(said) == labels).float().mean().item()


@dataclass(frozen=True)
class Senses:
    """The share of senses that the probe names, from each site."""

    shares: dict[str, float]
    sentences: int

    @property
    def bare(self) -> float:
        return self.shares[BARE]

    @property
    def best(self) -> str:
        return max(self.shares, key=lambda site: self.shares[site])


def senses(network: Encoder, tokenizer: Tokenizer) -> Senses:
    learned = list(islice(sentences(HELD_OUT_SEED), LEARNED * len(SENSES)))
    asked = list(islice(sentences(HELD_OUT_SEED, held=True), ASKED * len(SENSES)))
    known, new = word_vectors(network, tokenizer, learned), word_vectors(network, tokenizer, asked)
    right = {site: sum(_named(word, x, learned, new[site], asked) for word in WORDS) for site, x in known.items()}
    return Senses({site: count / len(asked) for site, count in right.items()}, len(asked))


def _named(word: str, known: Tensor, learned: Sequence[Sensed], new: Tensor, asked: Sequence[Sensed]) -> int:
    """How many of the sentences with a word have its sense named, by a probe of its own."""
    mine = [sense for sense in SENSES if sense.split()[0] == word]
    ours, theirs = ([i for i, s in enumerate(some) if s.word == word] for some in (learned, asked))
    classes = torch.tensor([mine.index(learned[i].sense) for i in ours])
    said = probe(known[ours], classes, new[theirs])
    return int((said == torch.tensor([mine.index(asked[i].sense) for i in theirs])).sum())


@torch.inference_mode()
def word_vectors(network: Encoder, tokenizer: Tokenizer, some: Sequence[Sensed]) -> dict[str, Tensor]:
    """The vectors of the ambiguous words, by site: the bare embedding, what enters layer 0, and after each layer."""
    sites = [BARE, "encoder.embed.out", *(f"encoder.{i}.resid_post" for i in range(network.config.n_layers))]
    encodings = tokenizer.encode_batch([sentence.text for sentence in some])
    where = torch.tensor([token(e.offsets, s.spans[0]) for e, s in zip(encodings, some, strict=True)])
    found: dict[str, list[Tensor]] = {site: [] for site in sites}
    for part, at in zip(_batches([e.ids for e in encodings]), torch.split(where, 100), strict=True):
        seen: dict[str, Tensor] = {}

        def look(name: str, value: Tensor, seen: dict[str, Tensor] = seen) -> Tensor:
            seen[f"encoder.{name}"] = value
            return value

        vectors(network, part, probe=look)
        for site in sites:
            found[site].append(seen[site][torch.arange(len(part)), at])
    return {site: torch.cat(parts) for site, parts in found.items()}


def token(offsets: Sequence[tuple[int, int]], span: tuple[int, int]) -> int:
    """The last token that a span of the text touches."""
    return [i for i, (start, end) in enumerate(offsets) if start < span[1] and end > span[0]][-1]


def probe(
    known: Float[Tensor, "known d_model"], classes: Int[Tensor, "known"], new: Float[Tensor, "new d_model"]
) -> Int[Tensor, "new"]:
    """Fits softmax regression to the known vectors, and classes the new ones."""
    mean, spread = known.mean(dim=0), known.std(dim=0) + 1e-6
    known, new = (known - mean) / spread, (new - mean) / spread
    weight = torch.zeros(int(classes.max()) + 1, known.shape[1], requires_grad=True)
    bias = torch.zeros(len(weight), requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(F.linear(known, weight, bias), classes) + 0.01 * weight.square().sum()
        torch.autograd.backward(loss)
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    return F.linear(new, weight, bias).argmax(dim=-1)


def _batches(rows: Sequence[Sequence[int]]) -> list[Tensor]:
    return [padded(rows[i : i + 100], PAD_ID) for i in range(0, len(rows), 100)]


def measure(network: Network, tokenizer: Tokenizer) -> dict[str, Any]:
    """All three, as the card has them."""
    assert isinstance(network, Encoder)
    found = senses(network, tokenizer)
    return {
        "held_out_seed": HELD_OUT_SEED,
        "hidden_words": {"stories": STORIES, "right": round(hidden_words(network, tokenizer), 4)},
        "sentiment": {"reviews": REVIEWS, "right": round(sentiment(network, tokenizer), 4)},
        "senses": {
            "words": len(WORDS), "senses": len(SENSES), "sentences": found.sentences, "best": found.best,
            "right": round(found.shares[found.best], 4), "bare": round(found.bare, 4),
            "sites": {site: round(share, 4) for site, share in found.shares.items()},
        },
    }  # fmt: skip
