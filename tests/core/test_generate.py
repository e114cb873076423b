"""Prefill, decode, draw, stop, branch: each step is kept, and can be gone back to."""

import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

import core
from core import sites
from core.errors import SamplingError, TextError
from core.generate import Generation, Step
from core.model import Model
from core.reading import Reading
from core.sampling import distribution, uniform
from tests.core import tiny

N = len(tiny.IDS)
MODEL = tiny.model(tiny.config(context=32), seed=2)
LLAMA = tiny.model(tiny.config(**tiny.LLAMA_BLOCK, n_heads=4, n_kv_heads=2, context=32), seed=2)
BYTES = Model("bytes", "tiny", tiny.network(tiny.config(vocab_size=257, context=64), seed=4), tiny.byte_level(), ())
PAIR = tiny.model(tiny.config(**tiny.ORIGINAL, kind="seq2seq", context=32), seed=2)
T5 = tiny.model(tiny.PRESETS["t5 1.0"], seed=2)
EVERY = pytest.mark.parametrize("model", [MODEL, LLAMA, PAIR, T5], ids=["gpt2", "llama", "original pair", "t5"])
TARGET = (0, 4, 8, 3, 7, 1)  # as long as the prompt of a decoder


def ids(steps: Any) -> list[int]:
    return [step.token.id for step in steps]


def near(found: torch.Tensor, right: torch.Tensor, within: float = 1e-5) -> None:
    assert found.shape == right.shape
    assert (found - right).abs().max() <= within * max(1.0, float(right.abs().max()))


def prompt(model: Model, line: Sequence[int] | None = None) -> dict[str, Any]:
    """What is read before anything is written: a text, or a source and the start of its target; or `line` for it."""
    if model.config.kind == "seq2seq":
        return {"ids": tiny.IDS, "target_ids": TARGET if line is None else line}
    return {"ids": tiny.IDS if line is None else line}


def line(run: core.Run) -> list[int]:
    """The ids of the text that grows."""
    return [t.id for t in run.target_tokens or run.tokens]


def whole(model: Model, run: core.Run) -> torch.Tensor:
    """The next token's logits from one full pass over all that `run` can read."""
    return model.run(**prompt(model, line(run))).logits[-1]


# ---- the passes


@EVERY
def test_the_first_pass_reads_the_prompt_and_each_later_one_a_token(model: Model) -> None:
    steps = list(model.generate(**prompt(model), max_new_tokens=4, seed=7))
    begun = list(prompt(model).values())[-1]
    for i, step in enumerate(steps):
        assert step.index == i
        assert step.run.sites == sites.names(model.config, later=i > 0)
        rows, keys = (N, N) if i == 0 else (1, N + i)
        c = model.config
        assert step.run["decoder.1.attn.pattern"].shape == (c.n_heads, rows, keys)
        assert step.run["decoder.mask"].shape == (rows, keys)
        assert step.run["decoder.1.attn.q"].shape == (c.n_heads, rows, c.d_head)
        for name in ("k", "v"):
            assert step.run[f"decoder.1.attn.{name}"].shape == (c.n_kv_heads, rows, c.d_head)
        if c.kind == "seq2seq":
            assert step.run["decoder.1.cross.pattern"].shape == (c.n_heads, rows, N)
            assert [t.id for t in step.run.tokens] == [*tiny.IDS]
        assert step.run.logits.shape == (rows, c.vocab_size)
        assert line(step.run) == [*begun, *ids(steps[:i])]
        assert step.run.queries == (step.run.target_tokens or step.run.tokens)[-rows:]
        assert torch.equal(step.distribution.logits, step.run.logits[-1])
        assert step.distribution.logits.shape == (c.vocab_size,)


@EVERY
def test_b58_cached_and_uncached_steps_agree(model: Model) -> None:
    for step in model.generate(**prompt(model), max_new_tokens=12, temperature=1.5, seed=1):
        near(step.distribution.logits, whole(model, step.run))


def test_b24_the_rows_of_the_steps_make_up_the_full_map() -> None:
    steps = list(MODEL.generate(ids=tiny.IDS, max_new_tokens=4, seed=3))
    full = MODEL.run(ids=[*tiny.IDS, *ids(steps[:3])])["decoder.0.attn.pattern"]
    near(steps[0].run["decoder.0.attn.pattern"], full[:, :N, :N])
    for i in (1, 2, 3):
        near(steps[i].run["decoder.0.attn.pattern"][:, 0], full[:, N + i - 1, : N + i])


