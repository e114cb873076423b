"""Beam search, held against all lines there are, on networks too small to hide any. Parity: test_parity_families."""

import itertools
from typing import Any

import pytest
import torch

import core
from core.beam import Hypothesis, search
from core.errors import GlassformerError, SamplingError
from core.model import Model
from tests.core import tiny

VOCAB, LENGTH, END = 5, 4, 2
PAIR = tiny.model(tiny.config(**tiny.ORIGINAL, kind="seq2seq", vocab_size=VOCAB), seed=4, stop=(END,))
DECODER = tiny.model(tiny.config(vocab_size=VOCAB), seed=4, stop=(END,))
BOTH = pytest.mark.parametrize("model", [PAIR, DECODER], ids=["pair", "decoder"])
PROMPT = {"ids": [1, 3, 4]}


def ids(one: Hypothesis) -> list[int]:
    return [token.id for token in one.line]


def logprob(model: Model, line: list[int]) -> float:
    """What a line is worth, from one full pass."""
    begun = {"target_ids": [0, *line]} if model.config.kind == "seq2seq" else {"ids": [*PROMPT["ids"], *line]}
    rows = model.run(**PROMPT | begun).logits.double().log_softmax(-1)
    rows = rows[-len(line) - 1 : -1]
    return float(rows[range(len(line)), line].sum())


def every() -> list[list[int]]:
    """All texts: lines that end, and those of full length."""
    lines = [list(line) for n in range(1, LENGTH + 1) for line in itertools.product(range(VOCAB), repeat=n)]
    return [line for line in lines if END not in line[:-1] and (line[-1] == END or len(line) == LENGTH)]


@BOTH
@pytest.mark.parametrize("penalty", [0.0, 1.0, -0.5])
def test_a_beam_as_wide_as_all_lines_finds_the_best_texts(model: Model, penalty: float) -> None:
    found = model.beam(**PROMPT, width=VOCAB**LENGTH, max_new_tokens=LENGTH, length_penalty=penalty)
    ranked = sorted(((logprob(model, line) / len(line) ** penalty, line) for line in every()), reverse=True)
    for one, (score, line) in zip(found.finished[:20], ranked, strict=False):
        assert one.score == pytest.approx(score, abs=1e-5)
        assert ids(one) == line
    assert found.best is found.finished[0]


@BOTH
def test_a_beam_of_one_is_greedy(model: Model) -> None:
    greedy = [step.token.id for step in model.generate(**PROMPT, max_new_tokens=LENGTH, temperature=0)]
    assert ids(model.beam(**PROMPT, width=1, max_new_tokens=LENGTH).best) == greedy


@BOTH
def test_every_candidate_is_a_leaf_of_the_tree_with_its_fate(model: Model) -> None:
    found = model.beam(**PROMPT, width=2, max_new_tokens=LENGTH, length_penalty=2.0)
    parents: tuple[Hypothesis | None, ...] = (None,)
    for n, step in enumerate(found.steps, start=1):
        assert [one.logprob for one in step] == sorted((one.logprob for one in step), reverse=True)
        for one in step:
            assert one.parent in parents
            assert len(one.line) == n
            assert one.logprob == pytest.approx(logprob(model, ids(one)), abs=1e-5)
            assert (one.score is not None) == (one.fate == "finished")
            assert one.fate != "finished" or one.token.id == END or n == LENGTH
            assert one.fate != "kept" or one.token.id != END
        assert len(found.kept(n - 1)) <= 2
        parents = found.kept(n - 1)
    assert len(found.finished) <= 2
    assert all(one in itertools.chain(*found.steps) for one in found.finished)


@BOTH
def test_the_same_search_finds_the_same(model: Model) -> None:
    one, two = (model.beam(**PROMPT, width=3, max_new_tokens=LENGTH) for _ in range(2))
    assert [[(ids(x), x.logprob, x.fate) for x in step] for step in one.steps] == [
        [(ids(x), x.logprob, x.fate) for x in step] for step in two.steps
    ]


def test_equal_lines_go_by_line_and_id() -> None:
    flat = tiny.model(tiny.config(vocab_size=VOCAB), seed=1)
    with torch.no_grad():
        flat.network.decoder.final_norm.gain.zero_()
        flat.network.decoder.final_norm.bias.zero_()
    found = flat.beam(**PROMPT, width=2, max_new_tokens=2)
    assert [ids(one) for one in found.steps[0]] == [[0], [1], [2], [3]]
    assert [ids(one) for one in found.steps[1]] == [[0, 0], [0, 1], [0, 2], [0, 3]]


def test_a_search_goes_on_from_any_reading() -> None:
    begun = PAIR.begin(**PROMPT, target_ids=[0, 3])
    found = search(begun, width=2, max_new_tokens=2, stop=())
    assert found.begun is begun
    assert found.best.text == "t3 " + " ".join(f"t{id}" for id in ids(found.best))
    assert ids(found.best) == ids(PAIR.beam(**PROMPT, target_ids=[0, 3], width=2, max_new_tokens=2, stop=()).best)


def test_a_search_ends_where_the_context_does() -> None:
    found = DECODER.beam(ids=[1] * 15, width=2, max_new_tokens=9, stop=())
    assert len(found.best.line) == 2
    assert len(DECODER.beam(ids=[1] * 16, width=2, max_new_tokens=9, stop=()).best.line) == 1


def test_where_every_token_ends_a_text_nothing_goes_on() -> None:
    found = PAIR.beam(**PROMPT, width=4, max_new_tokens=9, stop=tuple(range(VOCAB)))
    assert len(found.steps) == 1
    assert not found.kept(0)
    assert [ids(one) for one in found.finished] == [ids(one) for one in found.steps[0][:4]]
    few = PAIR.beam(**PROMPT, width=9, max_new_tokens=9, stop=tuple(range(VOCAB)))
    assert (len(few.steps), len(few.finished)) == (1, VOCAB)


WRONG: list[dict[str, Any]] = [{"width": 0}, {"width": -1}, {"width": 2.0}, {"width": "2"}, {"max_new_tokens": 0}]
WRONG += [{"length_penalty": float("nan")}, {"length_penalty": 11}, {"length_penalty": None}]


@pytest.mark.parametrize("wrong", WRONG)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SamplingError, match=r"^The (width|max_new_tokens|length penalty) is .*\.$"):
        PAIR.beam(**PROMPT, **wrong)


def test_edits_and_keep_hold_in_every_pass_of_a_search() -> None:
    edits = {"decoder.0.cross.z": core.zero()}
    found = PAIR.beam(**PROMPT, width=2, max_new_tokens=2, keep=["*.cross.z"], edits=edits)
    for one in itertools.chain(*found.steps):
        assert one.reading.run.sites == ("decoder.0.cross.z", "decoder.1.cross.z", "logits")
        assert (one.reading.run["decoder.0.cross.z"] == 0).all()


def test_an_encoder_cannot_write() -> None:
    reader = tiny.model(tiny.PRESETS["bert"])
    for call in (reader.beam, reader.generate, reader.begin):
        with pytest.raises(GlassformerError, match=r"^tiny is an encoder: it reads a whole text at once, and cannot"):
            call(ids=[1, 2])
