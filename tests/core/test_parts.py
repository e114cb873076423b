"""The parts of rank 0 to 2 by themselves, with examples worked by hand."""

from math import cos, sin
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from core.attention import attend, attend_fused
from core.cache import Cache
from core.feedforward import ACTIVATIONS
from core.mask import causal, hide
from core.position import RelativeBias, Rotary, buckets, count_from, rotate, sinusoids
from core.probe import silent, within
from core.sites import AXES, SITES, axes, find, formula, names
from tests.core import tiny


def test_b39_the_two_gelus_are_told_apart() -> None:
    one = torch.ones(())
    found = {name: f(one).item() for name, f in ACTIVATIONS.items()}
    assert found["gelu"] == pytest.approx(0.841345, abs=1e-6)
    assert found["gelu_tanh"] == pytest.approx(0.841192, abs=1e-6)
    assert found["silu"] == pytest.approx(0.731059, abs=1e-6)
    assert found["relu"] == 1
    assert ACTIVATIONS["relu"](-one) == 0


def test_b47_rotary_pairs_are_halves() -> None:
    q = torch.tensor([[[[1.0, 0, 0, 0], [1.0, 0, 0, 0]]]])
    turn = Rotary(tiny.config(positions="rotary"))
    found, _ = turn(q, q, torch.tensor([[1, 0]]), silent)
    assert found[0, 0, 0].tolist() == pytest.approx([0.540302, 0, 0.841471, 0], abs=1e-6)
    assert found[0, 0, 1].tolist() == [1, 0, 0, 0]


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_property_rotary_scores_depend_on_the_distance_alone(i: int, j: int, by: int) -> None:
    torch.manual_seed(0)
    q, k = torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)
    turn = Rotary(tiny.config(positions="rotary", d_head=8))

    def score(a: int, b: int) -> float:
        (x, _), (_, y) = turn(q, k, torch.tensor([[a]]), silent), turn(q, k, torch.tensor([[b]]), silent)
        return float((x * y).sum())

    assert score(i, j) == pytest.approx(score(i + by, j + by), abs=2e-3)
    assert float(rotate(q, torch.ones(4), torch.zeros(4)).sub(q).abs().max()) == 0


def test_the_sine_table_is_that_of_the_paper() -> None:
    table = sinusoids(50, 7)
    for position in (0, 1, 49):
        for i in range(7):
            angle = position / 10000 ** ((i - i % 2) / 7)
            assert table[position, i].item() == pytest.approx((cos if i % 2 else sin)(angle), abs=1e-6)


@given(st.integers(0, 6), st.integers(1, 7))
def test_property_a_causal_mask_is_the_last_rows_of_a_triangle(past: int, n: int) -> None:
    whole = causal(past + n, past + n)
    assert torch.equal(whole, torch.ones(past + n, past + n).tril().bool())
    assert torch.equal(causal(n, past + n), whole[past:])


def test_hiding_keys_takes_columns_away() -> None:
    assert hide(causal(3, 3), torch.tensor([True, False, True])).tolist() == [
        [True, False, False],
        [True, False, False],
        [True, False, True],
    ]


@pytest.mark.parametrize(
    ("mask", "n", "right"),
    [
        ([1, 1, 1], 3, [0, 1, 2]),
        ([0, 0, 1, 1], 4, [0, 0, 0, 1]),
        ([0, 0, 1, 1], 1, [1]),
        ([1, 0, 1], 3, [0, 1, 2]),
        ([0, 1, 0, 1], 2, [1, 2]),
        ([0, 0], 2, [0, 1]),
    ],
)
def test_positions_count_from_the_first_allowed_token(mask: list[int], n: int, right: list[int]) -> None:
    assert count_from(torch.tensor([mask]).bool(), n).tolist() == [right]


def test_b22_one_query_after_a_cache_reads_every_key() -> None:
    q, k, v = torch.zeros(1, 1, 1, 3), torch.zeros(1, 1, 3, 3), torch.eye(3)[None, None]
    for kernel in (attend, attend_fused):
        assert kernel(q, k, v, causal(1, 3)[None], 1.0).flatten().tolist() == pytest.approx([1 / 3] * 3)


