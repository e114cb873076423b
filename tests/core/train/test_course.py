"""A run can be put down and taken up; rates rise and fall; batches hold everything once."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import torch
from torch import Tensor, nn

from core.train.batches import by_length, padded, there
from core.train.course import Course, Progress, begin, schedule, spent, step, train, trained


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.blocks = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


def batches(seed: int, passed: float) -> Iterator[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    yield from (torch.randn(4, 8, generator=generator) for _ in range(3))


def loss(network: nn.Module, batch: Tensor) -> Tensor:
    return network(batch).float().square().mean()


COURSE = Course(batches, loss, lambda batch: len(batch))


def test_matrices_inside_blocks_go_to_muon_and_everything_to_someone() -> None:
    progress = begin(Small())
    groups = {name: [w for g in o.param_groups for w in g["params"]] for name, o in progress.optimizers.items()}
    assert [tuple(w.shape) for w in groups["matrices"]] == [(8, 8), (8, 8)]
    assert sum(map(len, groups.values())) == len(list(progress.network.parameters()))


def test_a_run_taken_up_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    batch = torch.randn(4, 8, generator=torch.Generator().manual_seed(2))
    straight, first = begin(Small()), begin(Small())
    for progress in (straight, first):
        step(progress, COURSE, batch, 0.5)
    first.stretches, first.seconds, first.tokens = 3, 12.5, 99
    first.save(tmp_path / "run.pt")
    second = begin(Small())
    second.load(tmp_path / "run.pt")
    assert (second.stretches, second.seconds, second.tokens) == (3, 12.5, 99)
    step(straight, COURSE, batch, 0.5)
    step(second, COURSE, batch, 0.5)
    for ours, theirs in zip(straight.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_training_lowers_the_loss_counts_and_stops_by_the_clock(tmp_path: Path) -> None:
    progress, batch = begin(Small()), next(batches(9, 0.0))
    before = loss(progress.network, batch)
    train(progress, COURSE, 0.005, tmp_path / "run.pt")
    assert loss(progress.network, batch) < before
    assert progress.tokens == progress.stretches * 12
    assert progress.seconds >= 0.3
    done = trained(Small(), COURSE, 0.005, tmp_path / "run.pt", resume=True)
    assert isinstance(done, Progress)
    assert done.stretches == progress.stretches  # nothing was left to do
    assert spent(done)["tokens"] == progress.tokens


def test_the_rate_rises_and_falls() -> None:
    shares = [schedule(i / 100) for i in range(101)]
    assert shares[0] == 0.0
    assert max(shares) == pytest.approx(1.0, abs=0.01)
    assert shares[-1] == pytest.approx(0.02)


def test_batches_hold_every_text_once_and_keep_to_their_room() -> None:
    sizes = [Random(i).randint(1, 30) for i in range(500)]
    found = list(by_length(sizes, 100, Random(1)))
    assert sorted(i for rows in found for i in rows) == list(range(500))
    assert max(len(rows) * max(sizes[i] for i in rows) for rows in found) <= 100


def test_padding_is_at_the_end_and_known_as_such() -> None:
    ids = padded([[5, 6, 7], [8]], 0)
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert there(ids, 0).tolist() == [[True] * 3, [True, False, False]]
