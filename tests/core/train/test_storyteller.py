"""The recipe runs, can be put down and taken up, writes a folder that reads back; the shipped one keeps its word."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from core.attention import attend_fused
from core.checkpoints import fill, read
from core.models import Decoder
from core.train import card, storyteller
from core.train.__main__ import MODELS, main
from core.train.course import Course, begin, step
from core.train.folder import write
from core.train.measure import pronoun_places
from core.train.stories import stories
from core.train.windows import CONTEXT

SHIPPED = MODELS / "storyteller"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """On a busy machine two threads wait for each other more than they work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))


def test_the_shipped_weights_do_what_their_card_says() -> None:
    assert main(["storyteller", "--check", "--threads", "1"]) == 0


def test_a_wrong_card_is_found_out() -> None:
    said = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    again = json.loads(json.dumps(said))
    assert card.differences(said, again) == []
    again["held_out_loss"] += 0.002
    again["heads"]["induction"]["score"] -= 0.03
    again["heads"]["coreference"]["head"] += 1
    assert len(card.differences(said, again)) == 3


def test_what_is_missed_is_said() -> None:
    said = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    said["heads"]["previous_token"]["score"] = 0.5
    said["heads"]["coreference"]["distractor"] = said["heads"]["coreference"]["antecedent"] / 2
    assert len(card.missed(said)) >= 2


def test_nouns_and_pronouns_are_one_token(tokenizer: Tokenizer) -> None:
    story = next(stories(11))
    words = [*story.cast, "she", "he", "it", "they", "her", "him", "his", "its", "their", "because", "light"]
    assert [word for word in words if len(tokenizer.encode(f" {word}").ids) > 1] == []


def test_a_pronoun_is_found_among_the_tokens(tokenizer: Tokenizer) -> None:
    story = next(s for s in stories(12, held=True) if any(p.distractors for p in s.pronouns))
    encoding = tokenizer.encode(story.text)
    measured = [p for p in story.pronouns if p.antecedents and p.distractors]
    for pronoun, (query, antecedents, _) in zip(measured, pronoun_places(story, encoding.offsets), strict=True):
        assert tokenizer.decode([encoding.ids[query]]).strip() == story.text[slice(*pronoun.span)]
        for tokens in antecedents:
            assert pronoun.noun in tokenizer.decode([encoding.ids[i] for i in tokens])


def test_a_few_steps_lower_the_loss() -> None:
    progress = begin(storyteller.fresh(storyteller.config(300)))
    inputs = torch.randint(1, 300, (2, CONTEXT), generator=torch.Generator().manual_seed(1))
    plan = Course(lambda seed, passed: [(inputs, inputs)], storyteller.loss, lambda batch: 1, half=True)
    losses = [step(progress, plan, (inputs, inputs), 0.3).item() for _ in range(6)]
    assert losses[-1] < losses[0]
    assert set(progress.optimizers) == {"matrices", "positions", "others"}


def test_the_drill_comes_in_its_time(tokenizer: Tokenizer) -> None:
    batches = storyteller.course(tokenizer).batches
    assert next(iter(batches(1, 0.1)))[0].shape == (10, CONTEXT)
    assert next(iter(batches(1, 0.25)))[0].shape == (20, CONTEXT // 2)


def test_a_written_folder_reads_back(tmp_path: Path, tokenizer: Tokenizer) -> None:
    network = storyteller.fresh(storyteller.config(tokenizer.get_vocab_size()))
    write(tmp_path, network, tokenizer)
    checkpoint = read(tmp_path)
    again = Decoder(checkpoint.config, attend=attend_fused)
    fill(again, checkpoint.weights)
    ids = torch.tensor([tokenizer.encode("The cat sat because it was tired").ids])
    assert torch.equal(network(ids), again(ids))
    assert checkpoint.stop == (0,)


def test_the_readme_says_what_the_card_says() -> None:
    said = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    assert card.words(said) == (SHIPPED / "README.md").read_text(encoding="utf-8")
    assert card.missed(said) == []
