"""The probe that records and edits: what goes wrong raises, what is edited is read."""

import re
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import core
from core.errors import SiteError
from core.tape import Tape, zero
from tests.core import tiny

N = len(tiny.IDS)
MODEL = tiny.model(tiny.PRESETS["learned gqa"], seed=5)
RUN = MODEL.run(ids=tiny.IDS)


def edited(name: str, edit: Any, **inputs: Any) -> core.Run:
    return MODEL.run(ids=tiny.IDS, edits={name: edit}, **inputs)


# ---- names


@pytest.mark.parametrize(
    "name",
    ["q", "decoder.q", "decoder.0.attn.qq", "decoder.x.attn.q", "decoder.*.attn.q", "decoder.01.attn.q", "", "Logits"],
)
def test_a_name_that_the_table_does_not_have_raises(name: str) -> None:
    with pytest.raises(SiteError, match=re.escape(repr(name))):
        Tape()(name, torch.zeros(1, 2))


def test_a_name_heard_twice_raises() -> None:
    tape = Tape(keep=[])
    tape("decoder.0.attn.q", torch.zeros(1, 1, 1, 1))
    with pytest.raises(SiteError, match=r"'decoder\.0\.attn\.q' was heard twice"):
        tape("decoder.0.attn.q", torch.zeros(1, 1, 1, 1))


def test_a_tape_used_for_a_second_pass_raises() -> None:
    tape = Tape()
    MODEL.network(torch.tensor([tiny.IDS]), probe=tape)
    with pytest.raises(SiteError, match="heard twice"):
        MODEL.network(torch.tensor([tiny.IDS]), probe=tape)


@pytest.mark.parametrize(
    "name", ["decoder.9.attn.z", "decoder.0.attn.q_rot", "decoder.0.ffn.gate", "encoder.*", "decoder.0.attn.Q", "z"]
)
def test_an_edit_that_never_fired_raises(name: str) -> None:
    with pytest.raises(SiteError, match=rf"^The edit at {re.escape(repr(name))} never fired.*\.$"):
        edited(name, core.zero())


@pytest.mark.parametrize("glob", ["*.patern", "decoder.2.*", "q", "DECODER.*"])
def test_a_glob_that_matches_nothing_raises(glob: str) -> None:
    with pytest.raises(SiteError, match=rf"^keep={re.escape(repr(glob))} matches no tensor of this model\.$"):
        MODEL.run(ids=tiny.IDS, keep=["logits", glob])


# ---- keep


def test_keep_keeps_what_its_globs_name_and_the_logits() -> None:
    run = MODEL.run(ids=tiny.IDS, keep=["*.pattern", "decoder.1.attn.[qk]"])
    assert run.sites == (
        "decoder.0.attn.pattern",
        "decoder.1.attn.q",
        "decoder.1.attn.k",
        "decoder.1.attn.pattern",
        "logits",
    )
    assert all(torch.equal(run[name], RUN[name]) for name in run.sites)


def test_keep_nothing_keeps_the_logits() -> None:
    assert MODEL.run(ids=tiny.IDS, keep=[]).sites == ("logits",)
    assert MODEL.run(ids=tiny.IDS, keep=iter(["logits"])).sites == ("logits",)


def test_what_was_not_kept_says_so_and_what_does_not_exist_has_a_hint() -> None:
    run = MODEL.run(ids=tiny.IDS, keep=[])
    with pytest.raises(SiteError, match=r"^'decoder\.0\.attn\.q' was not kept; .* keep= .*\.$"):
        run["decoder.0.attn.q"]
    with pytest.raises(SiteError, match=r"did you mean 'decoder\.0\.attn\.pattern'\?$"):
        run["decoder.0.attn.patern"]
    with pytest.raises(SiteError, match=r"run\.sites lists"):
        run["xyzzy"]
    assert "logits" in run
    assert "decoder.0.attn.q" not in run


def test_an_edit_at_a_site_that_is_not_kept_still_acts() -> None:
    run = edited("decoder.0.attn.z", core.zero(), keep=[])
    assert torch.equal(run.logits, edited("decoder.0.attn.z", core.zero()).logits)
    assert not torch.equal(run.logits, RUN.logits)


# ---- what an edit picks


