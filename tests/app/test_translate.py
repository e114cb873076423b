"""Translate: what is shown is what core computed, stepping computes nothing, and any target can be typed."""

import gc
from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np
import pytest

import core
from app import runs, says
from tests.app.test_views import TEXTS, alerts, sent, visit

RED = "the red car is old ."
TARGETS = ["la", "la voiture", "  ", "<b>$x$</b> *not*", "红 车", "</s> <s>", "la " * 30]


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.parametrize("tab", ["steps", "maps", "beams"])
@pytest.mark.parametrize("text", [*TEXTS.values(), "the", "the red " * 18])
def test_any_source_is_translated_or_answered(a_pair: str, text: str, tab: str) -> None:
    at = visit("translate", text=text, tab=tab)
    assert not at.exception
    assert bool(alerts(at)) == (len(text) > 300 or not text.strip())  # longer than it can read, or no word to it
    assert bool(at.get("bidi_component")) != bool(alerts(at))
    assert at.text_input[0].value == text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("tab", ["steps", "maps", "beams"])
def test_any_target_is_read(a_pair: str, target: str, tab: str) -> None:
    at = visit("translate", text=RED, target=target, tab=tab)
    assert not at.exception
    assert alerts(at) == []
    assert at.query_params["target"] == target


def test_a_target_that_is_too_long_gets_a_sentence_and_stays(a_pair: str) -> None:
    at = visit("translate", text=RED, target="la " * 60)
    assert not at.exception
    (sentence,) = alerts(at)
    assert "target has 61 tokens" in sentence
    assert at.text_input[1].label == "Target"
    assert at.text_input[1].value == "la " * 60
    assert not at.get("bidi_component")


@pytest.mark.parametrize(
    ("query", "says_so"),
    [
        ({"step": "7"}, "step 7"),
        ({"step": "-1"}, "step"),
        ({"layer": "2"}, "layer 2"),
        ({"head": "4"}, "head 4"),
        ({"tab": "everything"}, "tab"),
        ({"width": "7"}, "width"),
        ({"width": "0"}, "width"),
        ({"target": "x" * 20_001}, "target"),
    ],
)
def test_an_address_that_is_not_valid_falls_back_and_says_so(a_pair: str, query: dict[str, str], says_so: str) -> None:
    at = visit("translate", text=RED, **query)
    assert not at.exception
    (sentence,) = alerts(at)
    assert says_so in sentence
    assert next(iter(query)) not in at.query_params
    assert at.get("bidi_component")


def test_what_is_shown_is_what_core_computed(a_pair: str, pair_folder: Path) -> None:
    model = core.load(pair_folder)
    run = model.run(RED)
    header, arrays = sent(visit("translate", text=RED), "crossing")
    for layer in range(2):
        np.testing.assert_array_equal(arrays["maps"][layer], run[f"decoder.{layer}.cross.pattern"].numpy())
    assert [token["text"] for token in header["sources"]] == [token.text for token in run.tokens]
    assert [token["text"] for token in header["targets"]] == [token.text for token in run.target_tokens]
    assert header["after"]["text"] == "</s>"
    chances = run.logits.double().softmax(-1)
    for step, ids in enumerate(step["ids"] for step in header["steps"]):
        np.testing.assert_allclose(arrays["top"][step], chances[step, ids].numpy(), rtol=1e-6)
        assert ids[0] == header["steps"][step]["token"]  # greedy
        assert arrays["top"][step].sum() + arrays["rest"][step] == pytest.approx(1, abs=1e-6)


def test_a_step_of_the_one_pass_is_a_step_of_decoding(a_pair: str, pair_folder: Path) -> None:
    shown = says.steps(runs.look(a_pair, RED))
    drawn = list(core.load(pair_folder).generate(RED, temperature=0, max_new_tokens=20))
    assert [step.token.id for step in shown] == [step.token.id for step in drawn]
    for one, other in zip(shown, drawn, strict=True):
        alone = other.reading.logits.double().softmax(-1)[other.token.id]
        assert one.share == pytest.approx(float(alone), rel=1e-4)


