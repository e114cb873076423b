"""Identities that hold in every network that we can build: sums catch what shapes cannot."""

from collections.abc import Callable
from math import log, sqrt

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import core
from core import sites
from core.attention import attend, attend_fused
from core.cache import Cache
from core.config import Config
from core.model import Model
from core.models import build
from core.reading import Reading
from core.run import Run
from core.tape import Tape
from tests.core import tiny

N, M = len(tiny.IDS), len(tiny.TARGET)
NONE = torch.zeros(())


@pytest.fixture(params=tiny.PRESETS, ids=lambda name: name.replace(" ", "-"))
def model(request: pytest.FixtureRequest) -> Model:
    return tiny.model(tiny.PRESETS[request.param], seed=11)


@pytest.fixture(params=tiny.WRITING, ids=lambda name: name.replace(" ", "-"))
def writer(request: pytest.FixtureRequest) -> Model:
    return tiny.model(tiny.PRESETS[request.param], seed=11)


@pytest.fixture
def run(model: Model) -> Run:
    return look(model)


def look(model: Model, **changes: object) -> Run:
    return model.run(**tiny.inputs(model.config, **changes))


def stacks(run: Run) -> list[str]:
    return [stack for stack in ("encoder", "decoder") if hasattr(run.network, stack)]


def layers(run: Run, *wanted: str) -> list[str]:
    return [f"{stack}.{i}" for stack in wanted or stacks(run) for i in range(run.config.layers(stack))]


def attentions(run: Run) -> list[str]:
    """Every attention of the network: to the text itself, and to the source."""
    return [f"{at}.{part}" for at in layers(run) for part in ("attn", "cross") if f"{at}.{part}.q" in run]


def block(run: Run, at: str) -> dict[str, Tensor]:
    stack, i = at.split(".")[:2]
    return {name: x.detach() for name, x in getattr(run.network, stack).blocks[int(i)].named_parameters()}


def weights(run: Run) -> dict[str, Tensor]:
    return {name: x.detach() for name, x in run.network.named_parameters(remove_duplicate=False)}


def length(run: Run, name: str, axis: str) -> int:
    """How many tokens an axis of a site spans: those of the source or of what the decoder reads."""
    of_source = name.startswith("encoder") or (".cross." in name and (axis == "key" or name[-2:] in (".k", ".v")))
    return M if run.config.kind == "seq2seq" and not of_source else N


def allowed(run: Run, at: str) -> Tensor:
    """[query, key] of an attention: all of it, or a triangle."""
    if at.startswith("encoder") or at.endswith("cross"):
        return torch.ones(length(run, f"{at}.q", "query"), N).bool()
    return run["decoder.mask"]


def cut(x: Tensor, name: str, axes: tuple[str, ...], part: slice) -> Tensor:
    """That part of every axis of a site that is named in `axes`."""
    for dim, axis in enumerate(sites.axes(name, x.ndim)):
        if axis in axes:
            x = x.movedim(dim, 0)[part].movedim(0, dim)
    return x


def alike(found: Tensor, right: Tensor) -> None:
    """Near, and -inf at the same places."""
    finite = right.isfinite()
    assert found.shape == right.shape
    assert torch.equal(finite, found.isfinite())
    if finite.any():
        near(found[finite].float(), right[finite].float())


def norm(config: Config, x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    """The two formulas as the papers print them."""
    if config.norm == "rmsnorm":
        return x / (x.square().mean(-1, keepdim=True) + config.norm_eps).sqrt() * weights[f"{name}.gain"]
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + config.norm_eps).sqrt() * weights[f"{name}.gain"] + weights[f"{name}.bias"]


