"""What a trained translator can do, measured on combinations of words that it has never seen together.

    exact match   the share of sentences whose greedy translation is the reference, letter by letter
    alignment     the share of content words whose strongest cross-attention, in one head, is a source word that says
                  the same; the row that is read is the one that predicts the word

Everything is drawn from one seed, so that it can be measured again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from tokenizers import Tokenizer
from torch import Tensor

from core.models import Seq2Seq
from core.train.batches import padded, there
from core.train.pairs import CHINESE, FRENCH, Pair, pairs
from core.train.wording import Span
from core.train.wordlist import END_ID, PAD_ID, START_ID

HELD_OUT_SEED = 1_000_003
LANGUAGES = {"french": FRENCH, "chinese": CHINESE}
SENTENCES = 1000  # of each language, for the exact match
ALIGNED = 200  # of them, for the alignment
LONGEST = 40  # tokens of a translation


@torch.inference_mode()
def translate(network: Seq2Seq, tokenizer: Tokenizer, sources: Sequence[str]) -> list[str]:
    """The greedy translation of each."""
    found: list[str] = []
    for part in (sources[i : i + 100] for i in range(0, len(sources), 100)):
        ids = padded([tokenizer.encode(source).ids for source in part], PAD_ID)
        keys = there(ids, PAD_ID)
        source = network.encode(ids, keys[:, None].expand(-1, ids.shape[1], -1), keys)
        target = torch.full((len(part), 1), START_ID)
        ended = torch.zeros(len(part), dtype=torch.bool)
        while not ended.all() and target.shape[1] < LONGEST:
            best = network.decode(target, source)[:, -1].argmax(dim=-1).masked_fill(ended, END_ID)
            target = torch.cat([target, best[:, None]], dim=1)
            ended |= best == END_ID
        found += tokenizer.decode_batch(target.tolist())
    return found


def held_pairs(language: str, count: int) -> list[Pair]:
    return list(islice(pairs(HELD_OUT_SEED, held=True, language=language), count))


@dataclass(frozen=True)
class Exact:
    """How many of the sentences were translated to the letter, and the first that were not: source, said, reference."""

    right: int
    sentences: int
    wrong: tuple[tuple[str, str, str], ...]

    @property
    def share(self) -> float:
        return self.right / self.sentences


def exact_match(network: Seq2Seq, tokenizer: Tokenizer, asked: Sequence[Pair]) -> Exact:
    said = translate(network, tokenizer, [pair.source for pair in asked])
    wrong = [(p.source, text, p.target) for p, text in zip(asked, said, strict=True) if text != p.target]
    return Exact(len(asked) - len(wrong), len(asked), tuple(wrong[:20]))


@dataclass(frozen=True)
class Alignment:
    """Of every head of the decoder: the share of content words whose strongest source word is right."""

    shares: Tensor  # layer head
    words: int

    @property
    def best(self) -> tuple[int, int]:
        return divmod(int(self.shares.argmax()), self.shares.shape[1])


@torch.inference_mode()
def alignment(network: Seq2Seq, tokenizer: Tokenizer, asked: Sequence[Pair]) -> Alignment:
    hits = torch.zeros(())
    words = 0
    for pair in asked:
        source, target = tokenizer.encode(pair.source), tokenizer.encode(pair.target)
        strongest = cross_patterns(network, source.ids, target.ids).argmax(dim=-1)  # layer head query
        for link in (link for link in pair.links if link.content):
            query = tokens(target.offsets, link.span)[0]  # row i reads what stands before token i, and predicts it
            keys = torch.tensor([i for span in link.sources for i in tokens(source.offsets, span)])
            hits = hits + torch.isin(strongest[:, :, query], keys).float()
            words += 1
    return Alignment(hits / words, words)


def cross_patterns(network: Seq2Seq, source: list[int], target: list[int]) -> Tensor:
    """The cross-attention of all heads while `target` is written, row i predicting its token i: layer head row key."""
    seen = []

    def look(name: str, value: Tensor) -> Tensor:
        if name.endswith("cross.pattern"):
            seen.append(value[0])
        return value

    network(torch.tensor([source]), torch.tensor([[START_ID, *target]]), probe=look)
    return torch.stack(seen)


def tokens(offsets: Sequence[Span], span: Span) -> list[int]:
    """The tokens that a span of the text touches."""
    return [i for i, (start, end) in enumerate(offsets) if start < span[1] and end > span[0]]
