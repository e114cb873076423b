"""The recipe of `assets/models/reader`: a BERT of about a million parameters, on two CPU cores.

It learns two things at once: to guess hidden words (a quarter of the tokens are asked for; of those 80 % are hidden,
10 % replaced, 10 % left, as in Devlin et al. 2019, task 1), and to say from the first token whether a review praises
or blames. Nobody tells it the senses of words: that a vector knows them is found afterwards.

A step asks for few words, so its gradient is noisy, and Muon makes noise as large as signal: at a third of the usual
rate the matrices learn within half a million tokens what at the usual one they had not begun to after a million.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from jaxtyping import Int
from tokenizers import AddedToken, Tokenizer, processors
from torch import Tensor, nn
from torch.nn import functional as F

from core.attention import attend_fused
from core.checkpoints.original import save
from core.config import Config
from core.models import Encoder
from core.position import sinusoids
from core.train import vocabulary
from core.train.batches import by_length, padded
from core.train.course import Course, first_weights, spent, trained
from core.train.reading import CLS_ID, CONTEXT, MASK_ID, PAD_ID, SEP_ID, SPECIAL, guesses, measure, vectors, verdicts
from core.train.reviews import LABELS, Review, reviews
from core.train.senses import sentences
from core.train.shipped import differences, reopen, said, write_card
from core.train.stories import stories

STRETCH = 4_000  # texts from one checkpoint to the next
SHARES = {"stories": 0.12, "senses": 0.58, "reviews": 0.3}  # of the texts whose words are hidden
ROOM, JUDGED = 2400, 16  # of a batch: tokens with hidden words, reviews to judge
PEAKS = {"matrices": 0.006, "positions": 0.001, "others": 0.003}  # learning rates at the end of the warm-up
ASKED = 0.25  # of the tokens: more than BERT's 15 %, since the run is short
PAIRED = 0.3  # of the stories are cut in two, as a pair of sentences
VOCABULARY_SEED, VOCABULARY_TEXTS = 0, 60_000
UNCOUNTED = -100  # what cross_entropy ignores
APART = 1 << 40  # between the seeds of two streams
TARGET, BARE_TARGET, TOLERANCE = 0.95, 0.6, 0.01
SAMPLES = (
    "The cat [MASK] on the mat because it was tired.",
    "The light is on, and Anna reads.",
    "The bag is light, because it is empty.",
    "Tom sat on the bank of the river.",
    "The queen took the money to the bank.",
    "The food was not bad, but the service was slow.",
    "Although the film was long, I loved it.",
    "In the [MASK] the flowers grow and the snow is gone.",
)


@dataclass(frozen=True)
class Batch:
    ids: Int[Tensor, "row position"]  # some hidden
    segments: Int[Tensor, "row position"]
    wanted: Int[Tensor, "row position"]  # what was there, where it is asked for
    judged: Int[Tensor, "review position"]
    labels: Int[Tensor, "review"]

    @property
    def tokens(self) -> int:
        return int((self.ids != PAD_ID).sum() + (self.judged != PAD_ID).sum())


def config(vocab_size: int) -> Config:
    width, heads = 128, 4
    return Config(
        kind="encoder", vocab_size=vocab_size, d_model=width, n_layers=4, n_heads=heads, n_kv_heads=heads,
        d_head=width // heads, d_ff=4 * width, context=CONTEXT, norm_eps=1e-12, placement="post", final_norm=False,
        activation="gelu", embed_norm=True, segments=2, word_head="masked", head_bias=True, labels=len(LABELS),
        pooler="tanh",
    )  # fmt: skip


def texts(seed: int, count: int) -> list[str | tuple[str, str]]:
    """Stories, sentences with ambiguous words, reviews; some stories as a pair of halves."""
    rng = Random(seed)
    told, sensed, judged = stories(seed), sentences(seed), reviews(seed)
    found: list[str | tuple[str, str]] = []
    for kind in rng.choices(list(SHARES), list(SHARES.values()), k=count):
        if kind == "senses":
            found.append(next(sensed).text)
        elif kind == "reviews":
            found.append(next(judged).text)
        else:
            text = next(told).text
            halves = text.split(". ")
            cut = len(halves) // 2
            paired = len(halves) > 1 and rng.random() < PAIRED
            found.append((". ".join(halves[:cut]) + ".", ". ".join(halves[cut:])) if paired else text)
    return found


def words() -> Tokenizer:
    """Byte-level BPE as the storyteller has it, with BERT's marks around a text; [MASK] takes the blank before it."""
    drawn = (" ".join(text) if isinstance(text, tuple) else text for text in texts(VOCABULARY_SEED, VOCABULARY_TEXTS))
    tokenizer = vocabulary.train(drawn, SPECIAL)
    tokenizer.add_special_tokens([AddedToken(word, lstrip=word == "[MASK]") for word in SPECIAL])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS_ID), ("[SEP]", SEP_ID)],
    )
    return tokenizer