def test_a_target_of_ones_own_is_told_what_the_model_would_have_said(a_pair: str, pair_folder: Path) -> None:
    target = "la voiture vieille"
    header, arrays = sent(visit("translate", text=RED, target=target), "crossing")
    run = core.load(pair_folder).run(RED, target=target)
    said = run.logits.double().softmax(-1)
    ids = [token.id for token in run.target_tokens[1:]]
    for at, id in enumerate(ids):
        assert header["steps"][at]["token"] == id
        assert arrays["shares"][at] == pytest.approx(float(said[at, id]), rel=1e-5)
        assert header["steps"][at]["best"] == int(said[at].argmax())
    assert [step["names"][0] for step in header["steps"]][2] == "rouge"


def test_stepping_reruns_nothing(a_pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at = visit("translate", text=RED)
    passes = []
    monkeypatch.setattr("core.reading.record", lambda *args, **given: passes.append(args))
    for name, value in (("step", "1"), ("step", "4"), ("layer", "1"), ("head", "2"), ("tab", "maps"), ("step", "0")):
        at.query_params[name] = value
        at.run()
        assert not at.exception
    assert passes == []


def test_decoding_reads_the_source_once(a_pair: str, pair_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = core.load(pair_folder)
    read = []
    encode = type(model.network).encode
    monkeypatch.setattr(type(model.network), "encode", lambda self, *args: read.append(1) or encode(self, *args))
    model.beam(RED, width=4)
    assert len(read) == 1


@pytest.mark.parametrize("part", ["encoder.attn", "decoder.attn", "decoder.cross"])
def test_each_kind_of_map_has_its_own_axes(a_pair: str, part: str) -> None:
    header, arrays = sent(visit("translate", text=RED, tab="maps", part=part), "attention")
    source = [token.text for token in runs.look(a_pair, RED).tokens]
    target = [token.text for token in runs.look(a_pair, RED).run.target_tokens]
    queries = source if part == "encoder.attn" else target
    keys = target if part == "decoder.attn" else source
    assert [token["text"] for token in header["queries"]] == queries
    assert [token["text"] for token in header["keys"]] == keys
    if part == "decoder.attn":
        assert not np.triu(arrays["maps"], 1).any()


@pytest.mark.parametrize("width", [1, 3, 6])
def test_the_tree_is_that_of_the_search(a_pair: str, pair_folder: Path, width: int) -> None:
    header, arrays = sent(visit("translate", text=RED, tab="beams", width=str(width)), "beams")
    tree = core.load(pair_folder).beam(RED, width=width, max_new_tokens=runs.LONGEST)
    every = [one for step in tree.steps for one in step]
    nodes = header["nodes"]
    assert [(node["token"], node["fate"]) for node in nodes] == [(one.token.text, one.fate) for one in every]
    np.testing.assert_allclose(arrays["logprobs"], [one.logprob for one in every], rtol=1e-6)
    for node, one in zip(nodes, every, strict=True):
        assert (node["parent"] is None) == (one.parent is None)
        if one.parent:
            assert every[node["parent"]].line == one.parent.line
    best = [node["token"] for node in nodes if node.get("best")]
    assert best == [token.text for token in tree.best.line]
    assert header["texts"][0]["score"] == pytest.approx(tree.best.score)
    look = runs.look(a_pair, RED)
    assert arrays["greedy"][0] == pytest.approx(sum(log(step.share) for step in says.steps(look)), rel=1e-5)
    greedy = [node["token"] for node in nodes if node.get("greedy")]
    assert greedy == [step.token.text for step in says.steps(look)]


def test_the_default_head_is_the_one_that_the_card_calls_alignment(
    a_pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "card", lambda name: runs.Card(heads={"alignment": (1, 3)}))
    header, _ = sent(visit("translate", text=RED), "crossing")
    assert header["view"] == {"layer": 1, "head": 3, "step": 0}


@pytest.mark.parametrize("name", ["storyteller", "reader"])
def test_a_model_of_another_kind_gets_the_sentence(name: str) -> None:
    if name not in core.models():
        pytest.skip("this model is not built in yet")
    at = visit("translate", model=name, text="The cat")
    assert not at.exception
    (sentence,) = alerts(at)
    assert "another kind of model" in sentence
    assert not at.get("bidi_component")