def test_keep_and_edits_hold_for_every_pass() -> None:
    edits = {"decoder.0.attn.z": core.zero(head=1)}
    for step in MODEL.generate(ids=tiny.IDS, max_new_tokens=3, seed=1, keep=iter(["*.z"]), edits=edits):
        assert step.run.sites == ("decoder.0.attn.z", "decoder.1.attn.z", "logits")
        assert (step.run["decoder.0.attn.z"][1] == 0).all()


@EVERY
def test_left_padding_holds_through_generation(model: Model) -> None:
    pads = prompt(model) | {"ids": [0, 9, *tiny.IDS], "mask": [0, 0, *[1] * N]}
    plain = list(model.generate(**prompt(model), max_new_tokens=6, seed=5))
    padded = list(model.generate(**pads, max_new_tokens=6, seed=5))
    assert ids(plain) == ids(padded)
    part = "cross" if model.config.kind == "seq2seq" else "attn"
    for one, two in zip(plain, padded, strict=True):
        near(one.distribution.logits, two.distribution.logits)
        assert (two.run[f"decoder.0.{part}.pattern"][:, :, :2] == 0).all()
        assert [t.padding for t in two.run.tokens[:3]] == [True, True, False]


# ---- draws and seeds


def test_b35_step_i_draws_with_the_number_of_seed_and_step() -> None:
    for step in MODEL.generate(ids=tiny.IDS, max_new_tokens=6, seed=7, temperature=1.3, top_k=9, top_p=0.9):
        assert step.uniform == uniform(7, step.index)
        bars = distribution(step.run.logits[-1], 1.3, 9, 0.9)
        assert torch.equal(bars.probs, step.distribution.probs)
        assert step.token.id == bars.at(uniform(7, step.index)).id


def test_b35_the_same_seed_draws_the_same_whatever_the_order_of_clicks() -> None:
    right = ids(MODEL.generate(ids=tiny.IDS, max_new_tokens=8, seed=7, temperature=2.0))
    one, two = (MODEL.generate(ids=tiny.IDS, max_new_tokens=8, seed=7, temperature=2.0) for _ in range(2))
    other = MODEL.generate(ids=[1, 2], max_new_tokens=8, seed=9)
    for turn in (one, two, two, other, one, one, two, other, one, two, two, one, one, two, one, two, one, two):
        torch.rand(3)
        next(turn)
    assert ids(one.steps) == ids(two.steps) == right
    assert ids(MODEL.generate(ids=tiny.IDS, max_new_tokens=8, seed=8, temperature=2.0)) != right


def test_b35_without_a_seed_fresh_starts_vary_and_say_with_what() -> None:
    torch.manual_seed(0)
    runs = [MODEL.generate(ids=tiny.IDS, max_new_tokens=8, temperature=5.0) for _ in range(6)]
    drawn = [tuple(ids(run)) for run in runs]
    assert len(set(drawn)) > 1
    again = MODEL.generate(ids=tiny.IDS, max_new_tokens=8, temperature=5.0, seed=runs[0].sampling.seed)
    assert tuple(ids(again)) == drawn[0]


def test_temperature_0_takes_the_likeliest_every_time() -> None:
    for step in MODEL.generate(ids=tiny.IDS, max_new_tokens=6, temperature=0):
        assert step.token.id == int(step.run.logits[-1].argmax())


@pytest.mark.parametrize("seed", [-1, 2**63, -(2**70)])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(SamplingError, match=r"^The seed is -?\d+; it must be a whole number from 0 to .*\.$"):
        MODEL.generate(ids=tiny.IDS, seed=seed)
    assert ids(MODEL.generate(ids=tiny.IDS, seed=2**63 - 1, max_new_tokens=1))


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"top_k": -1}, {"top_p": 2}, {"temperature": float("nan")}])
def test_settings_are_checked_before_anything_is_read(wrong: dict[str, Any]) -> None:
    with pytest.raises(SamplingError):
        MODEL.generate(ids=tiny.IDS, **wrong)


# ---- ends


