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


def test_a_run_taken_up_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    inputs = torch.randint(1, 300, (2, CONTEXT), generator=torch.Generator().manual_seed(1))
    straight, first = storyteller.begin(300), storyteller.begin(300)
    for progress in (straight, first):
        storyteller.step(progress, inputs, inputs, 0.5)
    first.stretches, first.seconds = 3, 12.5
    first.save(tmp_path / "run.pt")
    second = storyteller.begin(300)
    second.load(tmp_path / "run.pt")
    assert (second.stretches, second.seconds) == (3, 12.5)
    storyteller.step(straight, inputs, inputs, 0.5)
    storyteller.step(second, inputs, inputs, 0.5)
    for ours, theirs in zip(straight.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_rate_rises_and_falls() -> None:
    shares = [storyteller.schedule(i / 100) for i in range(101)]
    assert shares[0] == 0.0
    assert max(shares) == pytest.approx(1.0, abs=0.01)
    assert shares[-1] == pytest.approx(0.02)


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
