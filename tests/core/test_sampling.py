"""The stages from logits to a draw. Names with B and a number are public troubles of other tools."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import core
from core.errors import SamplingError
from core.sampling import Distribution, check, distribution, uniform
from tests.core import tiny


def logs(*chances: float) -> list[float]:
    """Logits that the softmax turns into these probabilities."""
    return [math.log(p) for p in chances]


def close(found: torch.Tensor, *right: float, within: float = 1e-6) -> None:
    assert found.tolist() == pytest.approx(right, abs=within)


def naive(logits: list[float], temperature: float, top_k: int, top_p: float) -> list[float]:
    """The definition, written a second time and slowly: rank, cut at k, scale up, add up to p, scale up."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    if temperature == 0:
        return [float(i == order[0]) for i in range(len(logits))]
    top = max(logits)
    weights = [math.exp((x - top) / temperature) for x in logits]
    order = order[:top_k] if top_k else order
    whole = math.fsum(weights[i] for i in order)
    if top_p < 1:
        kept: list[int] = []
        for i in order:
            kept.append(i)
            if math.fsum(weights[j] for j in kept) / whole >= top_p - 1e-9:
                break
        order = kept
    whole = math.fsum(weights[i] for i in order)
    return [weights[i] / whole if i in order else 0.0 for i in range(len(logits))]


# ---- the troubles


def test_b26_temperature_0_is_greedy() -> None:
    close(distribution([1, 3, 2], temperature=0).probs, 0, 1, 0, within=0)


def test_b26_a_tie_at_temperature_0_goes_to_the_lowest_id_every_time() -> None:
    for _ in range(20):
        close(distribution([2, 2, 1], temperature=0).probs, 1, 0, 0, within=0)


@pytest.mark.parametrize(
    "cut", [{"top_k": 1}, {"top_k": 3}, {"top_p": 0.0}, {"top_p": 0.5}, {"top_k": 2, "top_p": 0.1}]
)
def test_b26_cuts_change_nothing_at_temperature_0(cut: dict[str, Any]) -> None:
    close(distribution([1, 3, 2], temperature=0, **cut).probs, 0, 1, 0, within=0)
    assert distribution([1, 3, 2], temperature=0, **cut).kept.tolist() == [False, True, False]


@pytest.mark.parametrize("temperature", [1e-3, 1e-8, 1e-300, 5e-324])
def test_b26_a_tiny_temperature_neither_overflows_nor_divides_by_zero(temperature: float) -> None:
    close(distribution([1000.0, 3000.0, 2000.0], temperature).probs, 0, 1, 0, within=0)
    close(distribution([-1e30, 1e30, 1e30], temperature).probs, 0, 0.5, 0.5, within=0)


def test_b28_top_p_keeps_the_token_that_crosses() -> None:
    found = distribution(logs(0.4, 0.3, 0.2, 0.1), top_p=0.8)
    assert found.kept.tolist() == [True, True, True, False]
    close(found.probs, 0.444444, 0.333333, 0.222222, 0)
    assert distribution(logs(0.5, 0.35, 0.1, 0.05), top_p=0.9).kept.tolist() == [True, True, True, False]
    assert distribution(logs(0.4, 0.3, 0.2, 0.1), top_p=0.3).kept.tolist() == [True, False, False, False]


def test_b29_an_exact_hit_keeps_no_token_too_many() -> None:
    close(distribution(logs(0.5, 0.25, 0.125, 0.125), top_p=0.75).probs, 2 / 3, 1 / 3, 0, 0)


def test_b29_top_p_0_keeps_the_best() -> None:
    close(distribution(logs(0.25, 0.5, 0.125, 0.125), top_p=0.0).probs, 0, 1, 0, 0, within=0)


def test_b29_top_p_1_cuts_nothing_of_a_large_vocabulary() -> None:
    logits = torch.zeros(50257)
    logits[7] = 1.0
    found = distribution(logits, top_p=1.0)
    assert found.kept.all()
    assert torch.equal(found.probs, found.tempered) or (found.probs - found.tempered).abs().max() < 1e-15


def test_b29_a_sum_that_only_rounding_keeps_from_p_counts_as_reached() -> None:
    found = distribution(logs(0.7, 0.1, 0.1, 0.1), top_p=0.9)
    assert found.kept.tolist() == [True, True, True, False]


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.data())
def test_b29_property_a_mass_that_is_reached_on_paper_counts_as_reached(
    weights: list[int], data: st.DataObject
) -> None:
    """p is the sum of the first `n` shares, whatever its rounding: exactly `n` are kept."""
    weights = sorted(weights, reverse=True)
    n = data.draw(st.integers(1, len(weights) - 1))
    p = sum(weights[:n]) / sum(weights)
    assert int(distribution([math.log(w) for w in weights], top_p=p).kept.sum()) == n