PICKS: list[tuple[str, dict[str, Any], Any]] = [
    ("decoder.0.attn.z", {}, (slice(None),)),
    ("decoder.0.attn.z", {"head": 2}, (2,)),
    ("decoder.0.attn.z", {"head": -1}, (3,)),
    ("decoder.0.attn.z", {"head": [0, 3]}, ([0, 3],)),
    ("decoder.0.attn.z", {"head": [3, -4]}, ([3, 0],)),
    ("decoder.0.attn.z", {"head": slice(1, 3)}, (slice(1, 3),)),
    ("decoder.0.attn.z", {"head": slice(None, None, 2)}, (slice(None, None, 2),)),
    ("decoder.0.attn.z", {"position": -1}, (slice(None), -1)),
    ("decoder.0.attn.z", {"d_head": 1}, (slice(None), slice(None), 1)),
    ("decoder.0.attn.z", {"head": 1, "d_head": 0}, (1, slice(None), 0)),
    ("decoder.0.attn.z", {"head": 1, "position": 2, "d_head": 3}, (1, 2, 3)),
    ("decoder.0.attn.z", {"head": [0, 2], "position": 1}, ([0, 2], 1)),
    ("decoder.0.attn.z", {"position": slice(2, 99)}, (slice(None), slice(2, None))),
    ("decoder.1.attn.scores", {"query": 4, "key": 0}, (slice(None), 4, 0)),
    ("decoder.1.attn.k", {"head": 1, "position": 3}, (1, 3)),
    ("decoder.1.ffn.act", {"d_ff": [19, 0, 7]}, (slice(None), [19, 0, 7])),
    ("decoder.embed.out", {"position": 0}, (0,)),
    ("decoder.final", {"d_model": range(3)}, (slice(None), [0, 1, 2])),
    ("logits", {"vocab": 23, "position": -2}, (4, 23)),
]


@pytest.mark.parametrize(("name", "axes", "index"), PICKS)
@pytest.mark.parametrize("factor", [0.0, -2.0])
def test_an_edit_changes_what_it_picks_and_nothing_else(name: str, axes: Any, index: Any, factor: float) -> None:
    right = RUN[name].clone()
    right[index] = right[index] * factor
    for edit in [core.scale(factor, **axes)] + [core.zero(**axes)] * (factor == 0):
        run = edited(name, edit)
        assert torch.equal(run[name], right)
        before = RUN.sites[: RUN.sites.index(name)]
        assert all(torch.equal(run[other], RUN[other]) for other in before)


def test_several_lists_pick_the_rectangle_that_they_span() -> None:
    found = edited("decoder.0.attn.scores", core.put(7.0, head=[0, 3], query=[1, 5], key=slice(0, 2)))
    right = RUN["decoder.0.attn.scores"].clone()
    for head in (0, 3):
        for query in (1, 5):
            right[head, query, :2] = 7.0
    assert torch.equal(found["decoder.0.attn.scores"], right)


def test_put_takes_a_tensor_of_the_picked_size_or_one_that_broadcasts() -> None:
    name, value = "decoder.0.attn.z", torch.randn(N, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(edited(name, core.put(value, head=2))[name][2], value)
    assert torch.equal(edited(name, core.put(value[0], head=2, position=5))[name][2, 5], value[0])
    assert torch.equal(edited(name, core.put(value[0]))[name], value[0].expand(4, N, 4))
    assert torch.equal(edited(name, core.put(value[:2], head=[1, 2], position=[0, 4]))[name][1, [0, 4]], value[:2])
    assert (edited(name, core.put(3, head=0))[name][0] == 3).all()
    assert torch.equal(edited(name, core.put(value.double(), head=2))[name][2], value)
    assert torch.equal(edited(name, core.put(value.requires_grad_(), head=2))[name][2], value)


def test_a_put_of_another_size_says_both_sizes() -> None:
    with pytest.raises(SiteError, match=r"^The edit puts size \(5,\) where size \(6, 4\) is picked\.$"):
        edited("decoder.0.attn.z", core.put(torch.zeros(5), head=2))
    with pytest.raises(SiteError, match=r"puts size \(2,\) where size \(\) is picked"):
        edited("decoder.0.attn.z", core.put(torch.zeros(2), head=2, position=0, d_head=0))


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        ({"heads": 1}, "The edit picks 'heads', but the axes here are head, position, d_head."),
        ({"key": 1}, "The edit picks 'key', but the axes here are head, position, d_head."),
        ({"head": 4}, "The edit picks head 4, but there are 4, counted from 0."),
        ({"head": -5}, "The edit picks head -5, but there are 4, counted from 0."),
        ({"head": [0, 4]}, "The edit picks head 4, but there are 4, counted from 0."),
        ({"position": N}, "The edit picks position 6, but there are 6, counted from 0."),
        ({"d_head": 4}, "The edit picks d_head 4, but there are 4, counted from 0."),
        ({"position": 0, "d_head": 99}, "The edit picks d_head 99, but there are 4, counted from 0."),
    ],
)
def test_axes_and_numbers_that_do_not_exist_raise(axes: Any, says: str) -> None:
    for edit in (core.zero(**axes), core.scale(2.0, **axes), core.put(0.0, **axes)):
        with pytest.raises(SiteError, match=f"^{re.escape(says)}$"):
            edited("decoder.0.attn.z", edit)