def test_b73_the_end_token_stops_and_is_shown(tmp_path: Path, fixtures: Path) -> None:
    """gpt2's greedy continuation is 20 21 13 21 13; the end may be a list, or known to one file alone, or null."""
    tensors = load_file(fixtures / "gpt2" / "model.safetensors")
    config = json.loads((fixtures / "gpt2" / "config.json").read_text())
    cases: list[tuple[Any, Any, int]] = [
        ([13, 0], None, 3),
        (13, None, 3),
        (None, None, 5),
        (0, {"eos_token_id": 13}, 3),
    ]
    cases += [(13, {"eos_token_id": None}, 5), (13, {}, 3), ([], None, 5), (None, {"eos_token_id": [21, 13]}, 2)]
    for i, (end, generation, length) in enumerate(cases):
        folder = tiny.folder(tmp_path / str(i), config | {"eos_token_id": end}, tensors)
        if generation is not None:
            (folder / "generation_config.json").write_text(json.dumps(generation))
        steps = core.load(folder).generate(ids=tiny.IDS, max_new_tokens=5, temperature=0)
        assert ids(steps) == [20, 21, 13, 21, 13][:length], (end, generation)
        if length < 5:
            assert steps.ended == f"The model wrote t{13 if length == 3 else 21}, the token that ends a text."
    on = core.load(tmp_path / "0").generate(ids=tiny.IDS, max_new_tokens=5, temperature=0, stop=())
    assert ids(on) == [20, 21, 13, 21, 13]


def test_stop_tokens_of_the_call_come_before_those_of_the_model() -> None:
    model = tiny.model(tiny.config(context=32), seed=2, stop=(0, 1))
    first = ids(MODEL.generate(ids=tiny.IDS, max_new_tokens=8, temperature=0))
    assert (
        ids(model.generate(ids=tiny.IDS, max_new_tokens=8, temperature=0, stop=[first[2]]))
        == first[: first.index(first[2]) + 1]
    )


@pytest.mark.parametrize(
    ("n", "drawn"), [(14, 3), (15, 2), (16, 1)], ids=["two more can be read", "one more", "no more"]
)
def test_b75_generation_stops_with_a_notice_where_the_context_ends(n: int, drawn: int) -> None:
    """A context of 16: the token drawn after 16 were read is the last; it can be shown, not read."""
    model = tiny.model(tiny.config(context=16))
    steps = model.generate(ids=[*range(n)], max_new_tokens=9, seed=1)
    assert len(list(steps)) == drawn
    assert steps.ended == "The model has read 16 tokens, which is all that it can read."
    assert len(steps.steps[-1].run.tokens) == 16
    near(steps.steps[-1].distribution.logits, model.run(ids=[t.id for t in steps.steps[-1].run.tokens]).logits[-1])
    with pytest.raises(TextError, match=r"^The model has read 16 tokens, which is all that it can read\.$"):
        steps.steps[-1].reading.then(3)


def test_b75_fifteen_tokens_then_three_steps_on_a_context_of_16() -> None:
    steps = tiny.model(tiny.config(context=16)).generate(ids=[*range(15)], max_new_tokens=3, seed=1)
    assert [next(steps).index for _ in range(2)] == [0, 1]
    with pytest.raises(StopIteration):
        next(steps)
    assert steps.ended
    with pytest.raises(StopIteration):
        next(steps)


@pytest.mark.parametrize("preset", ["gpt2", "original", "llama gqa"])
def test_b75_a_prompt_past_the_context_is_refused_with_both_numbers(preset: str) -> None:
    model = tiny.model(tiny.PRESETS[preset])
    assert model.run(ids=[1] * 16).logits.shape[0] == 16
    for call in (model.run, model.generate, model.begin):
        with pytest.raises(TextError, match=r"^The text has 17 tokens, and this model reads at most 16; shorten it\.$"):
            call(ids=[1] * 17)


def test_max_new_tokens_0_and_1() -> None:
    none = MODEL.generate(ids=tiny.IDS, max_new_tokens=0)
    assert none.ended is None
    assert list(none) == []
    assert none.ended
    one = MODEL.generate(ids=tiny.IDS, max_new_tokens=1, seed=1)
    assert len(list(one)) == 1
    assert one.ended == "The text has grown by 1 of 1 tokens, as was asked for."


def test_steps_are_computed_when_they_are_asked_for() -> None:
    fired = []

    def counting(x: torch.Tensor, axes: tuple[str, ...], first: int) -> torch.Tensor:
        fired.append(first)
        return x

    steps = MODEL.generate(ids=tiny.IDS, max_new_tokens=5, seed=1, edits={"logits": counting})
    assert fired == [0]
    next(steps)
    assert fired == [0]
    next(steps)
    next(steps)
    assert fired == [0, N, N + 1]
    assert steps.ended is None


# ---- branches


