"""Windows open with a story, and noise can be predicted from its second time round on, where it counts."""

from itertools import islice

import pytest
import torch
from tokenizers import Tokenizer

from core.train import vocabulary
from core.train.stories import stories
from core.train.windows import CONTEXT, DRILL, UNCOUNTED, USUAL, Mix, batches, noise_windows, story_windows


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return vocabulary.train(story.text for story in islice(stories(0), 2000))


def test_the_tokenizer_falls_back_to_bytes(tokenizer: Tokenizer) -> None:
    text = "The cat 猫 🐱 naïve\n\tend"
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    assert tokenizer.get_vocab_size() == vocabulary.SIZE
    assert tokenizer.token_to_id(vocabulary.END) == vocabulary.END_ID == 0
    assert tokenizer.encode("").ids == []


def test_a_window_opens_with_a_story(tokenizer: Tokenizer) -> None:
    rows = story_windows(tokenizer, 3, 20)
    assert rows.shape == (20, CONTEXT + 1)
    texts = {tuple(tokenizer.encode(story.text).ids) for story in islice(stories(3), 1000)}
    for row in rows.tolist():
        assert tuple(row[: row.index(0)]) in texts


def test_noise_comes_again_with_its_period_and_from_its_alphabet() -> None:
    alphabet = torch.arange(100, 600, 5)
    rows, periods = noise_windows(alphabet, 30, (10, 40), torch.Generator().manual_seed(1))
    assert rows.shape == (30, CONTEXT + 1)
    assert set(rows.unique().tolist()) <= set(alphabet.tolist())
    assert periods.min() >= 10
    assert periods.max() <= 40
    for row, period in zip(rows, periods.tolist(), strict=True):
        assert torch.equal(row[period:], row[:-period])


@pytest.mark.parametrize("mix", [USUAL, DRILL])
def test_targets_follow_inputs_and_the_first_time_round_does_not_count(tokenizer: Tokenizer, mix: Mix) -> None:
    inputs, targets = next(batches(tokenizer, 5, 1, mix))
    assert inputs.shape == targets.shape == (mix.stories + mix.noises, mix.length)
    assert inputs.numel() == 2560  # a step reads as much in either mix
    counted = targets != UNCOUNTED
    assert torch.equal(targets[:, :-1][counted[:, :-1]], inputs[:, 1:][counted[:, :-1]])
    assert counted[: mix.stories].all()
    for row, target in zip(inputs[mix.stories :], targets[mix.stories :], strict=True):
        first = int((target != UNCOUNTED).nonzero()[0])
        assert target[first] == row[0]  # what counts begins where the noise begins again
        assert mix.periods[0] <= first + 1 <= mix.periods[1]


def test_a_seed_gives_the_same_batches(tokenizer: Tokenizer) -> None:
    for ours, theirs in zip(batches(tokenizer, 5, 3, USUAL), batches(tokenizer, 5, 3, USUAL), strict=True):
        assert torch.equal(ours[0], theirs[0])
        assert torch.equal(ours[1], theirs[1])
