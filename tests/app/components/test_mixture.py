"""The component `mixture`: what it is sent, what it refuses, and what it makes of a hostile browser."""

from types import SimpleNamespace

import numpy as np
import pytest

from app.components import mount
from app.components.labels import Label
from app.components.mixture import MixtureState, mixture
from app.components.wire import unpack

TOKENS = [Label(text, i) for i, text in enumerate(("[CLS]", "a", "<b>"))]


def arrays(layers=2, heads=4, groups=2, n=3, d=5):
    weights = np.full((layers, heads, n), 1 / n, np.float32)
    values = np.arange(layers * groups * n * d, dtype=np.float32).reshape(layers, groups, n, d)
    return {"weights": weights, "values": values, "mixed": np.zeros((layers, heads, d), np.float32)}


def mixture_with(**changes):
    given = {"tokens": TOKENS, **arrays(), "first_layer": 0, "n_layers": 2, "layer": 1, "head": 3, "token": 2}
    return mixture(**(given | {"amount": 0.5, "key": "x"} | changes))


@pytest.fixture
def shown(monkeypatch):
    sent, state = [], {}
    monkeypatch.setattr(mount.st, "session_state", state)
    monkeypatch.setattr("app.components.mixture._RENDER", lambda **given: sent.append(unpack(given["data"])) or {})
    return SimpleNamespace(sent=sent, state=state)


def test_the_browser_gets_the_numbers_as_they_are(shown):
    assert mixture_with() == MixtureState(1, 3, 2, 0.5)
    header, found = shown.sent[0]
    for name, array in arrays().items():
        np.testing.assert_array_equal(found[name], array)
    assert header["at"] == 2
    assert [token["text"] for token in header["tokens"]] == ["[CLS]", "a", "<b>"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"weights": np.ones((2, 4, 4), np.float32)}, r"weights: shape \[2, 4, 4\], expected \[layer, head, 3\]"),
        ({"values": arrays(groups=3)["values"]}, "a divisor of 4"),
        ({"values": arrays(layers=1)["values"]}, "values: shape"),
        ({"mixed": np.zeros((2, 4, 6), np.float32)}, "do not fit 3 tokens"),
        ({"first_layer": 1}, "first_layer: 1 and 2 layers sent, of 2"),
        ({"token": 3}, "token: 3 of 3"),
    ],
)
def test_shapes_that_disagree_are_refused(shown, changes, says):
    with pytest.raises(ValueError, match=says):
        mixture_with(**changes)


@pytest.mark.parametrize("amount", [float("nan"), "1", None, True, [1]])
def test_what_a_browser_reports_is_brought_into_range(shown, amount):
    shown.state["x"] = {"view": {"layer": 9, "head": -1, "token": "2", "amount": amount, "seq": 4}}
    shown.state["x:moved"] = True
    assert mixture_with() == MixtureState(0, 0, 2, 1.0)
    shown.state["x"]["view"]["amount"] = 7
    shown.state["x:moved"] = True
    assert mixture_with().amount == 1.0