@EVERY
def test_a_branch_shares_what_came_before_and_keeps_the_earlier_line(model: Model) -> None:
    begun = list(prompt(model).values())[-1]
    first = model.generate(**prompt(model), max_new_tokens=7, seed=1, temperature=1.5)
    steps = list(first)
    before = [(step.token, step.run.logits.clone()) for step in steps]
    other = next(id for id in range(24) if id != steps[3].token.id)
    branch = first.branch(3, other)
    drawn = list(branch)
    assert len(drawn) == 3
    assert branch.steps[:3] == steps[:3]
    assert branch.steps[3].token.id == other
    assert branch.steps[3].uniform is None
    assert branch.steps[3].run is steps[3].run
    for step in drawn:
        near(step.distribution.logits, whole(model, step.run))
        assert step.uniform == uniform(1, step.index)
    assert line(drawn[0].run) == [*begun, *ids(steps[:3]), other]
    assert [(step.token, step.run.logits) for step in first.steps] == [(t, pytest.approx(x)) for t, x in before]
    for step in first.steps[1:]:
        near(step.run.logits[-1], whole(model, step.run))


@EVERY
def test_branching_twice_from_one_step_and_going_on_in_turns(model: Model) -> None:
    begun = list(prompt(model).values())[-1]
    first = model.generate(**prompt(model), max_new_tokens=9, seed=1)
    for _ in range(4):
        next(first)
    lines = [
        first,
        first.branch(2, 3),
        first.branch(2, 4),
        first.branch(0, 5),
        first.branch(3, 6, seed=99, temperature=0),
    ]
    lines.append(lines[1].branch(1, 7))
    for _ in range(4):
        for one in lines:
            next(one, None)
    for one in lines:
        assert len(one.steps) >= 5
        for step in one.steps:
            assert line(step.run) == [*begun, *ids(one.steps[: step.index])]
            near(step.distribution.logits, whole(model, step.run))
    assert lines[4].sampling.temperature == 0
    assert first.sampling.temperature == 1.0


def test_the_same_branch_gives_the_same_line() -> None:
    line = MODEL.generate(ids=tiny.IDS, max_new_tokens=8, seed=1)
    right = ids(line)
    again = line.branch(4, right[4])
    list(again)
    assert ids(again.steps) == right


@pytest.mark.parametrize("index", [-1, 3, 99])
def test_a_branch_from_a_step_that_was_not_drawn_is_refused(index: int) -> None:
    line = MODEL.generate(ids=tiny.IDS, max_new_tokens=3, seed=1)
    list(line)
    with pytest.raises(TextError, match=rf"^There is no step {index}; 3 were drawn, counted from 0\.$"):
        line.branch(index, 1)
    with pytest.raises(TextError, match="table has 24 rows"):
        line.branch(1, 24)


def test_a_reading_can_be_continued_by_hand_in_many_ways() -> None:
    reading = MODEL.begin(ids=tiny.IDS)
    ends = [reading.then(id) for id in range(24)]
    for id, end in enumerate(ends):
        near(end.logits, MODEL.run(ids=[*tiny.IDS, id]).logits[-1])
    with pytest.raises(TextError, match="table has 24 rows"):
        reading.then(24)
    assert len(reading.tokens) == N


@settings(max_examples=15)
@given(st.data())
def test_property_any_tree_of_readings_is_right(data: st.DataObject) -> None:
    model = data.draw(st.sampled_from([MODEL, LLAMA]))
    readings: list[Reading] = [model.begin(ids=data.draw(st.lists(st.integers(0, 23), min_size=1, max_size=5)))]
    for _ in range(data.draw(st.integers(1, 12))):
        parent = data.draw(st.sampled_from(readings))
        readings.append(parent.then(data.draw(st.integers(0, 23))))
    for reading in readings:
        near(reading.logits, model.run(ids=[t.id for t in reading.tokens]).logits[-1])


def test_a_pass_that_failed_leaves_its_reading_as_it_was() -> None:
    fail = [False]

    def edit(x: torch.Tensor, axes: tuple[str, ...], first: int) -> torch.Tensor:
        if fail[0]:
            raise RuntimeError("no")
        return x

    for name in ("decoder.0.attn.k", "decoder.1.attn.z", "logits"):
        reading = MODEL.begin(ids=tiny.IDS, edits={name: edit})
        fail[0] = True
        for _ in range(2):
            with pytest.raises(RuntimeError, match="no"):
                reading.then(3)
        fail[0] = False
        near(reading.then(4).then(5).logits, MODEL.run(ids=[*tiny.IDS, 4, 5]).logits[-1])


