"""The recipe of `assets/models/translator`: the encoder-decoder of the original paper, small, on two CPU cores.

Post-norm, ReLU, sinusoidal positions, embeddings times sqrt(d_model), one embedding table for both languages and the
word head (Vaswani et al. 2017, section 3). Beside Chinese and French it learns nothing; a pair comes never twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from core.attention import attend_fused
from core.checkpoints.original import save
from core.config import Config
from core.models import Network, Seq2Seq
from core.train import wordlist
from core.train.batches import by_length, padded, there
from core.train.course import Course, first_weights, spent, trained
from core.train.pairs import pairs
from core.train.shipped import differences, reopen, said, table, write_card
from core.train.translating import ALIGNED, HELD_OUT_SEED, LANGUAGES, SENTENCES, alignment, exact_match, held_pairs
from core.train.wordlist import END_ID, PAD_ID, START_ID

STRETCH = 6_000  # pairs from one checkpoint to the next
ROOM = 900  # tokens of the targets of a batch
CONTEXT = 128
VOCABULARY_SEED, VOCABULARY_PAIRS = 0, 100_000
UNCOUNTED = -100  # what cross_entropy ignores
TARGET, TOLERANCE = 0.95, 0.005
SAMPLES = (
    "The cat sees the red car.",
    "The girl does not eat the apple because it is bad.",
    "The prince buys the old boat because it is beautiful.",
    "I see a beautiful bird in the big tree.",
    "She likes him.",
    "Did the small children sing?",
    "<zh> The cat sees the red car.",
    "<zh> I have two books.",
    "<zh> The dog did not sleep in the garden.",
    "the red car",
)


@dataclass(frozen=True)
class Batch:
    sources: Int[Tensor, "row key"]
    targets: Int[Tensor, "row token"]  # with start and end

    @property
    def tokens(self) -> int:
        return int((self.sources != PAD_ID).sum() + (self.targets != PAD_ID).sum())


def config(vocab_size: int) -> Config:
    width, heads = 128, 4
    return Config(
        kind="seq2seq", vocab_size=vocab_size, d_model=width, n_layers=3, n_heads=heads, n_kv_heads=heads,
        d_head=width // heads, d_ff=4 * width, context=CONTEXT, placement="post", final_norm=False,
        positions="sinusoidal", activation="relu", embed_scale=True,
    )  # fmt: skip


def vocabulary() -> Tokenizer:
    return wordlist.build(islice(pairs(VOCABULARY_SEED), VOCABULARY_PAIRS))


def fresh(config: Config) -> Seq2Seq:
    """A network that has read nothing; a token's vector, times sqrt(d_model), is as large as a sinusoid."""
    network = Seq2Seq(config, attend=attend_fused)
    first_weights(network, config.d_model)
    return network


def batches(tokenizer: Tokenizer, seed: int, count: int = STRETCH) -> Iterator[Batch]:
    """`count` fresh pairs in batches; the same seed gives the same ones."""
    drawn = list(islice(pairs(seed), count))
    sources = [e.ids for e in tokenizer.encode_batch([pair.source for pair in drawn])]
    targets = [[START_ID, *e.ids, END_ID] for e in tokenizer.encode_batch([pair.target for pair in drawn])]
    for rows in by_length([len(target) for target in targets], ROOM, Random(seed)):
        yield Batch(padded([sources[i] for i in rows], PAD_ID), padded([targets[i] for i in rows], PAD_ID))


def loss(network: nn.Module, batch: Batch) -> Tensor:
    """Nats per token of the targets, ends included."""
    logits = network(batch.sources, batch.targets[:, :-1], there(batch.sources, PAD_ID))
    wanted = batch.targets[:, 1:].masked_fill(batch.targets[:, 1:] == PAD_ID, UNCOUNTED)
    return F.cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=UNCOUNTED)


def course(tokenizer: Tokenizer) -> Course[Batch]:
    return Course(lambda seed, passed: batches(tokenizer, seed), loss, lambda batch: batch.tokens)


def make(folder: Path, minutes: float, scratch: Path, *, resume: bool, note: str = "") -> dict[str, Any]:
    """Trains, writes the model folder with its card, and returns the card. A killed run can be resumed."""
    tokenizer = vocabulary()
    network = fresh(config(tokenizer.get_vocab_size()))
    progress = trained(network, course(tokenizer), minutes, scratch / "translator.pt", resume=resume)
    save(folder, network, tokenizer, eos_token_id=END_ID, decoder_start_token_id=START_ID, pad_token_id=PAD_ID)
    card = {
        "measured": measure(*reopen(folder)),
        "training": spent(progress) | {"note": note},
        "samples": list(SAMPLES),
    }
    return describe(folder, card)


def measure(network: Network, tokenizer: Tokenizer) -> dict[str, Any]:
    """Exact match and alignment on held-out pairs, by language. Layers and heads count from 0."""
    assert isinstance(network, Seq2Seq)
    found: dict[str, Any] = {"held_out_seed": HELD_OUT_SEED, "sentences": SENTENCES, "exact": {}, "aligned": {}}
    for name, tag in LANGUAGES.items():
        asked = held_pairs(tag, SENTENCES)
        exact = exact_match(network, tokenizer, asked)
        aligned = alignment(network, tokenizer, asked[:ALIGNED])
        layer, head = aligned.best
        share = round(aligned.shares[layer, head].item(), 4)
        found["exact"][name] = round(exact.share, 4)
        found["aligned"][name] = {
            "layer": layer, "head": head, "share": share, "words": aligned.words,
            "heads": [[round(x, 3) for x in row] for row in aligned.shares.tolist()],
        }  # fmt: skip
    return found


def describe(folder: Path, card: dict[str, Any]) -> dict[str, Any]:
    """Writes the card; the app opens on the head that it names."""
    best = card["measured"]["aligned"]["french"]
    card["heads"] = {"alignment": {name: best[name] for name in ("layer", "head", "share")}}
    tables = [table(name.capitalize(), card["measured"]["aligned"][name]["heads"]) for name in LANGUAGES]
    write_card(folder, card, "translator.md", tables="\n\n".join(tables), missed=missed(card))
    return card


def missed(card: dict[str, Any]) -> str:
    exact = card["measured"]["exact"]["french"]
    return f"French reaches {exact}; the target was {TARGET}." if exact < TARGET else "No target was missed."


def check(folder: Path) -> list[str]:
    """Measures the shipped weights again; where that leaves the card, in sentences."""
    return differences(said(folder)["measured"], measure(*reopen(folder)), TOLERANCE)
