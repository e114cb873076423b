"""Hiding words, judging reviews and probing vectors, where the answer is known; the shipped reader holds its card."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

import core
from core.models import Encoder
from core.train import course, reader, vocabulary
from core.train.__main__ import MODELS, main
from core.train.reading import MASK_ID, PAD_ID, SPECIAL, probe, token, vectors, verdicts, word_vectors
from core.train.senses import SENSES, WORDS, Sensed
from core.train.shipped import differences, leaves, reopen, said

SHIPPED = MODELS / "reader"
UNCOUNTED = reader.UNCOUNTED


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))


@pytest.fixture(scope="module")
def network(tokenizer: Tokenizer) -> Encoder:
    torch.manual_seed(0)
    return Encoder(reader.config(tokenizer.get_vocab_size()))


def test_a_share_of_the_words_is_asked_for_and_most_of_those_are_hidden() -> None:
    ids = torch.randint(len(SPECIAL), 500, (200, 100), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, 90:] = 1, PAD_ID
    read, wanted = reader.hide(ids, 500, torch.Generator().manual_seed(2))
    asked = wanted != UNCOUNTED
    assert torch.equal(read[~asked], ids[~asked])
    assert torch.equal(wanted[asked], ids[asked])
    assert not asked[:, 0].any()
    assert not asked[:, 90:].any()
    assert asked[:, 1:90].float().mean().item() == pytest.approx(reader.ASKED, abs=0.01)
    assert (read[asked] == MASK_ID).float().mean().item() == pytest.approx(0.8, abs=0.03)
    assert (read[asked] == ids[asked]).float().mean().item() == pytest.approx(0.1, abs=0.03)


def test_batches_come_again(tokenizer: Tokenizer) -> None:
    first, again = (list(reader.batches(tokenizer, 3, 100)) for _ in range(2))
    assert sum(len(batch.ids) for batch in first) == 100
    for one, other in zip(first, again, strict=True):
        for name in ("ids", "segments", "wanted", "judged", "labels"):
            assert torch.equal(getattr(one, name), getattr(other, name))
        assert one.ids.shape == one.segments.shape == one.wanted.shape
    assert any(batch.segments.any() for batch in first)


def test_the_tokenizer_frames_a_text_and_keeps_a_mask_whole(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("The [MASK] sat.").ids
    assert [tokenizer.id_to_token(id) for id in ids] == ["[CLS]", "The", "[MASK]", "Ġsat", ".", "[SEP]"]
    pair = tokenizer.encode("A cat.", "It sat.")
    assert pair.tokens[0] == "[CLS]"
    assert pair.tokens.count("[SEP]") == 2
    assert pair.type_ids == sorted(pair.type_ids)
    for word in WORDS:
        assert len(tokenizer.encode(f"a {word}").ids) == 4


def test_the_storytellers_tokenizer_is_trained_as_before() -> None:
    trained = vocabulary.train(["the cat sat"] * 3)
    assert trained.token_to_id(vocabulary.END) == vocabulary.END_ID == 0


def test_padding_changes_no_vector(tokenizer: Tokenizer, network: Encoder) -> None:
    ids = torch.tensor([tokenizer.encode("The cat sat on the mat.").ids])
    wider = torch.nn.functional.pad(ids, (0, 5))
    assert torch.allclose(vectors(network, wider)[:, : ids.shape[1]], vectors(network, ids), atol=1e-5)
    assert torch.allclose(verdicts(network, wider), verdicts(network, ids), atol=1e-5)


def test_the_loss_is_that_of_the_whole_network(tokenizer: Tokenizer, network: Encoder) -> None:
    batch = next(reader.batches(tokenizer, 3, 20))
    whole = network(
        batch.ids, (batch.ids != PAD_ID)[:, None].expand(-1, batch.ids.shape[1], -1), segments=batch.segments
    )
    words = torch.nn.functional.cross_entropy(
        whole["logits"].flatten(0, 1), batch.wanted.flatten(), ignore_index=UNCOUNTED
    )
    judged = torch.nn.functional.cross_entropy(verdicts(network, batch.judged), batch.labels)
    assert torch.allclose(reader.loss(network, batch), words + judged, atol=1e-4)


def test_a_few_steps_lower_the_loss(tokenizer: Tokenizer) -> None:
    progress = course.begin(reader.fresh(reader.config(tokenizer.get_vocab_size())))
    batch, plan = next(reader.batches(tokenizer, 4, 60)), reader.course(tokenizer)
    losses = [course.step(progress, plan, batch, 0.3).item() for _ in range(8)]
    assert losses[-1] < losses[0] - 1


def test_a_probe_reads_what_is_there_and_not_what_is_not() -> None:
    generator = torch.Generator().manual_seed(1)
    classes = torch.arange(len(SENSES)).repeat(20)
    told = torch.nn.functional.one_hot(classes, len(SENSES)) + 0.1 * torch.randn(
        len(classes), len(SENSES), generator=generator
    )
    assert torch.equal(probe(told[:240], classes[:240], told[240:]), classes[240:])
    noise = torch.randn(len(classes), 16, generator=generator)
    assert (probe(noise[:240], classes[:240], noise[240:]) == classes[240:]).float().mean() < 0.2


def test_a_words_vector_is_taken_at_the_word(tokenizer: Tokenizer, network: Encoder) -> None:
    sentence = Sensed("The lamp gave a light.", "light lamp", ((16, 21),))
    found = word_vectors(network, tokenizer, [sentence])
    at = token(tokenizer.encode(sentence.text).offsets, sentence.spans[0])
    row = tokenizer.encode(sentence.text).ids
    assert tokenizer.decode([row[at]]).strip() == "light"
    assert torch.equal(found["encoder.embed.token"][0], network.encoder.embed.token.weight[row[at]])
    assert torch.allclose(found["encoder.3.resid_post"][0], vectors(network, torch.tensor([row]))[0, at], atol=1e-5)


def test_what_ships_opens_and_reads() -> None:
    model = core.load("reader")
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 12e6
    run = model.run("The food was not bad, but the service was slow.")
    assert run["labels"].argmax().item() == 0
    assert model.run("The food was bad, but the service was not slow.")["labels"].argmax().item() == 1
    masked = model.run("The light of the [MASK] was bright.")
    place = [t.raw for t in masked.tokens].index("[MASK]")
    best = masked.logits[place].topk(5).indices.tolist()
    assert {model.vocabulary.token(id).text for id in best} & {"␣lamp", "␣moon", "␣candle", "␣sun", "␣star"}


def test_the_shipped_weights_do_what_their_card_says() -> None:
    assert main(["reader", "--check", "--threads", "1"]) == 0


def test_the_card_reaches_its_targets_and_a_wrong_one_is_found_out() -> None:
    card = said(SHIPPED)
    assert reader.missed(card) == []
    wrong = said(SHIPPED)
    wrong["measured"]["senses"]["right"] = 0.9
    wrong["measured"]["sentiment"]["right"] = 0.9
    assert len(reader.missed(wrong)) == 2
    assert len(differences(card["measured"], wrong["measured"], 0.01)) == 2


def test_the_words_of_the_card_hold_its_numbers(tmp_path: Path) -> None:
    card = said(SHIPPED)
    reader.describe(tmp_path, card)
    written = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert written == (SHIPPED / "README.md").read_text(encoding="utf-8")
    for name, value in leaves(card["measured"]):
        assert str(value) in written, name
    assert reopen(SHIPPED)[0].config == reader.config(2048)