@pytest.mark.parametrize("first", [0, 3], ids=["in the prompt", "in a later step"])
def test_b36_numbers_that_break_in_a_pass_are_named_with_their_first_place(first: int) -> None:
    edits = {"decoder.1.attn.q": core.put(float("inf"), position=slice(N + first - 1, None), head=0)}
    with pytest.raises(
        core.GlassformerError, match=r"^The model computed .* not numbers, first in 'decoder\.1\.attn\.q'\.$"
    ):
        list(MODEL.generate(ids=tiny.IDS, edits=edits, keep=[], max_new_tokens=8, seed=1))


@EVERY
def test_one_reading_continued_by_eight_threads(model: Model) -> None:
    for begun in (TARGET, TARGET[:1]):
        reading = model.begin(**prompt(model, begun))

        def walk(worker: int, reading: Reading = reading) -> list[tuple[list[int], torch.Tensor]]:
            found, here = [], reading
            for step in range(10):
                here = here.then((worker * 7 + step * 5) % 24) if step % 5 else reading.then(worker)
                found.append(([t.id for t in here.tokens], here.logits))
            return found

        with ThreadPoolExecutor(8) as pool:
            for walked in pool.map(walk, range(16)):
                for read, logits in walked:
                    near(logits, model.run(**prompt(model, read)).logits[-1])


# ---- pairs


def test_a_pair_starts_with_its_start_token() -> None:
    steps = list(PAIR.generate(ids=tiny.IDS, max_new_tokens=3, seed=1))
    assert [t.id for t in steps[0].run.target_tokens] == [0]
    assert steps[0].run.target_tokens[0].added
    assert steps[0].run.tokens == PAIR.run(ids=tiny.IDS, target_ids=[0]).tokens
    assert [step.text for step in steps] == [
        " ".join(f"t{id}" for id in ids(steps[: i + 1])) for i in range(3)
    ]  # the start token is no part of what is written


def test_without_a_target_run_decodes_greedily_and_reads_all_of_it_at_once() -> None:
    greedy = ids(PAIR.generate(ids=tiny.IDS, max_new_tokens=99, temperature=0, stop=()))
    run = PAIR.run(ids=tiny.IDS)
    room = PAIR.config.room(1)
    assert [t.id for t in run.target_tokens] == [0, *greedy[:room]]
    assert run["decoder.0.attn.pattern"].shape == (3, 32, 32)
    assert run.sites == sites.names(PAIR.config)
    stops = tiny.model(PAIR.config, seed=2, stop=(greedy[5],))
    told = stops.run(ids=tiny.IDS, keep=["*.cross.pattern"])
    written = greedy[: greedy.index(greedy[5])]
    assert [t.id for t in told.target_tokens] == [0, *written]
    assert int(told.logits[-1].argmax()) == greedy[5]
    assert told.sites == ("decoder.0.cross.pattern", "decoder.1.cross.pattern", "logits")
    assert len(T5.run(ids=tiny.IDS).target_tokens) <= 1 + 64


def test_a_target_text_has_its_start_in_front_and_no_end_behind() -> None:
    vocabulary = tiny.metaspace()
    pair = Model("m", "m", tiny.network(tiny.config(kind="seq2seq", vocab_size=vocabulary.size)), vocabulary, (), 0)
    run = pair.run("a b", target="ab a")
    assert [t.text for t in run.tokens] == ["<s>", "␣a", "␣", "b"]
    assert [t.text for t in run.target_tokens] == ["<unk>", "␣a", "b", "␣a"]
    assert [t.added for t in run.target_tokens] == [True, False, False, False]
    assert [(t.start, t.end) for t in run.target_tokens[1:]] == [(0, 1), (1, 2), (2, 4)]
    same = pair.run("a b", target_ids=[t.id for t in run.target_tokens])
    assert torch.equal(same.logits, run.logits)
    assert len(pair.run("a b", target="").target_tokens) == 1


