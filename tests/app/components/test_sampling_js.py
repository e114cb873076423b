"""The browser's copy of the sampling rules gives the values worked out by hand in the troubles list, and core's."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import app.components

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed: sampling.js is not run here"
)
SCRIPT = (Path(app.components.__file__).parent / "shared/sampling.js").read_text(encoding="utf-8")
ASK = """
const SAID = { "-inf": -Infinity, inf: Infinity, nan: NaN };
const revive = (key, value) => (typeof value === "string" ? SAID[value] : value);
const cases = JSON.parse(require("fs").readFileSync(0, "utf-8"), revive);
console.log(JSON.stringify(cases.map(({ logits, settings, u }) => {
  try {
    const result = distribution(Float32Array.from(logits), settings);
    return { tempered: [...result.tempered], probs: [...result.probs], kept: [...result.kept], nKept: result.nKept,
      discarded: result.discarded, drawn: (u || []).map((each) => draw(result.probs, each)) };
  } catch (error) { return { error: error.message }; }
})));
"""


def ask(*cases):
    """Each case: logits, settings (temperature, topK, topP) and the uniform numbers to draw with."""
    given = [{"logits": list(logits), "settings": settings, "u": list(u)} for logits, settings, u in cases]
    done = subprocess.run(
        ["node", "-e", SCRIPT + ASK], input=json.dumps(given), capture_output=True, check=True, text=True
    )
    return json.loads(done.stdout)


def probs(logits, **settings):
    return ask((logits, settings, ()))[0]["probs"]


def logs(*values):
    return [math.log(value) for value in values]


def test_temperature_zero_is_greedy_and_ties_go_to_the_lowest_id():
    assert probs([1, 3, 2], temperature=0) == [0, 1, 0]
    assert probs([2, 2, 1], temperature=0, topK=2, topP=0.1) == [1, 0, 0]


@pytest.mark.parametrize(
    ("weights", "p", "right"),
    [
        ((0.4, 0.3, 0.2, 0.1), 0.8, [4 / 9, 3 / 9, 2 / 9, 0]),
        ((0.5, 0.35, 0.1, 0.05), 0.9, [0.5 / 0.95, 0.35 / 0.95, 0.1 / 0.95, 0]),
        ((0.4, 0.3, 0.2, 0.1), 0.3, [1, 0, 0, 0]),
        ((0.5, 0.25, 0.125, 0.125), 0.75, [2 / 3, 1 / 3, 0, 0]),
        ((0.5, 0.25, 0.125, 0.125), 0.0, [1, 0, 0, 0]),
        ((0.7, 0.1, 0.1, 0.1), 0.9, [7 / 9, 1 / 9, 1 / 9, 0]),
    ],
)
def test_top_p_keeps_the_smallest_set_with_the_crossing_token(weights, p, right):
    assert probs(logs(*weights), topP=p) == pytest.approx(right, abs=1e-6)


def test_top_p_one_cuts_nothing():
    got = ask(([1.0] + [0.0] * 50256, {"topP": 1}, ()))[0]
    assert got["nKept"] == 50257
    assert all(got["kept"])
    assert got["discarded"] == 0


def test_temperature_comes_before_top_p():
    got = ask(([3, 2, 1], {"temperature": 0.5, "topP": 0.8}, ()))[0]
    assert got["tempered"] == pytest.approx([0.866813, 0.117310, 0.015876], abs=1e-6)
    assert got["kept"] == [1, 0, 0]


def test_top_k_edges():
    plain = probs([1, 2, 3, 4, 5])
    for k in (0, 5, 6, 50):
        assert probs([1, 2, 3, 4, 5], topK=k) == plain
    assert probs([1, 2, 3, 4, 5], topK=1) == [0, 0, 0, 0, 1]


def test_top_k_ties_go_to_the_lowest_ids():
    assert probs([1, 2, 2, 2, 3], topK=3) == pytest.approx([0, 0.211942, 0.211942, 0, 0.576117], abs=1e-6)
    assert probs([5, 5, 1], topK=1) == [1, 0, 0]


def test_tiny_temperatures_do_not_overflow():
    assert probs([1000, 999, -1000], temperature=1e-3) == [1, 0, 0]
    assert probs([1, "-inf", 1], temperature=1.0) == [0.5, 0, 0.5]


@pytest.mark.parametrize(
    ("logits", "settings"),
    [
        ([1, "nan"], {}),
        ([1, "inf"], {}),
        (["-inf", "-inf"], {}),
        ([1, 2], {"temperature": -1}),
        ([1, 2], {"temperature": "inf"}),
        ([1, 2], {"topK": -1}),
        ([1, 2], {"topK": 1.5}),
        ([1, 2], {"topP": 1.5}),
        ([1, 2], {"topP": "nan"}),
    ],
)
def test_refuses_what_is_no_distribution(logits, settings):
    assert "error" in ask((logits, settings, ()))[0]


def test_the_draw_inverts_the_sum_in_id_order():
    got = ask((logs(0.5, 0.25, 0.125, 0.125), {"topK": 2}, (0, 0.6, 0.7, 0.99999999999)))[0]
    assert got["drawn"] == [0, 0, 1, 1]
    assert ask(([1, 3, 2], {"temperature": 0}, (0, 0.5, 0.999)))[0]["drawn"] == [1, 1, 1]


def test_same_numbers_as_core():
    torch = pytest.importorskip("torch")
    sampling = pytest.importorskip("core.sampling")
    r = np.random.default_rng(5)
    cases = []
    for n in (1, 2, 7, 400):
        for temperature in (0, 0.05, 0.7, 1.0, 2.0):
            for k in (0, 1, 5, 1000):
                for p in (0, 0.35, 0.9, 1.0):
                    logits = np.round(r.normal(size=n) * 3, 1).astype(np.float32)  # rounded, so that ties occur
                    cases.append((logits.tolist(), {"temperature": temperature, "topK": k, "topP": p}, ()))
    for (logits, settings, _), got in zip(cases, ask(*cases), strict=True):
        right = sampling.distribution(
            torch.tensor(logits), temperature=settings["temperature"], top_k=settings["topK"], top_p=settings["topP"]
        )
        np.testing.assert_allclose(got["probs"], np.asarray(right.probs), atol=1e-6)
        np.testing.assert_allclose(got["tempered"], np.asarray(right.tempered), atol=1e-6)
        np.testing.assert_array_equal(got["kept"], np.asarray(right.kept))
