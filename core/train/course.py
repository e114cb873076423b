"""How a network is trained here: Muon for the matrices inside the blocks, AdamW for the rest, by the clock.

Muon: Jordan 2024, https://kellerjordan.github.io/posts/muon/. In trials of the storyteller the held-out loss after two
million tokens was 1.69 with AdamW alone and 0.81 with Muon, which had a coreference head by then. A short warm-up, then
a cosine down to almost nothing; how far along a run is, the clock tells, so that a busy machine gets a shorter run and
not an unfinished one. The data never run out and never come back: each stretch of steps draws fresh ones from its own
seed.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import cos, pi
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

Batch = TypeVar("Batch")

PEAKS = {"matrices": 0.02, "positions": 0.001, "others": 0.003}  # learning rates at the end of the warm-up
WARM_UP = 0.02  # of the whole run
SEED = 1  # of the first stretch


@dataclass(frozen=True)
class Course(Generic[Batch]):
    """What a run trains on: batches for a seed and for how much of the run has passed, the loss of one, its tokens."""

    batches: Callable[[int, float], Iterable[Batch]]
    loss: Callable[[nn.Module, Batch], Tensor]
    tokens: Callable[[Batch], int]
    peaks: Mapping[str, float] = field(default_factory=lambda: PEAKS)
    half: bool = False  # compute in bfloat16: faster for long rows, slower for short ones


@dataclass
class Progress:
    """A run that can be put down and taken up again: everything that the next step depends on."""

    network: nn.Module
    optimizers: dict[str, torch.optim.Optimizer]
    stretches: int = 0
    seconds: float = 0.0
    tokens: int = 0

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        moments = {name: optimizer.state_dict() for name, optimizer in self.optimizers.items()}
        counts = [self.stretches, self.seconds, self.tokens]
        torch.save([self.network.state_dict(), moments, counts], path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # a run killed before this line keeps the old one

    def load(self, path: Path) -> None:
        weights, moments, (self.stretches, self.seconds, self.tokens) = torch.load(path)
        self.network.load_state_dict(weights)
        for name, optimizer in self.optimizers.items():
            optimizer.load_state_dict(moments[name])


def first_weights(network: nn.Module, width: int) -> None:
    """Glorot's for the matrices, so that attention tells keys apart from the start; N(0, 1 / width) for the tokens."""
    torch.manual_seed(SEED)
    for name, weight in network.named_parameters():
        if name.endswith("embed.token.weight"):
            nn.init.normal_(weight, std=width**-0.5)
        elif weight.dim() == 2:
            nn.init.xavier_uniform_(weight)
        elif name.endswith("bias"):
            nn.init.zeros_(weight)


def begin(network: nn.Module) -> Progress:
    """A run that has not yet taken a step."""
    parts: dict[str, list[nn.Parameter]] = {"matrices": [], "positions": [], "others": []}
    for name, weight in network.named_parameters():
        if name.endswith("add_positions.table"):
            parts["positions"].append(weight)
        else:
            parts["matrices" if weight.dim() == 2 and "blocks." in name else "others"].append(weight)
    adamw = partial(torch.optim.AdamW, betas=(0.9, 0.98), weight_decay=0.01)
    optimizers: dict[str, torch.optim.Optimizer] = {
        "matrices": torch.optim.Muon(parts["matrices"], weight_decay=0.01),
        "others": adamw(parts["others"]),
    }
    if parts["positions"]:
        optimizers["positions"] = adamw(parts["positions"])
    return Progress(network, optimizers)


def schedule(passed: float) -> float:
    """The share of the peak learning rate after `passed`, a share of the whole run."""
    if passed < WARM_UP:
        return passed / WARM_UP
    return 0.02 + 0.98 * 0.5 * (1 + cos(pi * min(1.0, passed)))


def train(progress: Progress, course: Course[Batch], minutes: float, checkpoint: Path) -> None:
    """Trains until the clock, counted over all sittings of the run, says that the minutes are over."""
    while progress.seconds < 60 * minutes:
        start, loss = time.monotonic(), torch.zeros(())
        for batch in course.batches(SEED + progress.stretches, progress.seconds / (60 * minutes)):
            share = schedule((progress.seconds + time.monotonic() - start) / (60 * minutes))
            loss = step(progress, course, batch, share)
            progress.tokens += course.tokens(batch)
        progress.stretches += 1
        progress.seconds += time.monotonic() - start
        progress.save(checkpoint)
        print(f"{progress.seconds:6.0f} s  {progress.tokens / 1e6:6.2f} M tokens  loss {loss:.4f}", flush=True)


def step(progress: Progress, course: Course[Batch], batch: Batch, share: float) -> Tensor:
    """One step at a share of the peak learning rates; returns the loss."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=course.half):
        loss = course.loss(progress.network, batch)
    progress.network.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(progress.network.parameters(), 1.0)
    for name, optimizer in progress.optimizers.items():
        for group in optimizer.param_groups:
            group["lr"] = share * course.peaks[name]
        optimizer.step()
    return loss.detach()


def trained(network: nn.Module, course: Course[Batch], minutes: float, checkpoint: Path, *, resume: bool) -> Progress:
    """A whole run, or with `resume` what is left of one that was killed."""
    progress = begin(network)
    if resume and checkpoint.is_file():
        progress.load(checkpoint)
    train(progress, course, minutes, checkpoint)
    return progress


def spent(progress: Progress) -> dict[str, Any]:
    """What the run was, for its card: its length by the clock and in tokens read."""
    return {
        "minutes": round(progress.seconds / 60, 1),
        "tokens": progress.tokens,
        "parameters": sum(weight.numel() for weight in progress.network.parameters()),
        "threads": torch.get_num_threads(),
    }