def test_what_names_the_source_is_satisfied_by_the_first_step() -> None:
    edits = {"encoder.1.attn.z": core.zero(head=0), "decoder.0.cross.v": core.scale(2.0, position=2)}
    keep = ["encoder.0.attn.pattern", "decoder.*.cross.k", "*.cross.pattern"]
    steps = list(PAIR.generate(ids=tiny.IDS, max_new_tokens=3, seed=1, keep=keep, edits=edits))
    assert "encoder.0.attn.pattern" in steps[0].run
    assert "decoder.1.cross.k" in steps[0].run
    assert steps[1].run.sites == ("decoder.0.cross.pattern", "decoder.1.cross.pattern", "logits")
    for step in steps:
        told = PAIR.run(**prompt(PAIR, line(step.run)), edits=edits)
        near(step.distribution.logits, told.logits[-1])
        assert not torch.allclose(told.logits, PAIR.run(**prompt(PAIR, line(step.run))).logits, atol=1e-3)
    with pytest.raises(core.GlassformerError, match="never fired"):
        PAIR.begin(ids=tiny.IDS, edits={"encoder.0.cross.v": core.zero()})


@pytest.mark.parametrize("name", ["encoder.0.ffn.pre", "encoder.final", "decoder.1.cross.k", "decoder.0.cross.scores"])
def test_b36_a_pair_that_breaks_names_its_first_place_in_either_stack(name: str) -> None:
    edits = {name: core.put(float("inf"))}
    with pytest.raises(core.GlassformerError, match=rf"^The model computed .* first in '{re.escape(name)}'\.$"):
        PAIR.begin(ids=tiny.IDS, edits=edits, keep=[])


def test_a_target_past_the_context_is_refused_and_a_source_too() -> None:
    for inputs, what in (({"ids": [1] * 33}, "text"), ({"ids": [1], "target_ids": [0] * 33}, "target")):
        with pytest.raises(TextError, match=rf"^The {what} has 33 tokens, and this model reads at most 32"):
            PAIR.begin(**inputs)
    line = PAIR.generate(ids=[1], target_ids=[0] * 31, max_new_tokens=9, seed=1)
    assert len(list(line)) == 2
    assert line.ended == "The model has read 32 tokens, which is all that it can read."


# ---- text


def test_b02_b07_the_text_grows_by_the_pieces() -> None:
    """A byte at a time: bytes of a letter begun are marked, and the piece that finishes it is the letter."""
    steps = BYTES.generate("é", max_new_tokens=4, seed=1)
    wanted = list("🙂".encode())
    line: Generation = steps
    next(line)
    for i, byte in enumerate(wanted):
        line = line.branch(i, byte)
        if i < 3:
            next(line)
    assert [step.text for step in line.steps] == ["é<F0>", "é<F0><9F>", "é<F0><9F><99>", "é🙂"]
    assert [step.piece for step in line.steps] == ["<F0>", "<9F>", "<99>", "🙂"]


def test_steps_and_what_they_hold_can_be_compared_and_kept_in_a_set() -> None:
    """Each is itself and no other: tensors inside have no single answer to ==."""
    one, two = (next(MODEL.generate(ids=tiny.IDS, max_new_tokens=1, seed=1)) for _ in range(2))
    for a, b in ((one, two), (one.run, two.run), (one.reading, two.reading), (one.distribution, two.distribution)):
        assert a == a
        assert a != b
        assert len({a, b}) == 2


def test_every_step_says_its_text_and_its_piece() -> None:
    text = "x "
    for step in BYTES.generate(text, max_new_tokens=12, seed=3, temperature=3.0):
        assert step.text.startswith("x ")
        assert step.piece
        assert step.text.endswith(step.piece)
        assert step.text == BYTES.vocabulary.running([*(t.id for t in step.run.tokens), step.token.id])


def test_b06_a_trailing_space_is_read() -> None:
    one, two = BYTES.run("a b"), BYTES.run("a b ")
    assert (len(one.tokens), len(two.tokens)) == (3, 4)
    assert one.logits[-1].topk(10).indices.tolist() != two.logits[-1].topk(10).indices.tolist()


def test_b05_an_empty_text_is_refused_and_blanks_run() -> None:
    calls: tuple[Callable[..., object], ...] = (BYTES.run, BYTES.generate, BYTES.begin)
    for call in calls:
        with pytest.raises(TextError, match=r"^There is no text to read yet: .*\.$"):
            call("")
        with pytest.raises(TextError, match=r"^There is no text to read yet: .*\.$"):
            call(ids=[])
    assert len(BYTES.run("   ").tokens) == 3


def test_b12_ids_without_a_row_never_reach_the_network() -> None:
    for wrong in (24, -1, 10**6, 10**12):
        with pytest.raises(TextError, match="table has 24 rows, 0 to 23"):
            MODEL.run(ids=[1, wrong])
    assert isinstance(next(MODEL.generate(ids=[23], max_new_tokens=1)), Step)
