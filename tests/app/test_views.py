"""Every view, run by Streamlit's own AppTest: on texts of every kind, and for several visitors at once."""

import gc
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

import core
from app import runs
from app.components.wire import unpack
from app.views import VIEWS
from app.views.attention import telling, window

TEXTS = {
    "one token": "The",
    "a sentence": "The cat sat because it was tired",
    "repeated words": "the cat the cat the",
    "blank": "   ",
    "Chinese": "你好，世界",
    "emoji": "🙂 👨‍👩‍👧",
    "Arabic": "مرحبا",
    "markup": "<b>$x$</b> *not* :smile: [l](u)",
    "numbers": "1 10 2024 1e5",
    "two hundred tokens": "The cat sat. " * 50,
}


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()  # `boot` freezes what is there for a server's whole life


def visit(path: str, **query: str) -> AppTest:
    """A visitor opens a view by its address."""
    script = f"""
from app.views import VIEWS
next(view for view in VIEWS if view.path == {path!r}).show()
"""
    at = AppTest.from_string(script, default_timeout=30)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def alerts(at: AppTest) -> list[str]:
    return [html.proto.body for html in at.get("html") if 'role="alert"' in html.proto.body]


def sent(at: AppTest, name: str) -> tuple[dict, dict]:
    """What a component was sent: its header and arrays."""
    found = [c for c in at.get("bidi_component") if name in c.proto.component_name]
    assert found, [c.proto.component_name for c in at.get("bidi_component")]
    return unpack(found[0].proto.bytes)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.path or "start")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_view_draws_any_text(view, text: str) -> None:
    at = visit(view.path, text=text)
    assert not at.exception
    assert alerts(at) == []
    assert at.text_input[0].value == text
    assert at.get("bidi_component")


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.path or "start")
def test_a_text_that_cannot_be_read_gets_one_sentence_and_stays(view) -> None:
    for text, hint in (("", "type a word"), ("cat " * 300, "at most 256")):
        at = visit(view.path, text=text)
        assert not at.exception
        (sentence,) = alerts(at)
        assert hint in sentence
        assert at.text_input[0].value == text
        assert not at.get("bidi_component")  # no picture of another text


def test_the_picture_is_the_tensor_that_core_computed() -> None:
    text = TEXTS["a sentence"]
    header, arrays = sent(visit("attention", text=text, layer="1", head="2"), "attention")
    run = core.load("storyteller").run(text)
    for layer in range(4):
        np.testing.assert_array_equal(arrays["maps"][layer], run[f"decoder.{layer}.attn.pattern"].numpy())
    assert [token["text"] for token in header["queries"]] == [token.text for token in run.tokens]
    _, arrays = sent(visit("generate", text=text), "sampler")
    np.testing.assert_array_equal(arrays["logits"], run.logits[-1].numpy())


def test_a_change_of_the_picture_runs_no_model_and_draws_no_token(monkeypatch: pytest.MonkeyPatch) -> None:  # B71
    at = visit("generate", text="Once upon a time", temperature="1.5")
    for _ in range(3):
        next(button for button in at.button if button.label == "Next").click().run()
    drawn = at.query_params["continuation"]
    passes = []
    monkeypatch.setattr("core.reading.record", lambda *args, **given: passes.append(args))
    for name, value in (("layer", "0"), ("head", "1"), ("temperature", "0.3"), ("top_k", "5"), ("step", "1")):
        at.query_params[name] = value
        at.run()
        assert not at.exception
        assert at.query_params["continuation"] == drawn
    visit("attention", text="Once upon a time", layer="2")
    assert passes == []


def test_two_visitors_see_their_own_and_draw_the_same_with_the_same_seed() -> None:  # B35, B72
    one, two = visit("generate", text="The cat", seed="5"), visit("generate", text="Anna met", seed="5")
    three = visit("generate", text="The cat", seed="5")
    for _ in range(4):
        for at in (one, two, three):
            next(button for button in at.button if button.label == "Next").click().run()
    assert one.query_params["continuation"] == three.query_params["continuation"]
    for at, text in ((one, "The cat"), (two, "Anna met")):
        drawn = [int(id) for id in at.query_params["continuation"].split(".")]
        steps = core.load("storyteller").generate(text, seed=5, max_new_tokens=4, stop=())
        assert drawn == [step.token.id for step in steps]


def test_a_branch_is_kept_and_can_be_gone_back_to() -> None:
    at = visit("generate", text="The cat", continuation="400.500.600")
    at.query_params["step"] = "1"
    at.run()
    next(button for button in at.button if button.label == "Start over").click().run()
    assert "continuation" not in at.query_params
    next(button for button in at.button if button.label == "Go back to it").click().run()
    assert at.query_params["continuation"] == "400.500.600"


