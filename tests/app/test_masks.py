"""Masks: what is shown is the pass under that mask, and no address breaks it."""

import gc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
from app import mask as masks
from tests.app.test_views import TEXTS, alerts, sent, visit

CAT = "The cat sat because it was tired"
RED = "the red car is old ."


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@given(st.integers(1, 24), st.data())
def test_a_drawing_comes_back_from_its_text(n: int, data: st.DataObject) -> None:
    rows = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)))
    text = masks.drawn(rows)
    assert masks.check(text) == text
    assert masks.size(text) == n
    np.testing.assert_array_equal(masks.matrix(text, n), rows)


@given(st.text(max_size=40) | st.from_regex(r"(hand|pad|both|none|causal):?[0-9a-f.]{0,30}", fullmatch=True))
def test_any_text_is_a_mask_or_refused(text: str) -> None:
    try:
        masks.check(text)
    except ValueError:
        return
    n = masks.size(text) or 3
    assert masks.matrix(masks.settled(text, n, "none"), n).shape == (n, n)


def test_named_masks() -> None:
    assert masks.matrix("causal", 2).tolist() == [[True, False], [True, True]]
    assert masks.matrix("both:01", 2).tolist() == [[False, False], [False, True]]
    assert masks.settled("pad", 3, "none") == "pad:110"
    assert masks.settled("both", 3, "causal") == "both:011"
    assert masks.settled("pad", 1, "none") == "pad:1"
    assert masks.settled("hand", 2, "causal") == masks.drawn(np.tri(2, dtype=bool))
    assert masks.settled(None, 2, "causal") == "causal"


def shown(name: str, text: str, mask: str, **query: str) -> tuple[dict, dict, dict, dict]:
    """What the map and the bars were sent."""
    at = visit("masks", model=name, text=text, mask=mask, **query)
    assert not at.exception
    assert alerts(at) == []
    return *sent(at, "attention"), *sent(at, "contrast")


@pytest.mark.parametrize(
    ("mask", "given_to_core"),
    [
        ("none", np.ones((7, 7))),
        ("both:0011111", [0, 0, 1, 1, 1, 1, 1]),
        ("pad:1111011", np.ones((7, 7)) * [1, 1, 1, 1, 0, 1, 1]),
        ("hand:80.00.e0.f0.f8.fc.02", None),
        ("causal", np.tri(7)),
    ],
)
def test_a_decoder_under_a_mask_is_the_pass_under_it(mask: str, given_to_core: object) -> None:
    matrix = masks.matrix(mask, 7) if given_to_core is None else given_to_core
    model = core.load("storyteller")
    own, run = model.run(CAT), model.run(CAT, mask=np.asarray(matrix).tolist())
    _, maps, header, bars = shown("storyteller", CAT, mask)
    for layer in range(4):
        np.testing.assert_array_equal(maps["maps"][layer], run[f"decoder.{layer}.attn.pattern"].numpy())
    (group,) = header["groups"]
    for side, one in enumerate((own, run)):
        chances = one.logits[-1].double().softmax(-1)
        ids = [next(id for id in range(2048) if model.vocabulary.token(id).text == name) for name in group["names"]]
        np.testing.assert_allclose(bars["shares"][:, side], chances[ids].numpy(), rtol=1e-5, atol=1e-7)
        assert float(chances.max()) == pytest.approx(bars["shares"][:, side].max(), rel=1e-6)


def test_a_row_with_nothing_allowed_reads_zeros() -> None:
    _, maps, _, _ = shown("storyteller", CAT, "hand:80.00.e0.f0.f8.fc.fe")
    assert not maps["maps"][:, :, 1].any()
    assert maps["mask"][1].sum() == 0
    np.testing.assert_allclose(maps["maps"][:, :, 2].sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("mask", ["pad:1011111", "causal", "both:1011111"])
def test_an_encoder_decoder_has_the_mask_in_its_encoder(a_pair: str, pair_folder: Path, mask: str) -> None:
    model = core.load(pair_folder)
    own = model.run(RED)
    ids = [token.id for token in own.target_tokens]
    given = [1, 0, 1, 1, 1, 1, 1] if mask.startswith("pad") else masks.matrix(mask, 7).astype(int).tolist()
    run = model.run(RED, mask=given, target_ids=ids)
    _, maps, header, bars = shown(a_pair, RED, mask, step="2")
    for layer in range(3):
        np.testing.assert_array_equal(maps["maps"][layer], run[f"encoder.{layer}.attn.pattern"].numpy())
    for side, one in enumerate((own, run)):
        assert bars["shares"][:, side].max() == pytest.approx(float(one.logits[2].softmax(-1).max()), rel=1e-5)
    assert header["groups"][0]["about"] == "voiture"


def test_an_encoder_is_asked_for_the_words_that_are_hidden() -> None:
    if "reader" not in core.models():
        pytest.skip("this model is not built in yet")
    model = core.load("reader")
    text = "t3 t5 t7" if model.config.vocab_size == 24 else "The cat [MASK] on the mat ."
    n = len(model.run(text).tokens)
    mask = "pad:" + "1" * (n - 1) + "0"
    _, maps, header, bars = shown("reader", text, mask)
    run = model.run(text, mask=[1] * (n - 1) + [0])
    np.testing.assert_array_equal(maps["maps"][0], run["encoder.0.attn.pattern"].numpy())
    assert header["groups"]
    assert np.isfinite(bars["shares"]).all()


@pytest.mark.parametrize("mask", ["none", "causal", "pad", "both", "hand", "hand:none", "hand:causal"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_under_any_kind_of_mask(text: str, mask: str) -> None:
    at = visit("masks", model="storyteller", text=text, mask=mask)
    assert not at.exception
    many = len(core.load("storyteller").tokens(text)) > masks.LARGEST
    assert bool(alerts(at)) == (many and mask.startswith("hand"))
    drawn = [c for c in at.get("bidi_component") if "grid" in c.proto.component_name]
    assert bool(drawn) != many


@pytest.mark.parametrize(
    "mask",
    ["pad:110", "hand:8.c.e", "hand:" + ".".join(["zz"] * 7), "pad:" + "1" * 9999, "<b>", "both:", "hand:ff.ff", "PAD"],
)
def test_a_mask_that_does_not_fit_is_named_and_the_models_own_is_shown(mask: str) -> None:
    at = visit("masks", model="storyteller", text=CAT, mask=mask)
    assert not at.exception
    (sentence,) = alerts(at)
    assert "mask" in sentence
    assert "<b>" not in sentence
    assert "mask" not in at.query_params
    header, _ = sent(at, "grid")
    assert header["view"] == {"mask": "causal"}


def test_a_mask_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    run = core.Model.run
    monkeypatch.setattr(core.Model, "run", lambda self, *args, **given: passes.append(1) or run(self, *args, **given))
    for _ in range(3):
        visit("masks", model="storyteller", text="A mask is computed once", mask="both:01111")
    assert len(passes) == 1


def test_another_text_keeps_a_mask_that_fits_any_and_lets_the_others_go() -> None:
    at = visit("masks", model="storyteller", text=CAT, mask="none")
    at.text_input[0].set_value("The dog").run()
    assert at.query_params["mask"] == ["none"] or at.query_params["mask"] == "none"
    at = visit("masks", model="storyteller", text=CAT, mask="both:0011111")
    at.text_input[0].set_value("The dog").run()
    assert not at.exception
    assert "mask" not in at.query_params
    assert alerts(at) == []
