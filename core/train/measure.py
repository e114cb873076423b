"""What a trained storyteller can do, measured on stories it has never seen: its loss, and what its heads look at."""

from dataclasses import dataclass
from itertools import chain, islice

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from core.models import Decoder
from core.train.heads import coreference_score, induction_score, previous_token_score
from core.train.stories import Span, Story, stories
from core.train.windows import story_windows

HELD_OUT_SEED = 1_000_003
WINDOWS = 200  # for the loss
STORIES = 300  # for the previous-token and coreference heads
NOISES = 20  # for the induction head
PERIOD = 50


@torch.inference_mode()
def held_out_loss(network: Decoder, tokenizer: Tokenizer) -> float:
    """Nats per token over windows of held-out stories, end tokens included."""
    rows = story_windows(tokenizer, HELD_OUT_SEED, WINDOWS, held=True)
    losses = [
        F.cross_entropy(network(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten()).item()
        for part in torch.split(rows, 20)
    ]
    return sum(losses) / len(losses)


@torch.inference_mode()
def patterns(network: Decoder, ids: list[int]) -> Tensor:
    """All patterns of one pass: [layer, head, query, key]."""
    seen = []

    def look(name: str, value: Tensor) -> Tensor:
        if name.endswith("attn.pattern"):
            seen.append(value[0])
        return value

    network(torch.tensor([ids]), probe=look)
    return torch.stack(seen)


@dataclass(frozen=True)
class Scores:
    """Scores of every head: [layer, head] each."""

    previous_token: Tensor
    induction: Tensor
    antecedent: Tensor
    distractor: Tensor
    latest_antecedent: Tensor  # the antecedent's latest mention alone
    latest_distractor: Tensor
    pronouns: int  # how many were measured


def head_scores(network: Decoder, tokenizer: Tokenizer) -> Scores:
    previous, rows = [], []
    for story in islice(stories(HELD_OUT_SEED, held=True), STORIES):
        encoding = tokenizer.encode(story.text)
        seen = patterns(network, encoding.ids)
        previous.append(_by_layer(previous_token_score(seen.flatten(0, 1)), seen))
        rows += [_pronoun(seen, *places) for places in pronoun_places(story, encoding.offsets)]
    generator = torch.Generator().manual_seed(HELD_OUT_SEED)
    copied = []
    for _ in range(NOISES):
        noise = torch.randint(1, tokenizer.get_vocab_size(), (PERIOD,), generator=generator).tolist()
        seen = patterns(network, noise * 3)
        copied.append(_by_layer(induction_score(seen.flatten(0, 1), PERIOD), seen))
    antecedent, distractor, latest, latest_distractor = torch.stack(rows).mean(dim=0)
    return Scores(
        torch.stack(previous).mean(dim=0), torch.stack(copied).mean(dim=0),
        antecedent, distractor, latest, latest_distractor, len(rows),
    )  # fmt: skip


def pronoun_places(story: Story, offsets: list[Span]) -> list[tuple[int, list[list[int]], list[list[int]]]]:
    """For each pronoun with a distractor: its token, and the tokens of each mention of the one and of the other."""

    def tokens(span: Span) -> list[int]:
        return [i for i, (start, end) in enumerate(offsets) if start < span[1] and end > span[0]]

    return [
        (tokens(p.span)[-1], [tokens(s) for s in p.antecedents], [tokens(s) for s in p.distractors])
        for p in story.pronouns
        if p.antecedents and p.distractors
    ]


def _pronoun(seen: Tensor, query: int, antecedents: list[list[int]], distractors: list[list[int]]) -> Tensor:
    row = seen[:, :, query].flatten(0, 1)
    every = coreference_score(row, [*chain(*antecedents)], [*chain(*distractors)])
    latest = coreference_score(row, antecedents[-1], distractors[-1])
    return torch.stack([_by_layer(score, seen) for score in (*every, *latest)])


def _by_layer(score: Tensor, seen: Tensor) -> Tensor:
    return score.view(seen.shape[:2])
