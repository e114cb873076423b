"""The three scores, on patterns whose answer is known."""

import pytest
import torch

from core.train.heads import coreference_score, induction_score, previous_token_score

N, PERIOD = 12, 4


def looking_back(distance: int) -> torch.Tensor:
    """One head that gives all its attention to the position `distance` before, or to the first."""
    pattern = torch.zeros(1, N, N)
    for query in range(N):
        pattern[0, query, max(0, query - distance)] = 1.0
    return pattern


def test_a_previous_token_head_scores_one() -> None:
    assert previous_token_score(looking_back(1)).item() == 1.0
    assert previous_token_score(looking_back(3)).item() == pytest.approx(1 / (N - 1))  # only position 1, which must


def test_an_induction_head_scores_one_and_its_neighbours_nothing() -> None:
    assert induction_score(looking_back(PERIOD - 1), PERIOD).item() == 1.0
    assert induction_score(looking_back(PERIOD), PERIOD).item() == 0.0
    assert induction_score(looking_back(PERIOD - 2), PERIOD).item() == 0.0


def test_induction_counts_from_the_second_time_on() -> None:
    pattern = looking_back(PERIOD - 1)
    pattern[0, :PERIOD] = 0.0
    assert induction_score(pattern, PERIOD).item() == 1.0


def test_uniform_attention_scores_what_chance_gives() -> None:
    pattern = torch.tril(torch.ones(1, N, N)) / torch.arange(1, N + 1)[:, None]
    expected = sum(1 / (i + 1) for i in range(PERIOD, N)) / (N - PERIOD)
    assert induction_score(pattern, PERIOD).item() == pytest.approx(expected)


def test_coreference_sums_over_mentions_and_keeps_heads_apart() -> None:
    row = torch.tensor([[0.1, 0.5, 0.2, 0.2], [0.0, 0.0, 1.0, 0.0]])
    antecedent, distractor = coreference_score(row, [1, 3], [2])
    assert antecedent.tolist() == pytest.approx([0.7, 0.0])
    assert distractor.tolist() == pytest.approx([0.2, 1.0])