@given(st.data())
def test_property_attention_is_a_mixture_of_the_values_that_may_be_read(data: Any) -> None:
    rows, keys = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    kv, group = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 3))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    q = 3 * torch.randn(1, kv * group, rows, 2, generator=generator)
    k, v = torch.randn(1, kv, keys, 2, generator=generator), torch.randn(1, kv, keys, 2, generator=generator)
    mask = torch.rand(1, rows, keys, generator=generator) < 0.6
    seen: dict[str, Tensor] = {}
    z = attend(q, k, v, mask, 0.7, lambda name, x: seen.setdefault(name, x))
    assert list(seen) == ["scores", "scaled", "masked", "pattern", "z"]
    for head in range(kv * group):
        for row in range(rows):
            allowed = mask[0, row]
            right = torch.zeros(2)
            if allowed.any():
                weights = (k[0, head // group][allowed] @ q[0, head, row] * 0.7).softmax(0)
                right = weights @ v[0, head // group][allowed]
                assert torch.allclose(seen["pattern"][0, head, row][allowed], weights, atol=1e-6)
            assert torch.allclose(z[0, head, row], right, atol=1e-5)
            assert (seen["pattern"][0, head, row][~allowed] == 0).all()
    assert torch.allclose(attend_fused(q, k, v, mask, 0.7), z, atol=1e-5)


def test_a_probe_within_a_place_says_the_whole_name() -> None:
    heard = []

    def probe(name: str, x: Tensor) -> Tensor:
        heard.append(name)
        return x + 1

    assert within(within(probe, "decoder"), "0")("q", torch.zeros(())) == 1
    assert heard == ["decoder.0.q"]
    assert within(silent, "decoder") is silent


def test_the_cache_never_moves_what_it_was_given() -> None:
    cache = Cache().claim(0, 20)
    given_keys = []
    for i in range(20):
        x = torch.full((1, 1, 1, 2), float(i))
        k, v = cache.layer(0).extend(x, -x)
        given_keys.append(k.clone())
        assert k[0, 0, :, 0].tolist() == list(range(i + 1))
        assert v[0, 0, :, 0].tolist() == [-j for j in range(i + 1)]
        cache.advance(1)
    assert cache.length == 20


# ---- the table


def test_every_row_of_the_table_says_what_it_is() -> None:
    for name, site in SITES.items():
        assert site.name == name
        assert site.meaning.strip()
        assert site.formula.strip()
        for form in (site.formula, *(form for _, form in site.forms)):
            assert form.count("{") == form.count("}")
        assert set(site.axes) <= set(AXES)
    assert {axis for site in SITES.values() for axis in site.axes} == set(AXES)


def test_names_are_found_by_their_row() -> None:
    assert find("decoder.12.attn.q") is SITES["decoder.*.attn.q"]
    for preset in tiny.PRESETS.values():
        for name in names(preset):
            assert find(name)


def test_the_names_of_design_section_4_are_the_table() -> None:
    """Copied from the design: what each stack records, in its order, and what is put on top."""
    attn = " attn.in attn.q attn.k attn.v attn.q_rot attn.k_rot attn.scores attn.bias attn.scaled attn.masked"
    attn += " attn.pattern attn.z attn.out resid_mid"
    cross = " cross.in cross.q cross.k cross.v cross.scores cross.scaled cross.masked cross.pattern cross.z cross.out"
    cross += " resid_cross"
    net = " ffn.in ffn.gate ffn.pre ffn.act ffn.out resid_post"
    wanted = []
    for stack, segment, reads in (("encoder", " embed.segment", ""), ("decoder", "", cross)):
        wanted += [f"{stack}.{place}" for place in f"mask embed.token{segment} embed.position embed.out".split()]
        wanted += [f"{stack}.*.{place}" for place in f"resid_pre{attn}{reads}{net}".split()] + [f"{stack}.final"]
    assert list(SITES) == [*wanted, "head.dense", "head.act", "head.norm", "logits", "pooler", "labels"]


@pytest.mark.parametrize(
    ("name", "preset", "right"),
    [
        ("decoder.0.attn.scaled", "gpt2", r"\frac{q_i \cdot k_j}{\sqrt{d_k}}"),
        ("decoder.0.attn.scaled", "t5 1.0", r"q_i \cdot k_j + b_{j - i}"),
        ("decoder.1.cross.scaled", "t5 1.1", r"q_i \cdot k_j"),
        ("decoder.1.cross.scaled", "original pair", r"\frac{q_i \cdot k_j}{\sqrt{d_k}}"),
        ("encoder.0.attn.scaled", "relative encoder", r"\frac{q_i \cdot k_j}{\sqrt{d_k}} + b_{j - i}"),
        ("decoder.0.attn.in", "gpt2", r"\mathrm{norm}(x)"),
        ("encoder.0.attn.in", "bert", "x"),
        ("encoder.0.resid_mid", "bert", r"\mathrm{norm}(x + \mathrm{attn})"),
        ("encoder.embed.out", "bert", r"\mathrm{norm}(t_i + s_i + P_i)"),
        ("decoder.embed.token", "original", r"E_{t_i} \sqrt{d_{model}}"),
        ("logits", "t5 1.0", r"\frac{x}{\sqrt{d_{model}}} W_U"),
        ("logits", "t5 1.1", "x W_U"),
    ],
)
def test_b43_a_formula_is_that_of_the_network(name: str, preset: str, right: str) -> None:
    assert formula(name, tiny.PRESETS[preset]) == right


def test_labels_come_for_the_text_or_for_each_token() -> None:
    assert axes("labels", 1) == ("class",)
    assert axes("labels", 2) == ("position", "class")
    assert axes("decoder.0.attn.q", 3) == ("head", "position", "d_head")


# ---- distance


def test_b46_the_buckets_of_t5() -> None:
    distance = torch.arange(-6, 7)[None]
    assert buckets(distance, 8, 16, True).tolist() == [[3, 2, 2, 2, 2, 1, 0, 5, 6, 6, 6, 6, 7]]
    assert buckets(distance, 8, 16, False).tolist() == [[5, 4, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0]]
    assert buckets(torch.tensor([[-(10**6), 10**6]]), 32, 128, True).tolist() == [[15, 31]]


@given(st.integers(0, 9), st.integers(1, 9), st.booleans())
def test_b46_property_the_bias_after_a_cache_is_the_last_rows(past: int, n: int, two_sided: bool) -> None:
    bias = RelativeBias(tiny.config(positions="relative", relative_buckets=8, relative_distance=16), two_sided)
    zero = torch.zeros(())
    whole, last = (bias(rows, past + n)(zero, silent) for rows in (past + n, n))
    assert torch.equal(last, whole[:, :, past:])


# ---- what a source offers


def test_a_source_is_offered_once_and_by_whoever_comes_first() -> None:
    cache, made = Cache().claim(0, 1), []

    def make() -> tuple[Tensor, Tensor]:
        made.append(1)
        return torch.ones(1), torch.zeros(1)

    first = cache.layer(0).recall(make)
    cache.advance(1)
    line, other = cache.claim(1, 1), cache.claim(1, 1)
    assert other is not line
    assert all(part.layer(0).recall(make) is first for part in (line, other))
    cache.layer(1).recall(make)
    assert len(made) == 2
    cache.rewind(0)
    cache.layer(0).recall(make)
    assert len(made) == 3