def test_a_class_that_opens_a_text_together_reads_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs.story.clear()
    begun = []
    begin = core.Model.begin
    monkeypatch.setattr(
        core.Model, "begin", lambda self, *args, **given: begun.append(1) or begin(self, *args, **given)
    )
    with ThreadPoolExecutor(8) as pool:
        stories = list(pool.map(lambda _: runs.story("storyteller", "The whole class"), range(24)))
    assert len(begun) == 1
    assert len({id(story) for story in stories}) == 1


def test_a_story_knows_its_steps_and_every_branch_equals_a_run_of_its_own() -> None:
    story = runs.story("storyteller", "The cat sat")
    ids = [token.id for token in story.tokens]
    model = core.load("storyteller")
    for drawn in ((5, 9), (5, 7, 300), (5, 9, 11), (8,)):
        alone = model.run(ids=[*ids, *drawn]).logits[-1].numpy()
        np.testing.assert_allclose(story.logits(drawn), alone, atol=1e-4)
        assert story.reading(drawn) is story.reading(drawn)
    assert story.rows((5, 9)).shape == (4, 4, len(ids) + 2)


def test_the_eye_falls_on_the_query_that_reads_one_other_token_most() -> None:
    assert telling(np.array([[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.7, 0.2]], dtype=np.float32)) == 2
    assert telling(np.array([[1.0]], dtype=np.float32)) == 0
    assert telling(np.array([[1, 0], [1, 0]], dtype=np.float32)) == 1


@pytest.mark.parametrize("layer", [0, 3, 11])
@pytest.mark.parametrize("n", [8, 200, 1024])
def test_one_message_carries_the_layers_around_the_one_shown(layer: int, n: int) -> None:
    maps = np.broadcast_to(np.float32(0.5), (12, 12, n, n))
    first, part = window(maps, layer)
    assert first <= layer < first + len(part) <= 12
    assert len(part) == 1 or part.nbytes <= 1 << 20
    assert part.dtype == (np.float16 if n == 1024 else np.float32)


@pytest.fixture
def foreign(fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A model of the visitor's own: the tiny GPT-2 of 24 tokens and 16 positions, or one of a single layer and head."""
    folder = fixtures / "gpt2"
    if request.param == "one layer, one head":
        folder = shutil.copytree(folder, tmp_path / "one")
        settings = json.loads((folder / "config.json").read_text()) | {"n_layer": 1, "n_head": 1}
        (folder / "config.json").write_text(json.dumps(settings))
        weights = load_file(folder / "model.safetensors")
        save_file({name: x for name, x in weights.items() if ".h.1." not in name}, folder / "model.safetensors")
    monkeypatch.setenv("GLASSFORMER_MODEL", str(folder))
    return folder.name


@pytest.mark.parametrize("foreign", ["two layers", "one layer, one head"], indirect=True)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.path or "start")
@pytest.mark.parametrize("text", ["t5", "t5 t9 t2 t9 t7 t1", "t0 " * 15])
def test_a_view_draws_a_model_of_any_size(foreign: str, view, text: str) -> None:
    at = visit(view.path, text=text)
    assert not at.exception
    assert alerts(at) == []
    assert at.selectbox[0].value == foreign
    assert at.get("bidi_component")


@pytest.mark.parametrize("foreign", ["two layers"], indirect=True)
def test_a_top_k_above_the_vocabulary_is_off_and_says_so(foreign: str) -> None:  # B69
    at = visit("generate", text="t5", top_k="50")
    (sentence,) = alerts(at)
    assert "24 tokens" in sentence
    assert "top_k" not in at.query_params


@pytest.mark.parametrize("foreign", ["two layers"], indirect=True)
def test_a_full_context_ends_the_text_with_a_notice(foreign: str) -> None:  # B75
    at = visit("generate", text="t0 " * 15)
    next(button for button in at.button if button.label == "Write 10").click().run()
    assert not at.exception
    assert len(at.query_params["continuation"].split(".")) == 1
    assert any("16 tokens" in sentence for sentence in alerts(at))
    assert next(button for button in at.button if button.label == "Next").disabled


@pytest.mark.parametrize("foreign", ["two layers"], indirect=True)
def test_another_model_keeps_the_text_and_settings_and_lets_the_continuation_go(foreign: str) -> None:  # B70
    at = visit(
        "generate", text="t5 t9", model="storyteller", layer="3", head="3", temperature="0.5", continuation="9.9"
    )
    at.selectbox[0].select(foreign).run()
    assert not at.exception
    assert at.text_input[0].value == "t5 t9"
    assert at.query_params["temperature"] == "0.5"
    assert "continuation" not in at.query_params
    assert "layer" not in at.query_params
