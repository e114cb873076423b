"""The recipe trains what its card measures; the measures are right where the answer is known; the shipped one holds."""

from itertools import islice
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

import core
from core.models import Seq2Seq
from core.train import course, translator
from core.train.__main__ import MODELS, main
from core.train.pairs import FRENCH, pairs
from core.train.shipped import differences, leaves, reopen, said
from core.train.translating import alignment, exact_match, tokens, translate
from core.train.wordlist import END_ID, START_ID, build

SHIPPED = MODELS / "translator"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return build(islice(pairs(0), 5000))


@pytest.fixture(scope="module")
def network(tokenizer: Tokenizer) -> Seq2Seq:
    """One that can be looked at: few layers, random."""
    torch.manual_seed(0)
    return Seq2Seq(translator.config(tokenizer.get_vocab_size()))


def test_batches_come_again_and_are_framed(tokenizer: Tokenizer) -> None:
    first, again = (list(translator.batches(tokenizer, 3, 200)) for _ in range(2))
    assert sum(len(batch.sources) for batch in first) == 200
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one.sources, other.sources)
        assert (one.targets[:, 0] == START_ID).all()
        assert ((one.targets == END_ID).sum(dim=1) == 1).all()


def test_padding_changes_no_loss(tokenizer: Tokenizer, network: Seq2Seq) -> None:
    batch = next(translator.batches(tokenizer, 3, 50))
    wider = translator.Batch(
        torch.nn.functional.pad(batch.sources, (0, 4)), torch.nn.functional.pad(batch.targets, (0, 3))
    )
    one, other = translator.loss(network, batch), translator.loss(network, wider)
    assert torch.allclose(one, other, atol=1e-5)
    assert batch.tokens == wider.tokens


def test_a_few_steps_lower_the_loss(tokenizer: Tokenizer) -> None:
    progress = course.begin(translator.fresh(translator.config(tokenizer.get_vocab_size())))
    batch = next(translator.batches(tokenizer, 4, 60))
    plan = translator.course(tokenizer)
    losses = [course.step(progress, plan, batch, 0.3).item() for _ in range(8)]
    assert losses[-1] < losses[0] - 1


def test_first_weights_have_the_papers_sizes(tokenizer: Tokenizer) -> None:
    network = translator.fresh(translator.config(tokenizer.get_vocab_size()))
    spread = network.encoder.embed.token.weight.std().item() * network.config.d_model**0.5
    assert spread == pytest.approx(1.0, abs=0.05)
    assert network.head.weight is network.encoder.embed.token.weight
    assert network.decoder.embed.token is network.encoder.embed.token


def test_a_batch_is_translated_as_each_alone(tokenizer: Tokenizer, network: Seq2Seq) -> None:
    sources = [pair.source for pair in islice(pairs(5), 4)]
    assert translate(network, tokenizer, sources) == [translate(network, tokenizer, [s])[0] for s in sources]


def test_a_random_network_is_wrong_and_looks_nowhere(tokenizer: Tokenizer, network: Seq2Seq) -> None:
    asked = list(islice(pairs(6, language=FRENCH), 10))
    exact = exact_match(network, tokenizer, asked)
    assert (exact.share, exact.sentences) == (0.0, 10)
    found = alignment(network, tokenizer, asked)
    assert found.words == sum(link.content for pair in asked for link in pair.links)
    assert found.shares.shape == (3, 4)
    assert found.shares.max() < 0.7


def test_tokens_of_a_span() -> None:
    assert tokens([(0, 3), (3, 7), (7, 9)], (4, 7)) == [1]
    assert tokens([(0, 3), (3, 7), (7, 9)], (4, 8)) == [1, 2]


def test_what_ships_opens_and_translates() -> None:
    model = core.load("translator")
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 12e6
    run = model.run("the red car", target="la voiture rouge")
    assert [token.text for token in run.target_tokens] == ["<s>", "la", "␣voiture", "␣rouge"]
    network, tokenizer = reopen(SHIPPED)
    assert isinstance(network, Seq2Seq)
    sources = ["The cat sees the red car.", "<zh> The cat sees the red car."]
    assert translate(network, tokenizer, sources) == ["Le chat voit la voiture rouge.", "猫看见红色的汽车。"]


def test_the_shipped_weights_do_what_their_card_says() -> None:
    assert main(["translator", "--check", "--threads", "1"]) == 0


def test_the_card_reaches_its_target_and_a_wrong_one_is_found_out() -> None:
    card = said(SHIPPED)
    assert translator.missed(card) == "No target was missed."
    assert differences(card["measured"], card["measured"], 0.005) == []
    wrong = said(SHIPPED)["measured"]
    wrong["exact"]["french"] -= 0.01
    wrong["aligned"]["chinese"]["head"] += 1
    assert len(differences(card["measured"], wrong, 0.005)) == 2


def test_the_words_of_the_card_hold_its_numbers(tmp_path: Path) -> None:
    card = said(SHIPPED)
    translator.describe(tmp_path, card)
    written = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert written == (SHIPPED / "README.md").read_text(encoding="utf-8")
    for name, value in leaves(card["measured"]):
        assert isinstance(value, list) or str(value) in written, name
