"""Each component refuses what it cannot draw, in one sentence that says what was expected."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import app.components
from app import theme
from app.components import bundle, mount, words
from app.components.attention import attention
from app.components.chips import chips
from app.components.contrast import contrast
from app.components.crossing import crossing
from app.components.grid import grid
from app.components.labels import Label, plain
from app.components.overview import overview
from app.components.sampler import sampler
from app.components.strip import strip
from app.components.wire import unpack
from app.says import Answer, Step

HERE = Path(app.components.__file__).parent
NAMES = ("attention", "sampler", "strip", "chips", "crossing", "beams", "grid", "contrast")
TOKENS = [Label(text, i) for i, text in enumerate(("the", "␣cat", "the"))]


def patterns(layers=2, heads=3, n=3):
    return np.full((layers, heads, n, n), 1 / n, dtype=np.float32)


def attention_with(**changes):
    maps = patterns()
    given = {
        "queries": TOKENS,
        "keys": TOKENS,
        "overview": overview(maps),
        "maps": maps,
        "n_layers": 2,
        "n_heads": 3,
        "layer": 0,
        "head": 0,
        "key": "x",
    }
    return attention(**(given | changes))


@pytest.fixture
def shown(monkeypatch):
    """What each component was sent, without a running page."""
    sent = []
    state = {}
    monkeypatch.setattr(mount.st, "session_state", state)

    def render(**given):
        sent.append(unpack(given["data"]))
        return {}

    for name in NAMES:
        monkeypatch.setattr(f"app.components.{name}._RENDER", render)
    return SimpleNamespace(sent=sent, state=state)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"maps": patterns(n=4)}, r"maps: shape \[2, 3, 4, 4\], expected \[layer, 3, 3, 3\]"),
        ({"maps": patterns()[0]}, "maps: shape"),
        ({"maps": patterns(layers=1), "first_layer": 2}, "first_layer: 2"),
        ({"overview": np.zeros((2, 3, 2, 2), np.float32)}, "overview: float32"),
        ({"overview": np.zeros((1, 3, 2, 2), np.uint8)}, r"overview: uint8 \[1, 3, 2, 2\]"),
        ({"mask": np.ones((2, 3), bool)}, "mask: shape"),
        ({"kind": "weights"}, "kind: 'weights'"),
        ({"queries": []}, "0 queries"),
        ({"queries": "the"}, "queries: expected tokens"),
        ({"translation": {"layr": "层"}}, "unknown layr"),
        ({"maps": patterns().astype(np.float64)}, "maps: dtype float64"),
    ],
)
def test_attention_refuses(shown, changes, says):
    with pytest.raises(ValueError, match=says):
        attention_with(**changes)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"logits": np.zeros((2, 3), np.float32)}, "logits: shape"),
        ({"logits": np.zeros(0, np.float32)}, "logits: shape"),
        ({"uniform": 1.0}, "uniform: 1.0"),
        ({"drawn": 5}, "drawn: id 5"),
    ],
)
def test_sampler_refuses(shown, changes, says):
    with pytest.raises(ValueError, match=says):
        sampler(**({"logits": np.zeros(5, np.float32), "labels": {}, "key": "x"} | changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rows": np.zeros((2, 3), np.float32)}, "rows: shape"),
        ({"rows": np.zeros((2, 3, 4), np.float32)}, "at most 3 keys"),
        ({"current": 3}, "current: position 3"),
        ({"prompt_length": 4}, "prompt_length: 4"),
    ],
)
def test_strip_refuses(shown, changes, says):
    given = {"tokens": TOKENS, "prompt_length": 2, "rows": np.zeros((2, 3, 3), np.float32)}
    with pytest.raises(ValueError, match=says):
        strip(**(given | {"layer": 0, "head": 0, "current": 2, "key": "x"} | changes))


def test_out_of_range_views_fall_back(shown):
    view = attention_with(layer=7, head=-1, token=99)
    assert (view.layer, view.head, view.token) == (0, 0, None)
    settings = sampler(
        logits=np.zeros(5, np.float32), labels={}, temperature=9.0, top_k=99, top_p=-1.0, uniform=0.5, key="x"
    )
    assert (settings.temperature, settings.top_k, settings.top_p) == (2.0, 5, 0.0)


def test_minus_infinity_and_repeated_tokens_cross_the_wire(shown):
    maps = patterns()
    maps[..., 0, 1:] = -np.inf
    attention_with(maps=maps, kind="scores")
    header, arrays = shown.sent[-1]
    assert [token["text"] for token in header["queries"]] == ["the", "␣cat", "the"]
    np.testing.assert_array_equal(arrays["maps"], maps)
    json.dumps(header, allow_nan=False)


def test_numbers_are_not_sent_again_to_a_browser_that_has_them(shown):
    attention_with()
    header, arrays = shown.sent[-1]
    assert set(arrays) == {"overview", "maps"}
    assert header["view"] == {"layer": 0, "head": 0, "token": None}

    reported = {"layer": 1, "head": 2, "token": 1, "seq": 4, "have": header["rev"]}
    shown.state["x"] = {"view": reported}
    attention_with(layer=1, head=2, token=1)
    header, arrays = shown.sent[-1]
    assert not arrays
    assert header == {"rev": reported["have"], "view": {"layer": 1, "head": 2, "token": 1}, "seq": 4}

    attention_with(queries=[Label("a", 1), *TOKENS[1:]])
    assert set(shown.sent[-1][1]) == {"overview", "maps"}


def test_what_the_browser_reports_is_cleaned(shown):
    shown.state["x"] = {"view": {"layer": "<b>", "head": True, "token": 1e9, "seq": [], "have": None}}
    shown.state["x:moved"] = True
    view = attention_with(layer=1, head=1)
    assert (view.layer, view.head, view.token) == (0, 0, None)
    shown.state["y"] = {"view": {"temperature": float("nan"), "top_k": -4, "top_p": "1"}}
    shown.state["y:moved"] = True
    settings = sampler(logits=np.zeros(5, np.float32), labels={}, key="y")
    assert (settings.temperature, settings.top_k, settings.top_p) == (1.0, 0, 1.0)


def test_without_a_callback_the_reported_view_is_used_once(shown):
    shown.state["x"] = {"view": {"layer": 1, "head": 2, "token": 0, "seq": 1}}
    shown.state["x:moved"] = True
    assert attention_with().layer == 1
    assert attention_with().layer == 0


def test_chips_send_tokens_and_text(shown):
    token = SimpleNamespace(id=3, text="猫", raw="çĮ«", start=0, end=1, special=False, added=True)
    chips(tokens=[token], text="猫", key="x")
    assert shown.sent[-1][0]["tokens"] == [{"text": "猫", "id": 3, "raw": "çĮ«", "added": True, "start": 0, "end": 1}]
    assert plain([], "tokens") == []


def crossing_with(**changes):
    a = TOKENS[0]
    steps = [Step(a, 0.5, a, 0.5, (a, TOKENS[1]), (0.5, 0.3), 0.2, 7)] * 2
    given = {"sources": TOKENS, "targets": TOKENS[:2], "steps": steps, "maps": np.full((2, 3, 2, 3), 1 / 3, np.float32)}
    return crossing(**(given | {"n_layers": 2, "layer": 1, "head": 2, "step": 1, "key": "x"} | changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"maps": patterns()}, r"maps: shape \[2, 3, 3, 3\], expected \[layer, head, 2, 3\]"),
        ({"first_layer": 1}, "first_layer: 1 and 2 layers sent"),
        ({"steps": ()}, "steps: 0"),
    ],
)
def test_crossing_refuses(shown, changes, says):
    with pytest.raises(ValueError, match=says):
        crossing_with(**changes)


def test_crossing_sends_what_each_step_could_write(shown):
    assert crossing_with().step == 1
    header, arrays = shown.sent[-1]
    assert header["view"] == {"layer": 1, "head": 2, "step": 1}
    assert header["steps"][0]["names"] == ["the", "␣cat"]
    np.testing.assert_allclose(arrays["top"], [[0.5, 0.3]] * 2)
    assert crossing_with(layer=9, head=-1, step=5) == crossing_with(layer=0, head=0, step=0)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"mask": "pad:11"}, "mask: made for 2 tokens, not for 3"),
        ({"mask": "all"}, "all"),
        ({"tokens": TOKENS * 9}, "grid: 27 tokens"),
    ],
)
def test_grid_refuses(shown, changes, says):
    with pytest.raises(ValueError, match=says):
        grid(**({"tokens": TOKENS, "mask": "none", "key": "x"} | changes))


@pytest.mark.parametrize("reported", [{"mask": "hand:e.e"}, {"mask": 7}, {"mask": None}, {}, {"mask": "<b>"}])
def test_a_mask_that_a_browser_made_up_changes_nothing(shown, reported):
    shown.state["x"] = {"view": reported}
    shown.state["x:moved"] = True
    assert grid(tokens=TOKENS, mask="causal", key="x").mask == "causal"


def test_contrast_sends_both_sides(shown):
    shares = np.array([[0.6, 0.1], [0.3, 0.7]], np.float32)
    contrast(answers=[("t", Answer(None, ("a", "b"), shares, np.array([0.1, 0.2], np.float32), 3))], key="x")
    header, arrays = shown.sent[-1]
    assert header["groups"] == [{"title": "t", "about": None, "names": ["a", "b"], "more": 3}]
    np.testing.assert_array_equal(arrays["shares"], shares)


def test_overview_keeps_the_largest_cell_and_marks_masked_blocks():
    maps = np.zeros((1, 1, 100, 100), np.float32)
    maps[0, 0, 57, 3] = 1.0
    small = overview(maps, side=10)
    assert small.shape == (1, 1, 10, 10)
    assert small[0, 0, 5, 0] == 255
    assert small.sum() == 255

    scores = np.array([[[[-2.0, -np.inf], [1.0, 0.0]]]], np.float32)
    np.testing.assert_array_equal(overview(scores, "scores")[0, 0], [[1, 0], [192, 128]])
    masked = np.full((1, 1, 2, 2), -np.inf, np.float32)
    assert not overview(masked, "scores").any()
    with pytest.raises(ValueError, match="maps: shape"):
        overview(maps[0])


def test_scripts_hold_no_markup_from_data_and_fetch_nothing():
    for file in HERE.rglob("*.js"):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "http:",
            "https:",
            "fetch(",
        ):
            assert forbidden not in text, (file.name, forbidden)
        assert len(text.splitlines()) <= 300, file.name


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: scripts are not parsed here")
@pytest.mark.parametrize("name", NAMES)
def test_joined_scripts_parse(name, tmp_path):
    file = tmp_path / f"{name}.mjs"
    parts = tuple(each.stem for each in (HERE / name).glob("*.js") if each.stem != name)
    shared = tuple(each.stem for each in (HERE / "shared").glob("*.js"))
    file.write_text(bundle.script(name, shared, parts), encoding="utf-8")
    subprocess.run(["node", "--check", str(file)], check=True)


@pytest.mark.parametrize(
    ("name", "table"),
    [(name, getattr(words, name.upper())) for name in NAMES],
)
def test_every_word_is_used(name, table):
    folders = (HERE / name, HERE / "shared")
    text = "\n".join(file.read_text(encoding="utf-8") for folder in folders for file in folder.glob("*.js"))
    spoken = {"special", "added", "padding", "temperature", "top_k", "top_p"}  # looked up by a computed name
    assert not [word for word in table if f"words.{word}" not in text and word not in spoken]


def test_settings_repeat_the_palette():
    config = tomllib.loads((Path(theme.__file__).parent / ".streamlit/config.toml").read_text(encoding="utf-8"))
    for mode, palette in theme.PALETTES.items():
        given = config["theme"][mode]
        assert given["backgroundColor"] == palette.background
        assert given["secondaryBackgroundColor"] == palette.surface
        assert given["textColor"] == palette.ink
        assert given["primaryColor"] == palette.accent
        assert given["borderColor"] == palette.hairline
    assert config["theme"]["font"] == theme.FONT
    assert config["theme"]["codeFont"] == theme.MONO
    assert config["runner"]["postScriptGC"] is False
    assert config["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_larger_weight_is_always_further_from_the_background(mode):
    scale = theme.colorscale("sequential", mode)
    light = [theme._oklab(color)[0] for _, color in scale]
    steps = np.diff(light)
    assert (steps < 0).all() if mode == "light" else (steps > 0).all()
    assert scale[0][0] == 0
    assert scale[-1][0] == 1