def test_b30_temperature_comes_before_top_p() -> None:
    found = distribution([3, 2, 1], temperature=0.5, top_p=0.8)
    close(found.tempered, 0.866813, 0.117310, 0.015876)
    assert found.kept.tolist() == [True, False, False]
    close(distribution([3, 2, 1]).tempered, 0.665241, 0.244728, 0.090031)


def test_b30_top_p_counts_what_top_k_left() -> None:
    """0.4 + 0.3 of 0.4 + 0.3 + 0.2 is 0.78: p = 0.75 keeps two. Over the whole list it would keep three."""
    found = distribution(logs(0.4, 0.3, 0.2, 0.1), top_k=3, top_p=0.75)
    assert found.kept.tolist() == [True, True, False, False]
    assert distribution(logs(0.4, 0.3, 0.2, 0.1), top_p=0.75).kept.tolist() == [True, True, True, False]


@pytest.mark.parametrize("k", [0, 5, 6, 50, 10**9])
def test_b31_top_k_off_or_past_the_vocabulary_changes_nothing(k: int) -> None:
    logits = [0.3, -1.0, 2.0, 0.0, 1.0]
    found = distribution(logits, top_k=k)
    assert torch.equal(found.probs, distribution(logits).probs)
    assert found.kept.all()


def test_b31_top_k_1_is_one_hot_and_below_0_is_refused() -> None:
    close(distribution([0.3, -1.0, 2.0, 0.0, 1.0], top_k=1).probs, 0, 0, 1, 0, 0, within=0)
    with pytest.raises(SamplingError, match=r"Top-k is -1; it must be a whole number of at least 0, where 0 is off\."):
        distribution([0.3, -1.0, 2.0, 0.0, 1.0], top_k=-1)


def test_b32_ties_at_the_kth_place_keep_exactly_k_lowest_ids_first() -> None:
    found = distribution([1, 2, 2, 2, 3], top_k=3)
    close(found.probs, 0, 0.211942, 0.211942, 0, 0.576117)
    assert int(found.kept.sum()) == 3
    close(distribution([5, 5, 1], top_k=1).probs, 1, 0, 0, within=0)


def test_b32_ties_at_the_end_of_top_p_go_to_the_lowest_ids() -> None:
    assert distribution([2, 2, 2, 2], top_p=0.5).kept.tolist() == [True, True, False, False]
    assert distribution([2, 2, 2, 2], top_p=0.51).kept.tolist() == [True, True, True, False]


def test_b32_ties_are_ranked_by_id_in_a_vocabulary_too_large_for_an_insertion_sort() -> None:
    assert distribution(torch.zeros(5000), top_k=1234).kept.nonzero().flatten().tolist() == list(range(1234))


def chi_square(counts: Sequence[float], chances: Sequence[float]) -> float:
    """The chance of a fit as bad as this one or worse (Pearson 1900)."""
    n = sum(counts)
    distance = sum((found - n * p) ** 2 / (n * p) for found, p in zip(counts, chances, strict=True))
    return float(torch.special.gammaincc(torch.tensor((len(counts) - 1) / 2), torch.tensor(distance / 2)))


def fit(drawn: Counter[int], bars: Distribution) -> float:
    """How well 10 000 draws fit the bars; those of less than 5 expected draws count together."""
    n = sum(drawn.values())
    likely = [id for id, p in enumerate(bars.probs.tolist()) if p * n >= 5]
    counts, chances = [drawn[id] for id in likely], [float(bars.probs[id]) for id in likely]
    if 1 - sum(chances) > 1e-6:
        counts, chances = [*counts, n - sum(counts)], [*chances, 1 - sum(chances)]
    assert len(counts) > 2
    return chi_square(counts, chances)


@pytest.mark.parametrize("cut", [{}, {"temperature": 1.7}, {"top_k": 4}, {"temperature": 0.7, "top_p": 0.8}])
def test_b34_draws_fit_the_bars(cut: dict[str, Any]) -> None:
    """10 000 seeded draws: frequencies fit (chi-square, p > 0.001), and no token with a shown 0 is drawn."""
    bars = distribution(tiny.model(seed=3).run(ids=tiny.IDS).logits[-1] * 0.3, **cut)
    generator = torch.Generator().manual_seed(7)
    drawn = Counter(bars.draw(generator).id for _ in range(10_000))
    assert all(bars.probs[id] > 0 for id in drawn)
    assert fit(drawn, bars) > 0.001


def test_b34_the_numbers_of_the_steps_are_even_over_seeds() -> None:
    """What the steps of a generation draw with, over 10 000 seeds, also fits; and a skew would be noticed."""
    bars = distribution(logs(0.4, 0.3, 0.2, 0.06, 0.04))
    drawn = Counter(bars.at(uniform(seed, seed % 3)).id for seed in range(10_000))
    assert fit(drawn, bars) > 0.001
    drawn[3] += 200
    assert fit(drawn, bars) < 0.001


