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
from app.plots.maps import telling, window
from app.views import VIEWS, View

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


OF_ONE_KIND = {"encoder": "encoder", "translate": "seq2seq"}  # views that no decoder has


def at_first(view: View) -> str:
    """The model that a view opens with."""
    return next(name for name in runs.names() if runs.kind(name) == OF_ONE_KIND.get(view.path, "decoder"))


def readable(name: str, text: str) -> bool:
    """Whether a model can read a text: a blank is no token to some, and each has a longest text."""
    try:
        return len(runs.vocabulary(name).encode(text)) <= runs.config(name).room(0)
    except core.GlassformerError:
        return False


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
    assert at.text_input[0].value == text
    read = readable(at_first(view), text)
    assert len(alerts(at)) == (not read)
    assert bool(at.get("bidi_component")) == read


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.path or "start")
def test_a_text_that_cannot_be_read_gets_one_sentence_and_stays(view) -> None:
    limit = runs.config(at_first(view)).context
    for text, hint in (("", "type a word"), ("cat " * 900, f"at most {limit}")):
        if text and limit is None:
            continue
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


def press(at: AppTest, label: str) -> None:
    next(button for button in at.button if button.label == label).click()


def test_next_draws_from_the_text_and_settings_that_stand_there_now() -> None:
    """A click may reach the server in one message with what was typed just before it."""
    at = visit("generate", text="The cat sat", seed="3")
    at.text_input[0].set_value("Once upon a time")
    at.query_params["temperature"] = "1.5"
    press(at, "Next")
    at.run()
    assert not at.exception
    assert at.query_params["text"] == "Once upon a time"
    (step,) = core.load("storyteller").generate("Once upon a time", seed=3, max_new_tokens=1)
    assert at.query_params["continuation"] == str(step.token.id)


def test_an_address_from_before_the_last_change_undoes_nothing() -> None:
    at = visit("generate", text="The cat")
    press(at, "Next")
    at.run()
    drawn = at.query_params["continuation"]
    del at.query_params["continuation"]  # what a slow browser still has
    at.number_input[0].set_value(9).run()
    assert at.query_params["continuation"] == drawn
    assert at.query_params["seed"] == "9"


def test_an_address_that_the_visitor_goes_back_to_is_shown_and_has_no_branches_of_another_text() -> None:
    at = visit("generate", text="The cat", continuation="5.6")
    press(at, "Start over")
    at.run()
    assert any(button.label == "Go back to it" for button in at.button)
    at.query_params["text"] = "Anna met"
    at.run()
    assert at.text_input[0].value == "Anna met"
    assert not any(button.label == "Go back to it" for button in at.button)


def test_a_text_with_line_ends_keeps_them() -> None:
    at = visit("tokens", text="one\ntwo")
    assert at.text_area[0].value == "one\ntwo"
    assert alerts(at) == []


@pytest.mark.parametrize("continuation", ["5", "5.6"])
def test_the_end_of_the_context_is_one_and_the_same_everywhere(continuation: str) -> None:
    at = visit("generate", text="The" + " cat" * 254, continuation=continuation)
    assert not at.exception
    full = continuation == "5.6"  # 255 tokens, 1 more that can be read, and 1 that can only be drawn
    assert next(button for button in at.button if button.label == "Next").disabled == full
    assert any("256 tokens" in sentence for sentence in alerts(at)) == full
    assert at.slider[0].max == 1
    press(at, "Previous")
    at.run()
    assert at.query_params["step"] == "0"
    press(at, "Next")
    at.run()
    assert at.query_params["continuation"] == continuation
    assert "step" not in at.query_params


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
@pytest.mark.parametrize("n", [8, 200, 400])
def test_one_message_carries_the_layers_around_the_one_shown(layer: int, n: int) -> None:
    maps = np.broadcast_to(np.float32(0.5), (12, 12, n, n))
    first, part = window(maps, layer)
    assert first <= layer < first + len(part) <= 12
    assert part.dtype == np.float32
    assert part.nbytes <= 8 << 20
    assert len(part) == 1 or part.nbytes <= 1 << 20


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
    at = visit(view.path, text=text, model=foreign)
    assert not at.exception
    assert at.selectbox[0].value == foreign
    if view.path in OF_ONE_KIND:
        (sentence,) = alerts(at)
        assert "another kind of model" in sentence
    else:
        assert alerts(at) == []
    assert bool(at.get("bidi_component")) == (view.path not in OF_ONE_KIND)


def test_a_folder_that_is_called_like_a_built_in_model_is_not_mistaken_for_it(
    fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSFORMER_MODEL", str(shutil.copytree(fixtures / "gpt2", tmp_path / "storyteller")))
    at = visit("attention", text="t5 t9")
    assert at.selectbox[0].value == "storyteller (folder)"
    assert runs.config("storyteller (folder)").vocab_size == 24
    assert runs.config("storyteller").vocab_size == 2048
    assert not any(button.label == "Finds who is meant" for button in at.button)


def test_the_whole_app_opens_on_a_model_that_cannot_read_the_example(
    fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(fixtures / "gpt2", tmp_path / "short")
    settings = json.loads((folder / "config.json").read_text()) | {"n_positions": 4}
    (folder / "config.json").write_text(json.dumps(settings))
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wpe.weight"] = weights["transformer.wpe.weight"][:4].contiguous()
    save_file(weights, folder / "model.safetensors")
    monkeypatch.setenv("GLASSFORMER_MODEL", str(folder))
    runs.boot.clear()
    at = AppTest.from_file(str(Path(core.__file__).parents[1] / "app" / "main.py"), default_timeout=30).run()
    assert not at.exception
    assert "at most 4" in alerts(at)[0]
    assert at.text_input[0].value


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
    assert len(at.query_params["continuation"].split(".")) == 2  # the last one is drawn, and cannot be read
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
