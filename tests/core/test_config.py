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
        ("positions", "alibi", "learned, sinusoidal, rotary"),
        ("activation", "quick_gelu", "relu, gelu, gelu_tanh, silu"),
        ("activation", ["relu"], "relu, gelu"),
        ("norm", None, "layernorm, rmsnorm"),
    ],
)
def test_an_unknown_choice_says_what_is_known(name: str, value: Any, known: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{name} is .*; known are {known}.*\.$"):
        tiny.config(**{name: value})


@pytest.mark.parametrize("name", ["tied", "gated", "qkv_bias", "embed_scale", "final_norm", "head_bias"])
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


def test_a_config_is_a_value() -> None:
    one, two = tiny.config(), tiny.config()
    assert one == two
    assert hash(one) == hash(two)
    assert one != tiny.config(tied=False)
    with pytest.raises(FrozenInstanceError):
        one.tied = False  # type: ignore[misc]
    assert isinstance(one, Config)
