"""Many people share one model in one process: each gets what a run alone would give, bit for bit."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

import core
from core.cache import Cache
from core.model import Model
from tests.core import tiny

WORKERS = 8
Task = Callable[[Model], list[Tensor]]


def record(ids: list[int], **inputs: Any) -> Task:
    def task(model: Model) -> list[Tensor]:
        run = model.run(**tiny.inputs(model.config, ids=ids), **inputs)
        return [run[name] for name in run.sites]

    return task


def silent(ids: list[int]) -> Task:
    def task(model: Model) -> list[Tensor]:
        inputs = {name: row for name, row in tiny.inputs(model.config, ids=ids).items() if name != "segments"}
        with torch.no_grad():
            return list(tiny.said(model.network, inputs).values())

    return task


def write(ids: list[int], seed: int, edits: Any) -> Task:
    """A generation; an encoder, which cannot write, reads instead."""

    def task(model: Model) -> list[Tensor]:
        if model.config.kind == "encoder":
            return record(ids, edits=edits)(model)
        steps = list(model.generate(ids=ids, max_new_tokens=4, seed=seed, temperature=1.5, edits=edits))
        drawn = torch.tensor([step.token.id for step in steps])
        return [drawn, *(step.run[name] for step in steps for name in step.run.sites)]

    return task


def search(ids: list[int]) -> Task:
    """A beam search; an encoder reads instead, and so does the decoder here, whose context is short."""

    def task(model: Model) -> list[Tensor]:
        if model.config.kind != "seq2seq":
            return record(ids, keep=[])(model)
        found = model.beam(ids=ids, width=3, max_new_tokens=4)
        return [torch.tensor([[t.id for t in one.line] for one in found.finished]), found.best.reading.logits]

    return task


def tasks(n: int, seed: int, stack: str) -> list[Task]:
    """Recordings, silent passes, edits, masks and generations of many lengths, all different."""
    chance = random.Random(seed)
    found: list[Task] = []
    for i in range(n):
        ids = [chance.randrange(24) for _ in range(chance.randint(1, 12))]
        head, factor = chance.randrange(3), chance.uniform(-2, 2)
        edits = {f"{stack}.{i % 2}.attn.{chance.choice(['z', 'k', 'pattern'])}": core.scale(factor, head=head)}
        kinds: list[Task] = [
            record(ids),
            record(ids, keep=["*.pattern"], edits=edits),
            record(ids, edits={f"{stack}.embed.out": core.put(factor, position=0)}),
            record(ids, mask=[int(j >= len(ids) // 3) for j in range(len(ids))]),
            silent(ids),
            write(ids, seed=i, edits=edits if i % 2 else None),
            search(ids),
        ]
        found.append(kinds[i % len(kinds)])
    return found


@pytest.mark.parametrize(
    ("preset", "runs", "threads"),
    [
        ("gpt2", 200, 1),
        ("rotary layernorm", 200, 1),
        ("llama mha", 200, 1),
        ("two heads", 200, 1),
        ("original pair", 200, 1),
        ("t5 1.0", 200, 1),
        ("gpt2", 24, 2),
    ],
)
def test_two_hundred_interleaved_runs_equal_runs_alone(preset: str, runs: int, threads: int, seed: int) -> None:
    model = tiny.model(replace(tiny.PRESETS[preset], n_heads=3, n_kv_heads=3))
    stack = "decoder" if model.config.kind == "decoder" else "encoder"
    todo = tasks(runs, seed, stack)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        alone = [task(model) for task in todo]
        start = threading.Barrier(WORKERS)
        order = list(range(runs))
        random.Random(seed).shuffle(order)

        def work(worker: int) -> dict[int, list[Tensor]]:
            torch.set_num_threads(threads)
            start.wait()
            return {i: todo[i](model) for i in order[worker::WORKERS]}

        with ThreadPoolExecutor(WORKERS) as pool:
            together = {i: found for part in pool.map(work, range(WORKERS)) for i, found in part.items()}
    finally:
        torch.set_num_threads(before)
    for i in range(runs):
        assert len(together[i]) == len(alone[i])
        assert all(torch.equal(found, right) for found, right in zip(together[i], alone[i], strict=True)), i


def test_a_run_leaves_nothing_on_the_network() -> None:
    model = tiny.model()
    before = {name: dict(vars(module)) for name, module in model.network.named_modules()}
    weights = {name: x.clone() for name, x in model.network.state_dict().items()}
    model.run(ids=tiny.IDS, edits={"decoder.0.attn.z": core.zero()})
    list(model.generate(ids=tiny.IDS, max_new_tokens=3))
    for name, module in model.network.named_modules():
        assert vars(module).keys() == before[name].keys()
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module.training
    assert all(torch.equal(x, weights[name]) for name, x in model.network.state_dict().items())


def test_a_run_records_no_gradients() -> None:
    run = tiny.model().run(ids=tiny.IDS)
    assert not any(run[name].requires_grad for name in run.sites)


def test_a_cache_grows_for_its_own_line_alone() -> None:
    """The first to claim a row gets the cache itself; who comes later gets a copy of what they share."""
    line = Cache().claim(0, 2)
    line.layer(0).extend(torch.ones(1, 1, 2, 3), torch.ones(1, 1, 2, 3))
    line.advance(2)
    one, two = line.claim(2, 1), line.claim(2, 1)
    assert one is line
    assert two is not line
    k, _ = one.layer(0).extend(torch.full((1, 1, 1, 3), 5.0), torch.zeros(1, 1, 1, 3))
    one.advance(1)
    other, _ = two.layer(0).extend(torch.full((1, 1, 1, 3), 7.0), torch.zeros(1, 1, 1, 3))
    assert k[0, 0, :, 0].tolist() == [1, 1, 5]
    assert other[0, 0, :, 0].tolist() == [1, 1, 7]
    assert (one.length, two.length) == (3, 2)