def test_b34_the_draw_says_what_it_drew_with() -> None:
    generator = torch.Generator().manual_seed(7)
    right = torch.rand((), dtype=torch.float64, generator=torch.Generator().manual_seed(7)).item()
    id, number = distribution(logs(0.1, 0.2, 0.7)).draw(generator)
    assert number == right
    assert id == (0 if right < 0.1 else 1 if right < 0.3 else 2)


def test_b35_the_uniform_of_a_step_depends_on_seed_and_step_alone() -> None:
    torch.manual_seed(0)
    first = [uniform(7, i) for i in range(5)]
    torch.rand(100)
    assert [uniform(7, i) for i in reversed(range(5))] == first[::-1]
    assert len({*first}) == 5
    assert uniform(8, 0) != uniform(7, 0)
    stream = torch.Generator().manual_seed(7)
    assert first == [torch.rand((), dtype=torch.float64, generator=stream).item() for _ in range(5)]


def test_b35_neither_a_draw_nor_a_uniform_touches_the_global_generator() -> None:
    state = torch.get_rng_state()
    uniform(7, 3)
    distribution([1.0, 2.0]).draw(torch.Generator().manual_seed(1))
    distribution([1.0, 2.0]).at(0.5)
    assert torch.equal(torch.get_rng_state(), state)


def test_b35_without_a_generator_draws_vary() -> None:
    bars = distribution([0.0] * 1000)
    assert len({bars.draw().id for _ in range(20)}) > 10


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_b36_logits_that_are_no_numbers_are_refused(bad: float) -> None:
    for temperature in (0.0, 1.0):
        with pytest.raises(SamplingError, match=r"^The logit of token 1 is -?(nan|inf); .*\.$"):
            distribution([0.0, bad, 1.0], temperature)


# ---- the kind


@pytest.mark.parametrize(
    ("setting", "value"),
    [("temperature", v) for v in (-1.0, -1e-9, math.nan, math.inf, -math.inf)]
    + [("top_k", v) for v in (-1, -5, 1.5, math.nan, math.inf)]
    + [("top_p", v) for v in (-0.1, 1.0000001, math.nan, math.inf)],
)
def test_settings_out_of_range_are_refused_by_name(setting: str, value: float) -> None:
    with pytest.raises(SamplingError, match=f"(?i)^{setting.replace('_', '-')} is .*; it must .*\\.$"):
        distribution([1.0, 2.0], **{setting: value})


def test_settings_at_the_ends_of_their_range_are_taken() -> None:
    check(0, 0, 0)
    check(1e9, 10**9, 1)


def test_a_whole_number_from_a_page_may_be_a_float() -> None:
    assert torch.equal(distribution([1.0, 3.0, 2.0], top_k=2.0).kept, torch.tensor([False, True, True]))  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [torch.zeros(0), torch.zeros(2, 3), torch.tensor(1.0), []])
def test_logits_of_another_size_are_refused(bad: Any) -> None:
    with pytest.raises(SamplingError, match=r"^Logits for one token form a list; found size .*\.$"):
        distribution(bad)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64])
def test_any_kind_of_number_is_read(dtype: torch.dtype) -> None:
    found = distribution(torch.tensor([1, 3, 2], dtype=dtype))
    close(found.probs, 0.090031, 0.665241, 0.244728)
    assert found.probs.dtype == torch.float64
    assert found.logits.tolist() == [1, 3, 2]


def test_the_logits_that_went_in_stay_as_they_are() -> None:
    logits = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    found = distribution(logits, 0.5, 2, 0.9)
    assert torch.equal(found.logits, logits.detach())
    assert not found.probs.requires_grad
    assert core.sampling.distribution is distribution


LOGITS = st.lists(st.integers(-12, 12).map(lambda i: i / 4), min_size=1, max_size=12)  # small grid: many ties
ANY_LOGITS = st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=30)
TEMPERATURE = st.one_of(st.just(0.0), st.floats(0.05, 20))
TOP_K = st.integers(0, 14)
TOP_P = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 0.25, 0.999999]), st.floats(0, 1))
UNIFORM = st.floats(0, 1, exclude_max=True)