def affine(x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    return x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", NONE)


def near(found: Tensor, right: Tensor, within: float = 1e-5) -> None:
    assert found.shape == right.shape
    assert (found - right).abs().max() <= within * max(1.0, float(right.abs().max()))


# ---- names and shapes


def test_the_names_fired_are_those_of_the_table_in_their_order(run: Run) -> None:
    assert run.sites == sites.names(run.config)
    assert len(set(run.sites)) == len(run.sites)


def test_every_tensor_has_the_axes_of_the_table(run: Run) -> None:
    c = run.config
    size = {"d_model": c.d_model, "d_head": c.d_head, "d_ff": c.d_ff, "vocab": c.vocab_size, "class": c.labels}
    for name in run.sites:
        size["head"] = c.n_kv_heads if name.split(".")[-1] in ("k", "v", "k_rot") else c.n_heads
        right = [size.get(axis) or length(run, name, axis) for axis in run.axes(name)]
        assert list(run[name].shape) == right, name
    assert "labels" not in run or run.axes("labels") == (
        ("class",) if c.labels_at == "first" else ("position", "class")
    )


def test_all_sites_of_the_table_are_fired_by_some_preset() -> None:
    fired = {name for config in tiny.PRESETS.values() for name in sites.names(config)}
    assert {sites.find(name).name for name in fired} == set(sites.SITES)


# ---- what is shown is what ran


def test_a_recorded_pass_is_the_silent_one_bit_for_bit(model: Model) -> None:
    with torch.no_grad():
        silent = tiny.said(model.network, tiny.inputs(model.config))
    every = look(model)
    for name, x in silent.items():
        assert torch.equal(every[name], x[0])
    for keep in ([], ["*.attn.*"]):
        assert all(torch.equal(x, every[name]) for name, x in _kept(look(model, keep=keep)))
    assert set(look(model, keep=[]).sites) == {"logits", "labels"} & set(every.sites)


def _kept(run: Run) -> list[tuple[str, Tensor]]:
    return [(name, run[name]) for name in run.sites]


def test_b25_two_runs_are_the_same_bit_for_bit(model: Model) -> None:
    one, two = look(model), look(model)
    assert all(torch.equal(one[name], two[name]) for name in one.sites)


def test_nothing_recorded_is_changed_afterwards(model: Model) -> None:
    """A copy taken as the value went by equals what the tape holds when the pass is over."""
    seen: dict[str, Tensor] = {}
    tape = Tape()

    def copying(name: str, x: Tensor) -> Tensor:
        seen[name] = x.clone()
        return tape(name, x)

    with torch.no_grad():
        tiny.said(model.network, tiny.inputs(model.config), copying)
    assert all(torch.equal(tape.tensors[name], x) for name, x in seen.items())


def test_replaying_any_tensor_into_its_own_place_is_exact(model: Model, run: Run) -> None:
    for name in run.sites:
        again = look(model, edits={name: core.put(run[name])})
        assert all(torch.equal(again[other], run[other]) for other in run.sites), name


def test_every_site_is_read_by_what_follows(model: Model, run: Run) -> None:
    """An edit anywhere reaches the answers: no site is a copy that the pass does not use."""
    answers = {"logits", "labels"} & set(run.sites) or {"encoder.final"}
    for name in run.sites:
        causal = name.startswith("decoder") and ".cross." not in name
        last = length(run, name, "query") - 1
        row = {"query": last, "key": slice(0, last)} if causal else {"query": 0, "key": slice(1, None)}
        if name.endswith(".mask"):
            edit = core.zero(**row)
        elif name.endswith("masked"):
            edit = core.put(-torch.inf, **row)
        else:
            edit = core.put(torch.randn(run[name].shape, generator=torch.Generator().manual_seed(3)))
        changed = look(model, edits={name: edit})
        places = [other for other in run.sites if not torch.equal(changed[other], run[other])]
        assert places[0] == name
        if run.config.d_model > 1:
            assert answers & set(places), name


# ---- the stream


def test_what_enters_is_tokens_times_their_factor_plus_segments_and_positions(run: Run) -> None:
    c = run.config
    for stack in stacks(run):
        ids = tiny.TARGET if (stack, c.kind) == ("decoder", "seq2seq") else tiny.IDS
        table = weights(run)[f"{stack}.embed.token.weight"][list(ids)]
        near(run[f"{stack}.embed.token"], table * sqrt(c.d_model) if c.embed_scale else table, 1e-6)
        added = c.positions in ("learned", "sinusoidal")
        assert (f"{stack}.embed.position" in run) == added
        assert (f"{stack}.embed.segment" in run) == (c.segments > 0)
        x = run[f"{stack}.embed.token"]
        if c.segments:
            segment = run[f"{stack}.embed.segment"]
            near(segment, weights(run)[f"{stack}.embed.add_segments.table"][list(tiny.SEGMENTS)], 1e-6)
            x = x + segment
        x = x + (run[f"{stack}.embed.position"] if added else NONE)
        if c.embed_norm:
            near(run[f"{stack}.embed.out"], norm(c, x, weights(run), f"{stack}.embed.norm"))
        else:
            assert torch.equal(run[f"{stack}.embed.out"], x)
        assert torch.equal(run[f"{stack}.0.resid_pre"], run[f"{stack}.embed.out"])


def steps(run: Run, at: str) -> list[tuple[str, str, str, str]]:
    """A layer's sub-layers: the stream before, the part, the stream after, its norm."""
    pre, mid, cross, post = (f"{at}.resid_{place}" for place in ("pre", "mid", "cross", "post"))
    if cross in run:
        return [
            (pre, f"{at}.attn", mid, "norm1"),
            (mid, f"{at}.cross", cross, "norm_cross"),
            (cross, f"{at}.ffn", post, "norm2"),
        ]
    return [(pre, f"{at}.attn", mid, "norm1"), (mid, f"{at}.ffn", post, "norm2")]


def test_each_sub_layer_adds_what_it_writes(run: Run) -> None:
    c = run.config
    for at in layers(run):
        assert (f"{at}.resid_cross" in run) == (c.kind == "seq2seq" and at.startswith("decoder"))
        for before, part, after, name in steps(run, at):
            x, wrote = run[before], run[f"{part}.out"]
            if c.placement == "pre":
                assert torch.equal(run[after], x + wrote)
                near(run[f"{part}.in"], norm(c, x, block(run, at), name))
            else:
                near(run[after], norm(c, x + wrote, block(run, at), name))
                assert torch.equal(run[f"{part}.in"], x)
    for stack in stacks(run):
        for at, following in zip(layers(run, stack), layers(run, stack)[1:], strict=False):
            assert torch.equal(run[f"{at}.resid_post"], run[f"{following}.resid_pre"])


def test_a_pre_norm_stream_is_the_sum_of_all_writes(run: Run) -> None:
    for stack in stacks(run) if run.config.placement == "pre" else ():
        total = run[f"{stack}.embed.out"].clone()
        for at in layers(run, stack):
            total = total + sum(run[f"{part}.out"] for _, part, _, _ in steps(run, at))
        near(run[f"{layers(run, stack)[-1]}.resid_post"], total)


def test_the_head_reads_the_last_word_of_the_stack(run: Run) -> None:
    c, own = run.config, weights(run)
    for stack in stacks(run):
        last = run[f"{layers(run, stack)[-1]}.resid_post"]
        near(run[f"{stack}.final"], norm(c, last, own, f"{stack}.final_norm") if c.final_norm else last)
    x = run[f"{stacks(run)[-1]}.final"]
    head = "head"
    if c.word_head == "masked":
        near(run["head.dense"], affine(x, own, "head.dense"))
        near(run["head.act"], ACTIVATIONS[c.activation](run["head.dense"]))
        near(run["head.norm"], norm(c, run["head.act"], own, "head.norm"))
        x, head = run["head.norm"], "head.words"
    assert ("logits" in run) == (c.word_head != "none")
    if "logits" in run:
        table = own[f"{stacks(run)[-1]}.embed.token.weight"] if c.tied else own[f"{head}.weight"]
        x = x / sqrt(c.d_model) if c.head_scale else x
        near(run.logits, x @ table.T + own.get(f"{head}.bias", NONE))
        words = run.network.head.words if c.word_head == "masked" else run.network.head
        assert all((getattr(run.network, s).embed.token.weight is words.weight) == c.tied for s in stacks(run))


def test_a_classifier_reads_the_first_token_or_every_one(run: Run) -> None:
    c, own = run.config, weights(run)
    assert ("labels" in run) == (c.labels > 0)
    assert ("pooler" in run) == (c.pooler != "none")
    if c.labels:
        x = run["encoder.final"] if c.labels_at == "each" else run["encoder.final"][0]
        if c.pooler != "none":
            x = {"tanh": torch.tanh, "relu": F.relu}[c.pooler](affine(x, own, "classifier.pooler.dense"))
            near(run["pooler"], x)
        near(run.labels, affine(x, own, "classifier.labels"))


def test_a_pair_shares_one_table(run: Run) -> None:
    if run.config.kind == "seq2seq":
        assert run.network.encoder.embed.token is run.network.decoder.embed.token


# ---- attention


def test_queries_keys_and_values_are_projections_cut_into_heads(run: Run) -> None:
    c = run.config
    widths = [c.n_heads * c.d_head, c.n_kv_heads * c.d_head, c.n_kv_heads * c.d_head]
    for at in attentions(run):
        x, own = run[f"{at}.in"], block(run, at)
        if at.endswith("cross"):
            offered = affine(run["encoder.final"], own, "cross.key_value")
            parts = (affine(x, own, "cross.query"), *offered.split(widths[1:], dim=-1))
        else:
            parts = affine(x, own, "attn.qkv").split(widths, dim=-1)
        for name, part in zip("qkv", parts, strict=True):
            for head in range(part.shape[-1] // c.d_head):
                near(run[f"{at}.{name}"][head], part[:, head * c.d_head : (head + 1) * c.d_head])


def turned(x: Tensor, theta: float) -> Tensor:
    """Rotary positions as a product of complex numbers: pair i is number i and number i + d/2."""
    half = x.shape[-1] // 2
    place = torch.arange(x.shape[-2], dtype=torch.float64)[:, None]
    angle = place * theta ** (-torch.arange(half, dtype=torch.float64) * 2 / x.shape[-1])
    numbers = torch.complex(x[..., :half].double(), x[..., half:].double()) * torch.polar(
        torch.ones(()).double(), angle
    )
    return torch.cat([numbers.real, numbers.imag], dim=-1).float()


def test_rotary_positions_turn_queries_and_keys(run: Run) -> None:
    for at in layers(run):
        assert f"{at}.cross.q_rot" not in run
        for name in "qk":
            assert (f"{at}.attn.{name}_rot" in run) == (run.config.positions == "rotary")
            if run.config.positions == "rotary":
                rot = run[f"{at}.attn.{name}_rot"]
                near(rot, turned(run[f"{at}.attn.{name}"], run.config.rope_theta))
                assert torch.equal(rot[:, 0], run[f"{at}.attn.{name}"][:, 0])


def test_scores_are_dot_products_and_query_heads_share_keys_in_order(run: Run) -> None:
    c = run.config
    group = c.n_heads // c.n_kv_heads
    for at in attentions(run):
        kind = "_rot" if f"{at}.q_rot" in run else ""
        q, k = run[f"{at}.q{kind}"], run[f"{at}.k{kind}"]
        for head in range(c.n_heads):
            near(run[f"{at}.scores"][head], (q[head, :, None] * k[head // group][None]).sum(-1))
        scaled = run[f"{at}.scores"] / (sqrt(c.d_head) if c.attn_scale else 1)
        bias = run[f"{at}.bias"] if f"{at}.bias" in run else NONE  # noqa: SIM401 (a run is no dict)
        near(run[f"{at}.scaled"], scaled + bias)


def bucket(distance: int, n: int, far: int, two_sided: bool) -> int:
    """T5's classes of distances by one, as its paper says them: half exact, half logarithmic."""
    if two_sided and distance > 0:
        return n // 2 + bucket(-distance, n, far, two_sided)
    n, back = (n // 2 if two_sided else n), max(-distance, 0)
    if back < n // 2:
        return back
    return min(n - 1, n // 2 + int(log(back / (n // 2)) / log(far / (n // 2)) * (n - n // 2)))


def test_a_relative_bias_depends_on_the_distance_and_is_the_same_in_every_layer(run: Run) -> None:
    c = run.config
    for at in layers(run):
        assert (f"{at}.attn.bias" in run) == (c.positions == "relative")
        assert f"{at}.cross.bias" not in run
        if c.positions == "relative":
            stack = at.split(".")[0]
            bias, table = run[f"{at}.attn.bias"], weights(run)[f"{stack}.shift.table"]
            for i in range(bias.shape[1]):
                for j in range(bias.shape[2]):
                    row = bucket(j - i, c.relative_buckets, c.relative_distance, stack == "encoder")
                    assert torch.equal(bias[:, i, j], table[row])


def test_masked_scores_are_minus_infinity_exactly_where_nobody_may_look(run: Run) -> None:
    for stack in stacks(run):
        n = length(run, f"{stack}.mask", "query")
        wanted = torch.ones(n, n) if stack == "encoder" else torch.ones(n, n).tril()
        assert torch.equal(run[f"{stack}.mask"], wanted.bool())
    for at in attentions(run):
        masked, scaled, may = run[f"{at}.masked"], run[f"{at}.scaled"], allowed(run, at)
        assert (masked[:, ~may] == -torch.inf).all()
        assert torch.equal(masked[:, may], scaled[:, may])


def test_rows_of_a_pattern_sum_to_1_and_are_exactly_0_where_nobody_may_look(run: Run) -> None:
    for at in attentions(run):
        pattern = run[f"{at}.pattern"]
        near(pattern.sum(-1), torch.ones(pattern.shape[:2]), 1e-6)
        assert (pattern[:, ~allowed(run, at)] == 0).all()
        if at.startswith("decoder") and at.endswith("attn"):
            assert (pattern[:, 0, 0] == 1).all()
        exponentials = (run[f"{at}.masked"].double() - run[f"{at}.masked"].double().amax(-1, True)).exp()
        near(pattern, (exponentials / exponentials.sum(-1, True)).float(), 1e-6)


def test_b23_the_three_maps_of_a_pair_have_their_own_sizes(run: Run) -> None:
    if run.config.kind == "seq2seq":
        heads = run.config.n_heads
        assert run["encoder.0.attn.pattern"].shape == (heads, N, N)
        assert run["decoder.0.attn.pattern"].shape == (heads, M, M)
        assert run["decoder.0.cross.pattern"].shape == (heads, M, N)
        assert (run["encoder.0.attn.pattern"].triu(1) > 0).any()
        assert (run["decoder.0.cross.pattern"].triu(1) > 0).any()
        assert [len(run.tokens), len(run.target_tokens)] == [N, M]


def test_z_is_the_pattern_times_the_values(run: Run) -> None:
    group = run.config.n_heads // run.config.n_kv_heads
    for at in attentions(run):
        pattern, v, z = (run[f"{at}.{name}"] for name in ("pattern", "v", "z"))
        for head in range(run.config.n_heads):
            near(z[head], pattern[head] @ v[head // group])


def test_the_outputs_of_the_heads_sum_to_what_attention_writes(run: Run) -> None:
    c = run.config
    for at in attentions(run):
        z, own, part = run[f"{at}.z"], block(run, at), at.split(".")[-1]
        w = own[f"{part}.out.weight"]  # d_model, head*d_head
        each = [z[h] @ w[:, h * c.d_head : (h + 1) * c.d_head].T for h in range(c.n_heads)]
        near(run[f"{at}.out"], sum(each, own.get(f"{part}.out.bias", NONE)))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": lambda x: x * (x > 0),
    "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / sqrt(2))),
    "gelu_tanh": lambda x: x * 0.5 * (1 + torch.tanh(sqrt(2 / torch.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + torch.exp(-x)),
}


def test_the_net_widens_bends_and_narrows(run: Run) -> None:
    c = run.config
    for at in layers(run):
        x, own = run[f"{at}.ffn.in"], block(run, at)
        near(run[f"{at}.ffn.pre"], affine(x, own, "ffn.up"))
        bent = ACTIVATIONS[c.activation](run[f"{at}.ffn.gate" if c.gated else f"{at}.ffn.pre"])
        near(run[f"{at}.ffn.act"], bent * run[f"{at}.ffn.pre"] if c.gated else bent)
        near(run[f"{at}.ffn.out"], affine(run[f"{at}.ffn.act"], own, "ffn.down"))
        assert (f"{at}.ffn.gate" in run) == c.gated
        if c.gated:
            near(run[f"{at}.ffn.gate"], affine(x, own, "ffn.gate"))


# ---- cache


def begun(model: Model, n: int) -> tuple[Reading, list[int]]:
    """The model having read the first n tokens of the text that grows, and those that are left."""
    inputs = tiny.inputs(model.config)
    grows = "target_ids" if "target_ids" in inputs else "ids"
    return model.begin(**inputs | {grows: inputs[grows][:n]}), list(inputs[grows][n:])


def test_b22_a_cached_step_is_the_last_row_of_the_full_pass_at_every_site(writer: Model) -> None:
    run, (reading, rest) = look(writer), begun(writer, 2)
    assert reading.run.sites == run.sites
    for n, id in enumerate(rest, start=3):
        reading = reading.then(id)
        assert reading.run.sites == sites.names(writer.config, later=True)
        assert len(reading.run.queries) == 1
        for name in reading.run.sites:
            full = cut(run[name], name, ("query", "position"), slice(n - 1, n))
            alike(reading.run[name], full if ".cross." in name else cut(full, name, ("key",), slice(0, n)))


def test_b22_several_tokens_at_once_after_a_cache_are_masked_as_the_last_rows(writer: Model) -> None:
    ids, cache = torch.tensor([tiny.IDS]), Cache().claim(0, N)
    with torch.no_grad():
        if writer.config.kind == "seq2seq":
            source, target = writer.network.encode(ids), torch.tensor([tiny.TARGET])
            parts = [writer.network.decode(x, source, cache=cache) for x in (target[:, :2], target[:, 2:])]
        else:
            parts = [writer.network(x, cache=cache) for x in (ids[:, :2], ids[:, 2:])]
    near(torch.cat(parts, 1)[0], look(writer).logits)


def test_the_keys_of_a_source_are_made_once_and_shared_by_all_branches(writer: Model) -> None:
    reading, _ = begun(writer, 2)
    made: list[int] = []
    if writer.config.kind == "seq2seq":
        for part in writer.network.decoder.blocks:
            offer = part.cross.offer
            part.cross.offer = lambda *inputs, offer=offer: (made.append(1), offer(*inputs))[1]
    one, two = reading.then(3).then(5), reading.then(8).then(5)
    assert not made
    assert not torch.equal(one.logits, two.logits) or writer.config.d_model == 1


def test_a_batch_is_its_texts_one_by_one(model: Model) -> None:
    inputs = tiny.inputs(model.config)
    other = {name: row[::-1] for name, row in inputs.items()}
    seen: dict[str, Tensor] = {}
    pair = {name: torch.tensor([row, other[name]]) for name, row in inputs.items()}
    with torch.no_grad():
        if model.config.kind == "seq2seq":
            model.network(pair["ids"], pair["target_ids"], probe=lambda name, x: seen.setdefault(name, x))
        else:
            model.network(**pair, probe=lambda name, x: seen.setdefault(name, x))
    for i, run in enumerate((model.run(**inputs), model.run(**other))):
        for name in ("encoder.final", "decoder.final", "logits", "labels"):
            if name in run:
                near(seen[name][i], run[name])


# ---- masks


def test_padding_on_either_side_changes_nothing_that_is_real(model: Model, run: Run) -> None:
    pads = {
        "left": ([0, 3, 0, *tiny.IDS], [0, 0, 0] + [1] * N, slice(3, None)),
        "right": ([*tiny.IDS, 0, 3], [1] * N + [0, 0], slice(0, N)),
    }
    for ids, mask, real in pads.values():
        segments = {"segments": [1] * (len(ids) - N) + [*tiny.SEGMENTS]} if model.config.segments else {}
        if segments and real.start == 0:
            segments["segments"] = [*tiny.SEGMENTS, 1, 1]
        padded = look(model, ids=ids, mask=mask, **segments)
        for name in run.sites:
            axes = tuple(axis for axis in ("position", "query", "key") if length(run, name, axis) == N)
            alike(cut(padded[name], name, axes, real), run[name])
        hidden = torch.tensor(mask) == 0
        for at in attentions(run):
            if length(run, f"{at}.pattern", "key") == N:
                assert (padded[f"{at}.pattern"][:, :, hidden] == 0).all()
        assert [t.padding for t in padded.tokens] == hidden.tolist()
        assert all(padded[name].isfinite().all() for name in ("logits", "labels") if name in padded)


def test_padded_queries_in_front_of_a_text_that_is_read_from_the_left_read_nothing(writer: Model) -> None:
    if writer.config.kind == "decoder":
        padded = look(writer, ids=[0, 3, 0, *tiny.IDS], mask=[0, 0, 0] + [1] * N)
        for at in layers(padded):
            assert (padded[f"{at}.attn.pattern"][:, :3] == 0).all()


def test_a_hidden_key_is_read_by_nobody(model: Model) -> None:
    mask = [1, 1, 0, 1, 1, 1]
    run = look(model, mask=mask)
    other = look(model, ids=[*tiny.IDS[:2], 17, *tiny.IDS[3:]], mask=mask)
    for at in attentions(run):
        if length(run, f"{at}.pattern", "key") == N:
            assert (run[f"{at}.pattern"][:, :, 2] == 0).all()
            near(run[f"{at}.pattern"].sum(-1), torch.ones(run[f"{at}.pattern"].shape[:2]), 1e-6)
    keep = [0, 1, 3, 4, 5]
    for name in {"logits", "labels", "encoder.final"} & set(run.sites):
        rows = keep if length(run, name, "position") == N and "position" in run.axes(name) else slice(None)
        assert torch.equal(run[name][rows], other[name][rows])


def test_a_two_axis_mask_is_the_whole_mask(model: Model) -> None:
    mask = torch.ones(N, N, dtype=torch.int64)
    mask[1, 3] = mask[4] = 0
    run = look(model, mask=mask)
    stack = stacks(run)[0]
    assert torch.equal(run[f"{stack}.mask"], mask.bool())
    for at in layers(run, stack):
        pattern = run[f"{at}.attn.pattern"]
        assert (pattern[:, ~mask.bool()] == 0).all()
        assert (pattern[:, 0, 1:] > 0).any() or run.config.d_head == 1  # the future may be read
        sums = pattern.sum(-1)
        assert (sums[:, 4] == 0).all()
        near(sums[:, [0, 1, 2, 3, 5]], torch.ones(run.config.n_heads, N - 1), 1e-6)
        assert (run[f"{at}.attn.z"][:, 4] == 0).all()
    if run.config.kind == "seq2seq":
        assert (run["decoder.0.cross.pattern"].sum(-1) > 0.99).all()


def test_a_text_with_everything_hidden_is_zeros_not_nan(model: Model) -> None:
    for mask in ([0] * N, [[0] * N] * N):
        run = look(model, mask=mask)
        assert all(run[name].isfinite().all() for name in ("logits", "labels") if name in run)
        for at in attentions(run):
            hidden = at.startswith(stacks(run)[0]) or (at.endswith("cross") and mask[0] == 0)
            assert (run[f"{at}.pattern"] == 0).all() == hidden
            assert (run[f"{at}.z"] == 0).all() == hidden


# ---- fused


def test_the_fused_kernel_agrees(model: Model, run: Run) -> None:
    fused = tiny.model(model.config, seed=11, attend=attend_fused)
    maps = ("scores", "scaled", "masked", "pattern")
    answers = {"logits", "labels", "encoder.final"} & set(run.sites)
    assert look(fused).sites == tuple(n for n in run.sites if n.split(".")[-1] not in maps)
    masks = ([0, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1], [0] * N, [[1, 0, 1, 1, 1, 1], [0] * N, *[[1] * N] * 4])
    for mask in (None, *masks):
        one, two = look(fused, mask=mask), look(model, mask=mask)
        for name in answers:
            near(one[name], two[name])


def test_the_fused_kernel_agrees_after_a_cache(writer: Model) -> None:
    fused = tiny.model(writer.config, seed=11, attend=attend_fused)
    (reading, _), (plain, _) = begun(fused, 3), begun(writer, 3)
    for id in (3, 8, 1):
        reading, plain = reading.then(id), plain.then(id)
        near(reading.logits, plain.logits)


# ---- on no machine


def test_on_the_meta_device_the_shapes_are_known_without_arithmetic(model: Model, run: Run) -> None:
    with torch.device("meta"):
        net = build(model.config)
    shapes: dict[str, tuple[int, ...]] = {}

    def look(name: str, x: Tensor) -> Tensor:
        assert x.device.type == "meta"
        shapes[name] = tuple(x.shape[1:])
        return x

    tiny.said(net, tiny.inputs(model.config), look)
    assert shapes == {name: tuple(run[name].shape) for name in run.sites}


# ---- worked examples


@pytest.mark.parametrize(("allowed", "right"), [([True, False], [1, 0]), ([False, True], [0, 1])])
def test_b16_the_future_is_exactly_0_however_large_the_scores(allowed: list[bool], right: list[int]) -> None:
    q, k = torch.tensor([[[[1.0]]]]), torch.tensor([[[[-15000.0], [5.0]]]])
    seen: dict[str, Tensor] = {}
    attend(q, k, k, torch.tensor([[allowed]]), 1.0, lambda name, x: seen.setdefault(name, x))
    assert seen["pattern"].flatten().tolist() == right


def test_the_original_scales_its_tokens_and_has_no_last_norm() -> None:
    run = tiny.model(tiny.PRESETS["original"]).run(ids=tiny.IDS)
    assert torch.equal(run["decoder.final"], run["decoder.1.resid_post"])
    near(
        run["decoder.embed.token"],
        F.embedding(torch.tensor(tiny.IDS), run.network.decoder.embed.token.weight.detach()) * sqrt(18),
    )
