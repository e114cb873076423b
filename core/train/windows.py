"""What the network trains on: windows of one context length, cut from fresh stories and from noise said twice.

A window opens with a story's first word, as a sentence typed into the app does, and packs stories behind it, an end
token between them. A share of the windows is a random sequence of tokens, repeated until the window is full: only a
head that finds the previous occurrence and copies what followed it (an induction head) can predict those. The first
time round cannot be predicted at all and does not count. One half of the noise is drawn evenly from the tokens that
the stories use, whose copying the stories teach too, the other from the whole vocabulary, bytes included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from core.train.stories import stories
from core.train.vocabulary import END_ID

CONTEXT = 256
UNCOUNTED = -100  # what cross_entropy ignores


@dataclass(frozen=True)
class Mix:
    """What one batch is made of: windows of each kind, and their length in tokens."""

    stories: int
    noises: int
    length: int
    periods: tuple[int, int]  # of the noise, in tokens, both included


DRILL = Mix(stories=8, noises=12, length=128, periods=(10, 50))
USUAL = Mix(stories=8, noises=2, length=CONTEXT, periods=(10, 100))


def story_windows(tokenizer: Tokenizer, seed: int, count: int, *, held: bool = False) -> Int[Tensor, "window token"]:
    """`count` windows of CONTEXT + 1 ids, so that each of the CONTEXT inputs has a target."""
    size = CONTEXT + 1
    source = stories(seed, held=held)
    rows: list[list[int]] = []
    row: list[int] = []
    while len(rows) < count:
        for encoding in tokenizer.encode_batch([story.text for story in islice(source, 1000)]):
            row += [*encoding.ids, END_ID]
            if len(row) >= size:
                rows.append(row[:size])
                row = []
    return torch.tensor(rows[:count])


def noise_windows(
    alphabet: Int[Tensor, "type"], count: int, periods: tuple[int, int], generator: torch.Generator
) -> tuple[Int[Tensor, "window token"], Int[Tensor, "window"]]:
    """`count` windows of noise from an alphabet of token ids, and how long the repeated part of each is.

    Each window draws from a palette of its own, of 16 to 512 tokens. In a small one a token stands in several places,
    so that what comes next depends on the token before as well: a blurred previous-token head will not do.
    """
    low, high = periods
    drawn = torch.randint(low, high + 1, (count,), generator=generator)
    palettes = alphabet[torch.randint(len(alphabet), (count, 512), generator=generator)]
    sizes = 16 * 32 ** torch.rand(count, 1, generator=generator)
    noise = palettes.gather(1, (torch.rand(count, high, generator=generator) * sizes).long())
    places = torch.arange(CONTEXT + 1) % drawn[:, None]
    return noise.gather(1, places), drawn


def batches(tokenizer: Tokenizer, seed: int, steps: int, mix: Mix) -> Iterator[tuple[Tensor, Tensor]]:
    """`steps` pairs of inputs and targets, [window, length] each; the same seed gives the same pairs."""
    generator = torch.Generator().manual_seed(seed)
    rows = story_windows(tokenizer, seed, steps * mix.stories)
    vocabulary = torch.arange(END_ID + 1, tokenizer.get_vocab_size())
    of_stories = torch.unique(rows[rows != END_ID])
    for told in torch.split(rows, mix.stories):
        known, knowns = noise_windows(of_stories, (mix.noises + 1) // 2, mix.periods, generator)
        other, others = noise_windows(vocabulary, mix.noises // 2, mix.periods, generator)
        window = torch.cat([told, known, other])[:, : mix.length + 1]
        inputs, targets = window[:, :-1], window[:, 1:].clone()
        first_time = torch.arange(mix.length) < torch.cat([knowns, others])[:, None] - 1
        targets[mix.stories :][first_time] = UNCOUNTED
        yield inputs, targets