@pytest.mark.parametrize("axes", [{"head": []}, {"head": slice(4, 9)}, {"head": slice(2, 2)}, {"d_head": range(0)}])
def test_an_edit_that_picks_nothing_raises(axes: Any) -> None:
    """Else it would pass for one that has no effect."""
    with pytest.raises(SiteError, match=r"^The edit picks no (head|d_head); there are 4, counted from 0\.$"):
        edited("decoder.0.attn.z", core.zero(**axes))


def test_a_glob_edits_every_site_that_it_matches() -> None:
    run = MODEL.run(ids=tiny.IDS, edits={"*.attn.out": core.zero(), "decoder.1.ffn.out": core.zero(position=0)})
    assert (run["decoder.0.attn.out"] == 0).all()
    assert (run["decoder.1.attn.out"] == 0).all()
    assert torch.equal(run["decoder.1.resid_post"][0], run["decoder.1.resid_pre"][0])


def test_edits_at_one_site_follow_one_another() -> None:
    run = MODEL.run(ids=tiny.IDS, edits={"decoder.0.attn.q": core.put(1.0), "decoder.0.*.q": core.scale(3.0, head=1)})
    assert (run["decoder.0.attn.q"][1] == 3).all()
    assert (run["decoder.0.attn.q"][0] == 1).all()


def test_an_edit_may_be_any_function_that_keeps_the_size() -> None:
    run = edited("decoder.0.attn.z", lambda x, axes, first: x.flip(0))
    assert torch.equal(run["decoder.0.attn.z"], RUN["decoder.0.attn.z"].flip(0))
    with pytest.raises(SiteError, match=r"turned size \(4, 6, 4\) into \(4, 6, 3\); it must keep the size\.$"):
        edited("decoder.0.attn.z", lambda x, axes, first: x[..., :3])


def test_an_edit_can_be_used_again_and_leaves_its_tensor_alone() -> None:
    value = torch.ones(N, 4)
    edit = core.put(value, head=2)
    one, two = edited("decoder.0.attn.z", edit), edited("decoder.0.attn.z", edit)
    assert torch.equal(one.logits, two.logits)
    one["decoder.0.attn.z"][2] += 1
    assert (value == 1).all()
    assert torch.equal(MODEL.run(ids=tiny.IDS).logits, RUN.logits)


INDEX = st.one_of(
    st.integers(-3, 2),
    st.lists(st.integers(-3, 2), min_size=1, max_size=4),
    st.slices(3).filter(lambda s: len(range(3)[s]) > 0),
)


@given(st.dictionaries(st.sampled_from(["head", "position", "d_head"]), INDEX), st.floats(-4, 4, width=32))
def test_property_picks_are_those_of_a_plain_loop(axes: dict[str, Any], factor: float) -> None:
    x = torch.arange(1.0, 28.0).view(3, 3, 3)
    picked = []
    for axis in ("head", "position", "d_head"):
        pick = axes.get(axis, slice(None))
        numbers = range(3)[pick] if isinstance(pick, slice) else [pick] if isinstance(pick, int) else pick
        picked.append({i % 3 for i in numbers})
    right = x.clone()
    for i in picked[0]:
        for j in picked[1]:
            for k in picked[2]:
                right[i, j, k] *= factor
    tape = Tape(edits={"decoder.0.attn.z": core.scale(factor, **axes)})
    assert torch.equal(tape("decoder.0.attn.z", x[None])[0], right)


# ---- an edited site reads its edited value, and so does what follows


def test_an_edited_mask_is_the_mask() -> None:
    run = edited("decoder.mask", core.zero(key=0, query=slice(1, None)))
    assert run["decoder.mask"].dtype == torch.bool
    assert not run["decoder.mask"][1:, 0].any()
    for i in range(2):
        assert (run[f"decoder.{i}.attn.pattern"][:, 1:, 0] == 0).all()
        assert torch.allclose(run[f"decoder.{i}.attn.pattern"].sum(-1), torch.ones(4, N))
    opened = edited("decoder.mask", core.put(1))
    assert (opened["decoder.0.attn.pattern"][:, 0, 1:] > 0).all()