@settings(max_examples=300)
@given(st.one_of(LOGITS, ANY_LOGITS), TEMPERATURE, TOP_K, TOP_P)
def test_property_a_distribution_is_one(logits: list[float], temperature: float, k: int, p: float) -> None:
    found = distribution(logits, temperature, k, p)
    n = len(logits)
    assert found.probs.sum().item() == pytest.approx(1, abs=1e-12)
    assert found.tempered.sum().item() == pytest.approx(1, abs=1e-12)
    assert (found.probs >= 0).all()
    assert (found.probs[~found.kept] == 0).all()
    assert 1 <= int(found.kept.sum()) <= (min(k, n) if k else n)
    assert found.tempered[found.kept].max() == found.tempered.max()
    assert (found.tempered[found.kept].min() >= found.tempered[~found.kept]).all()
    if p == 1 and temperature > 0:
        assert int(found.kept.sum()) == (min(k, n) if k else n)


@settings(max_examples=300)
@given(LOGITS, TEMPERATURE, TOP_K, st.sampled_from([0.0, 0.13, 0.31, 0.57, 0.77, 0.93, 0.9999, 1.0]))
def test_property_it_is_the_definition(logits: list[float], temperature: float, k: int, p: float) -> None:
    found, right = distribution(logits, temperature, k, p).probs.tolist(), naive(logits, temperature, k, p)
    assert found == pytest.approx(right, abs=1e-9)


@given(st.lists(st.integers(-40, 40), min_size=2, max_size=12, unique=True), st.randoms(), TEMPERATURE, TOP_K, TOP_P)
def test_property_it_goes_along_with_a_permutation(logits: list[int], random: Any, t: float, k: int, p: float) -> None:
    order = list(range(len(logits)))
    random.shuffle(order)
    found, turned = distribution(logits, t, k, p), distribution([logits[i] for i in order], t, k, p)
    assert turned.kept.tolist() == found.kept[order].tolist()
    assert turned.probs.tolist() == pytest.approx(found.probs[order].tolist(), abs=1e-12)


@given(LOGITS, TEMPERATURE, TOP_K, TOP_P, TOP_P)
def test_property_a_larger_p_keeps_what_a_smaller_kept(
    logits: list[float], t: float, k: int, p: float, q: float
) -> None:
    small, large = (distribution(logits, t, k, x) for x in sorted([p, q]))
    assert (large.kept | ~small.kept).all()


@given(LOGITS, TEMPERATURE, st.integers(1, 14), st.integers(1, 14))
def test_property_a_larger_k_keeps_more(logits: list[float], t: float, k: int, j: int) -> None:
    small, large = (distribution(logits, t, x) for x in sorted([k, j]))
    assert (large.kept | ~small.kept).all()


@given(LOGITS, st.floats(-500, 500).map(round), TEMPERATURE, TOP_K, TOP_P)
def test_property_a_shift_of_all_logits_changes_nothing(
    logits: list[float], by: int, t: float, k: int, p: float
) -> None:
    found, shifted = distribution(logits, t, k, p), distribution([x + by for x in logits], t, k, p)
    assert found.kept.tolist() == shifted.kept.tolist()
    assert found.probs.tolist() == pytest.approx(shifted.probs.tolist(), abs=1e-12)


@settings(max_examples=200)
@given(st.one_of(LOGITS, ANY_LOGITS), TEMPERATURE, TOP_K, TOP_P, st.one_of(UNIFORM, st.just(1 - 2**-53), st.just(0.0)))
def test_property_a_draw_has_a_chance(logits: list[float], t: float, k: int, p: float, number: float) -> None:
    bars = distribution(logits, t, k, p)
    id, said = bars.at(number)
    assert said == number
    assert bars.probs[id] > 0


@settings(max_examples=200)
@given(st.lists(st.integers(0, 16), min_size=1, max_size=9).filter(any), st.integers(0, 2**12 - 1))
def test_property_a_draw_inverts_the_running_sum_in_id_order(weights: list[int], tick: int) -> None:
    """Counted with whole numbers: `number` lands in the first id whose running sum is above it."""
    whole = sum(weights)
    probs = torch.tensor(weights, dtype=torch.float64) / whole
    bars = Distribution(probs, probs, probs > 0, probs)
    number = (tick + 0.5) / 2**12
    ends = list(accumulate(weights))
    right = next(id for id, end in enumerate(ends) if end > number * whole)
    if min(abs(end - number * whole) for end in ends) > 1e-9:  # else rounding may choose
        assert bars.at(number).id == right


def test_the_ends_of_the_line_are_the_first_and_the_last_that_can_be_drawn() -> None:
    bars = distribution([-1e4, 1.0, 2.0, 1.0, -1e4])
    assert bars.probs[0] == bars.probs[4] == 0
    assert bars.at(0.0).id == 1
    assert bars.at(1 - 2**-53).id == 3


@pytest.mark.parametrize("uniform", [-0.1, 1.0, float("nan")])
def test_a_number_outside_the_line_draws_nothing(uniform: float) -> None:
    with pytest.raises(SamplingError, match="at least 0 and below 1"):
        distribution([1.0, 2.0]).at(uniform)
