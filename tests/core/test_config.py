"""A config that cannot be computed is refused before anything is built."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from core.config import Config
from core.errors import ConfigError
from tests.core import tiny

SIZES = ("vocab_size", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff", "context")


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("value", [0, -1, 1.0, "4", None, True, 10**10])
def test_a_size_that_is_no_size_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{name} is .*; it must be a whole number .*\.$"):
        tiny.config(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("norm", "batchnorm", "layernorm, rmsnorm"),
        ("placement", "sandwich", "pre, post"),
        ("positions", "alibi", "learned, sinusoidal, rotary, relative"),
        ("kind", "encoder-decoder", "decoder, encoder, seq2seq"),
        ("word_head", "tied", "linear, masked, none"),
        ("labels_at", "last", "first, each"),
        ("pooler", True, "none, tanh, relu"),
        ("activation", "quick_gelu", "relu, gelu, gelu_tanh, silu"),
        ("activation", ["relu"], "relu, gelu"),
        ("norm", None, "layernorm, rmsnorm"),
    ],
)
def test_an_unknown_choice_says_what_is_known(name: str, value: Any, known: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{name} is .*; known are {known}.*\.$"):
        tiny.config(**{name: value})


@pytest.mark.parametrize(
    "name",
    ["tied", "gated", "qkv_bias", "embed_scale", "final_norm", "head_bias", "attn_scale", "head_scale", "embed_norm"],
)
@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_a_switch_is_true_or_false(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{name} is .*; it must be true or false\.$"):
        tiny.config(**{name: value})


@pytest.mark.parametrize("name", ["norm_eps", "rope_theta"])
@pytest.mark.parametrize("value", [0, -1e-5, float("nan"), float("inf"), "1", None])
def test_a_number_that_is_not_above_0_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{name} is .*; it must be a number above 0\.$"):
        tiny.config(**{name: value})


@pytest.mark.parametrize(("heads", "shared"), [(3, 2), (2, 3), (4, 8)])
def test_heads_that_do_not_divide_say_both_numbers(heads: int, shared: int) -> None:
    with pytest.raises(ConfigError, match=rf"^{heads} query heads cannot share {shared} key/value heads evenly"):
        tiny.config(n_heads=heads, n_kv_heads=shared)


def test_rotary_positions_turn_pairs() -> None:
    with pytest.raises(ConfigError, match="d_head is 5"):
        tiny.config(positions="rotary", d_head=5)
    assert tiny.config(positions="learned", d_head=5).d_head == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_decoder_layers": 2},
        {"kind": "encoder", "n_decoder_layers": 2},
        {"segments": 2},
        {"kind": "seq2seq", "segments": 2},
        {"labels": 2},
        {"kind": "seq2seq", "labels": 2},
        {"word_head": "masked"},
        {"kind": "seq2seq", "word_head": "none"},
        {"kind": "encoder", "pooler": "tanh"},
        {"kind": "encoder", "pooler": "tanh", "labels": 2, "labels_at": "each"},
    ],
)
def test_a_part_that_a_kind_of_network_does_not_have_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"^\w+ is .*, which this \w+ has no place for\.$") as error:
        tiny.config(**wrong)
    assert str(error.value).split()[0] in wrong


@pytest.mark.parametrize(("name", "least"), [("segments", 0), ("labels", 0), ("n_decoder_layers", 1)])
@pytest.mark.parametrize("value", [-1, 1.0, "2", True, 10**10])
def test_a_count_of_what_may_be_absent_is_checked(name: str, least: int, value: Any) -> None:
    kind = "seq2seq" if name == "n_decoder_layers" else "encoder"
    with pytest.raises(ConfigError, match=rf"^{name} is .*; it must be a whole number from {least} to .*\.$"):
        tiny.config(kind=kind, **{name: value})


@pytest.mark.parametrize(
    "wrong",
    [
        {"relative_buckets": 2},
        {"relative_buckets": 7},
        {"relative_buckets": None},
        {"relative_distance": 4},
        {"relative_distance": 0},
    ],
)
def test_distances_that_cannot_be_told_apart_are_refused(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"^relative_\w+ is .*\.$"):
        tiny.config(positions="relative", **{"relative_buckets": 8, "relative_distance": 16} | wrong)


def test_only_a_table_bounds_a_text() -> None:
    assert tiny.config().room(10) == 6
    assert tiny.config(positions="relative", context=None).room(10**6) > 10**6
    assert tiny.config(positions="rotary", context=None).context is None
    for positions in ("learned", "sinusoidal"):
        with pytest.raises(ConfigError, match=r"^context is None"):
            tiny.config(positions=positions, context=None)


def test_a_table_of_sines_has_a_bound_that_no_weights_give() -> None:
    assert tiny.config(positions="sinusoidal", context=10**6).context == 10**6
    with pytest.raises(ConfigError, match=r"^context is 1000000000; sines for so many positions of 18 numbers .*\.$"):
        tiny.config(positions="sinusoidal", context=10**9)
    assert tiny.config(positions="rotary", context=10**9).context == 10**9


def test_layers_of_each_stack() -> None:
    pair = tiny.config(kind="seq2seq", n_decoder_layers=5)
    assert [pair.layers(stack) for stack in ("encoder", "decoder")] == [2, 5]
    assert [tiny.config(kind="seq2seq").layers(stack) for stack in ("encoder", "decoder")] == [2, 2]
    assert [tiny.config(kind="encoder").layers(stack) for stack in ("encoder", "decoder")] == [2, 0]
    assert [tiny.config().layers(stack) for stack in ("encoder", "decoder")] == [0, 2]


def test_a_config_is_a_value() -> None:
    one, two = tiny.config(), tiny.config()
    assert one == two
    assert hash(one) == hash(two)
    assert one != tiny.config(tied=False)
    with pytest.raises(FrozenInstanceError):
        one.tied = False  # type: ignore[misc]
    assert isinstance(one, Config)