def test_an_edited_masked_score_is_what_the_softmax_reads() -> None:
    """Also where the mask says no: the row is the softmax of what `masked` shows."""
    run = edited("decoder.0.attn.masked", core.put(1.5, head=1, query=0, key=4))
    masked, pattern = run["decoder.0.attn.masked"], run["decoder.0.attn.pattern"]
    assert masked[1, 0, 4] == 1.5
    assert torch.allclose(pattern, masked.softmax(-1), atol=1e-6)
    assert pattern[1, 0, 4] > 0


def test_an_edited_pattern_is_what_the_values_are_mixed_with() -> None:
    run = edited("decoder.0.attn.pattern", core.put(torch.eye(N), head=2))
    assert torch.allclose(run["decoder.0.attn.z"][2], run["decoder.0.attn.v"][1], atol=1e-6)


def test_edited_logits_are_what_is_drawn_from() -> None:
    edits = {"logits": core.put(50.0, vocab=13, position=-1)}
    assert MODEL.run(ids=tiny.IDS, edits=edits).logits[-1, 13] == 50
    drawn = [step.token.id for step in MODEL.generate(ids=tiny.IDS, edits=edits, max_new_tokens=4, seed=1)]
    assert drawn == [13] * 4


def test_a_probe_that_puts_another_tensor_in_its_place_is_obeyed() -> None:
    def probe(name: str, x: Tensor) -> Tensor:
        return torch.zeros_like(x) if name == "decoder.final" else x

    logits = MODEL.network(torch.tensor([tiny.IDS]), probe=probe)
    assert torch.allclose(logits, MODEL.network.head.bias.expand_as(logits))


# ---- in a cached generation


def test_a_position_is_a_place_in_the_text_also_in_later_steps() -> None:
    """An edit at place 7 acts in the step that reads place 7, and in no other."""
    edits = {"decoder.0.ffn.out": core.zero(position=slice(7, 8))}
    plain, other = MODEL.begin(ids=tiny.IDS), MODEL.begin(ids=tiny.IDS, edits=edits)
    for place, id in enumerate((3, 8, 1, 4), start=6):
        plain, other = plain.then(id), other.then(id)
        assert ((other.run["decoder.0.ffn.out"] == 0).all()) == (place == 7)
        assert torch.equal(plain.logits, other.logits) == (place < 7)


def test_an_edit_of_the_prompt_is_still_in_force_in_later_steps() -> None:
    for name, edit in (
        ("decoder.0.attn.k", core.put(2.0, position=5, head=1)),
        ("decoder.0.attn.v", core.zero(position=5)),
        ("decoder.embed.out", core.zero(position=[1, 5])),
        ("decoder.0.attn.scores", core.put(3.0, key=2, query=slice(0, 99))),
        ("decoder.1.attn.pattern", core.zero(head=0, key=5)),
        ("decoder.mask", core.zero(key=3)),
    ):
        reading = MODEL.begin(ids=tiny.IDS, edits={name: edit})
        ids = [*tiny.IDS]
        for id in (3, 8, 1):
            reading, ids = reading.then(id), [*ids, id]
            whole = MODEL.run(ids=ids, edits={name: edit})
            assert torch.allclose(reading.logits, whole.logits[-1], atol=1e-5), name
            assert not torch.allclose(reading.logits, MODEL.run(ids=ids).logits[-1], atol=1e-4), name


def test_a_position_past_the_text_so_far_is_refused() -> None:
    with pytest.raises(SiteError, match="picks position 7, but there are 6"):
        MODEL.begin(ids=tiny.IDS, edits={"decoder.0.ffn.out": core.zero(position=7)})


def test_a_pick_of_any_whole_number_works_and_anything_else_is_refused() -> None:
    numpy = pytest.importorskip("numpy")
    x = torch.ones(3, 4)
    for pick in (1, numpy.int64(1), torch.tensor(1)):
        assert zero(head=pick)(x, ("head", "key"), 0).sum() == 8
    assert zero(head=torch.tensor([0, 2]))(x, ("head", "key"), 0).sum() == 4
    for pick in (1.0, "1", None, [0, 1.5]):
        with pytest.raises(SiteError, match="whole number"):
            zero(head=pick)(x, ("head", "key"), 0)


def test_one_glob_may_be_given_by_itself() -> None:
    tape = Tape(keep="decoder.embed.*")
    tape("decoder.embed.out", torch.ones(1, 2, 3))
    tape.check()
    assert list(tape.tensors) == ["decoder.embed.out"]
