"""The address is hostile input: whatever stands in it, the state is valid, and what is valid comes back."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.state import MAX_TEXT, PARSE, State, address, parse

values = st.text(max_size=30) | st.text(alphabet=string.digits + ".-+einfa", max_size=12)


@given(st.dictionaries(st.sampled_from([*PARSE, "lang", "x"]), values))
def test_any_address_gives_a_valid_state(query: dict[str, str]) -> None:
    state, wrong = parse(query)
    assert parse(address(state)) == (state, [])
    assert 0 <= state.temperature <= 2
    assert 0 <= state.top_p <= 1
    assert all(n is None or n >= 0 for n in (state.layer, state.head, state.token, state.step))
    assert len(wrong) <= len(query)


def test_a_state_comes_back_from_its_address_letter_by_letter() -> None:
    state = State(
        model="storyteller",
        text="a  b\n<b>&?=+%$ 你好 🙂 ",
        mask="hand:8.c.e.f",
        tab="beams",
        width=1,
        layer=0,
        head=3,
        token=0,
        step=0,
        show="scores",
        temperature=0.0,
        top_k=40,
        top_p=0.95,
        seed=2**31 - 1,
        continuation=(0, 5, 2047),
    )
    assert parse(address(state)) == (state, [])


def test_the_default_state_has_an_empty_address() -> None:
    assert address(State()) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layer", "-1"),
        ("layer", "1.0"),
        ("head", "٣"),  # a digit, but not one of ours
        ("temperature", "nan"),
        ("temperature", "1e400"),
        ("temperature", "-0.1"),
        ("top_p", "1.01"),
        ("top_k", "99999999999"),
        ("seed", "9" * 40),
        ("seed", str(2**31)),
        ("temperature", "0_5"),
        ("temperature", "٠"),
        ("seed", "9" * 5000),
        ("continuation", "1..2"),
        ("continuation", ".".join(["1"] * 5000)),
        ("text", "x" * (MAX_TEXT + 1)),
        ("show", "everything"),
        ("tab", "steps "),
        ("width", "7"),
        ("mask", "pad:12"),
        ("mask", "hand:" + ".".join(["0"] * 25)),
        ("mask", "hand:8.c\n"),
    ],
)
def test_a_value_that_is_not_valid_is_left_out_and_named(name: str, value: str) -> None:
    state, (sentence,) = parse({name: value, "layer" if name != "layer" else "head": "2"})
    assert getattr(state, name) == getattr(State(), name)
    assert name in sentence
    assert len(sentence) < 200
    assert 2 in (state.layer, state.head)  # the rest is kept


@given(st.floats(0, 2), st.floats(0, 1))
def test_settings_survive_the_address_to_the_last_bit(temperature: float, top_p: float) -> None:
    state, wrong = parse(address(State(temperature=temperature, top_p=top_p)))
    assert not wrong
    assert (state.temperature, state.top_p) == (temperature, top_p)