def fresh(config: Config) -> Encoder:
    """A network that has read nothing. Its position table begins as the original's sinusoids, of the tokens' size."""
    network = Encoder(config, attend=attend_fused)
    first_weights(network, config.d_model)
    with torch.no_grad():
        table = sinusoids(CONTEXT, config.d_model) * config.d_model**-0.5
        network.get_parameter("encoder.embed.add_positions.table").copy_(table)
    return network


def hide(
    ids: Int[Tensor, "row position"], size: int, generator: torch.Generator
) -> tuple[Int[Tensor, "row position"], Int[Tensor, "row position"]]:
    """The ids with some hidden or replaced, and what was there where it is asked for (elsewhere UNCOUNTED)."""
    draw = torch.rand(ids.shape, generator=generator)
    asked = (draw < ASKED) & (ids >= len(SPECIAL))
    how = torch.rand(ids.shape, generator=generator)
    others = torch.randint(len(SPECIAL), size, ids.shape, generator=generator)
    read = ids.where(~(asked & (how < 0.8)), torch.tensor(MASK_ID))
    read = read.where(~(asked & (how >= 0.9)), others)
    return read, ids.where(asked, torch.tensor(UNCOUNTED))


def batches(tokenizer: Tokenizer, seed: int, count: int = STRETCH) -> Iterator[Batch]:
    """`count` fresh texts in batches, each with some fresh reviews beside them; the same seed gives the same ones."""
    generator = torch.Generator().manual_seed(seed)
    encodings = tokenizer.encode_batch(texts(seed, count))
    rows = [e.ids[:CONTEXT] for e in encodings]
    judged = reviews(seed + APART)
    for chosen in by_length([len(row) for row in rows], ROOM, Random(seed)):
        ids = padded([rows[i] for i in chosen], PAD_ID)
        segments = padded([encodings[i].type_ids[:CONTEXT] for i in chosen], 0)
        given: list[Review] = list(islice(judged, JUDGED))
        read, wanted = hide(ids, tokenizer.get_vocab_size(), generator)
        texts_judged = padded([e.ids for e in tokenizer.encode_batch([r.text for r in given])], PAD_ID)
        yield Batch(read, segments, wanted, texts_judged, torch.tensor([r.label for r in given]))


def loss(network: nn.Module, batch: Batch) -> Tensor:
    """Nats per hidden word, and nats per verdict; the word head is asked about the hidden words only."""
    assert isinstance(network, Encoder)
    asked = batch.wanted != UNCOUNTED
    said = guesses(network, vectors(network, batch.ids, batch.segments)[asked])
    words = F.cross_entropy(said.float(), batch.wanted[asked])
    return words + F.cross_entropy(verdicts(network, batch.judged).float(), batch.labels)


def course(tokenizer: Tokenizer) -> Course[Batch]:
    return Course(lambda seed, passed: batches(tokenizer, seed), loss, lambda batch: batch.tokens, PEAKS)


def make(folder: Path, minutes: float, scratch: Path, *, resume: bool, note: str = "") -> dict[str, Any]:
    """Trains, writes the model folder with its card, and returns the card. A killed run can be resumed."""
    tokenizer = words()
    network = fresh(config(tokenizer.get_vocab_size()))
    progress = trained(network, course(tokenizer), minutes, scratch / "reader.pt", resume=resume)
    save(folder, network, tokenizer, pad_token_id=PAD_ID, id2label=dict(enumerate(LABELS)))
    card = {
        "measured": measure(*reopen(folder)),
        "training": spent(progress) | {"note": note},
        "samples": list(SAMPLES),
    }
    return describe(folder, card)


def describe(folder: Path, card: dict[str, Any]) -> dict[str, Any]:
    """Writes the card."""
    sites = "\n".join(f"| `{site}` | {share} |" for site, share in card["measured"]["senses"]["sites"].items())
    write_card(folder, card, "reader.md", sites=sites, missed="\n".join(missed(card)) or "No target was missed.")
    return card


def missed(card: dict[str, Any]) -> list[str]:
    """The targets that a card does not reach, each in a sentence."""
    senses, verdicts = card["measured"]["senses"], card["measured"]["sentiment"]["right"]
    found = []
    if senses["right"] <= TARGET:
        found.append(f"The probe for senses reaches {senses['right']}; the target was above {TARGET}.")
    if senses["bare"] > BARE_TARGET:
        found.append(f"On the bare embedding it reaches {senses['bare']}; the target was at most {BARE_TARGET}.")
    if verdicts <= TARGET:
        found.append(f"Sentiment reaches {verdicts}; the target was above {TARGET}.")
    return found


def check(folder: Path) -> list[str]:
    """Measures the shipped weights again; where that leaves the card, in sentences."""
    return differences(said(folder)["measured"], measure(*reopen(folder)), TOLERANCE)
