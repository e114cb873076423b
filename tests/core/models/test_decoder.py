"""Identities that hold in every decoder that we can build: sums catch what shapes cannot."""

from collections.abc import Callable
from math import sqrt

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
from core.models import Decoder
from core.run import Run
from core.tape import Tape
from tests.core import tiny

N = len(tiny.IDS)
IDS = torch.tensor([tiny.IDS])
FUTURE = torch.ones(N, N).triu(1).bool()


@pytest.fixture(params=tiny.PRESETS, ids=lambda name: name.replace(" ", "-"))
def model(request: pytest.FixtureRequest) -> Model:
    return tiny.model(tiny.PRESETS[request.param], seed=11)


@pytest.fixture
def run(model: Model) -> Run:
    return model.run(ids=tiny.IDS)


def layers(run: Run) -> list[str]:
    return [f"decoder.{i}" for i in range(run.config.n_layers)]


def block(run: Run, at: str) -> dict[str, Tensor]:
    return {name: x.detach() for name, x in run.network.blocks[int(at.split(".")[1])].named_parameters()}


def norm(config: Config, x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    """The two formulas as the papers print them."""
    if config.norm == "rmsnorm":
        return x / (x.square().mean(-1, keepdim=True) + config.norm_eps).sqrt() * weights[f"{name}.gain"]
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return centred / (variance + config.norm_eps).sqrt() * weights[f"{name}.gain"] + weights[f"{name}.bias"]


def affine(x: Tensor, weights: dict[str, Tensor], name: str) -> Tensor:
    return x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", torch.zeros(()))


def near(found: Tensor, right: Tensor, within: float = 1e-5) -> None:
    assert found.shape == right.shape
    assert (found - right).abs().max() <= within * max(1.0, float(right.abs().max()))


# ---- names and shapes


def test_the_names_fired_are_those_of_the_table_in_their_order(run: Run) -> None:
    assert run.sites == sites.names(run.config)
    assert len(set(run.sites)) == len(run.sites)


def test_every_tensor_has_the_axes_of_the_table(run: Run) -> None:
    c = run.config
    size = {"position": N, "query": N, "key": N, "d_model": c.d_model, "d_head": c.d_head, "d_ff": c.d_ff}
    size["vocab"] = c.vocab_size
    for name in run.sites:
        heads = c.n_kv_heads if name.split(".")[-1] in ("k", "v", "k_rot") else c.n_heads
        assert tuple(run[name].shape) == tuple(heads if a == "head" else size[a] for a in sites.find(name).axes), name


def test_all_sites_of_the_table_are_fired_by_some_preset() -> None:
    fired = {name for config in tiny.PRESETS.values() for name in sites.names(config)}
    assert {sites.find(name).name for name in fired} == set(sites.SITES)


# ---- what is shown is what ran


def test_a_recorded_pass_is_the_silent_one_bit_for_bit(model: Model) -> None:
    with torch.no_grad():
        silent = model.network(IDS)
    assert torch.equal(model.run(ids=tiny.IDS).logits, silent[0])
    assert torch.equal(model.run(ids=tiny.IDS, keep=[]).logits, silent[0])
    assert torch.equal(model.run(ids=tiny.IDS, keep=["*.attn.*"]).logits, silent[0])


def test_b25_two_runs_are_the_same_bit_for_bit(model: Model) -> None:
    one, two = model.run(ids=tiny.IDS), model.run(ids=tiny.IDS)
    assert all(torch.equal(one[name], two[name]) for name in one.sites)


def test_nothing_recorded_is_changed_afterwards(model: Model) -> None:
    """A copy taken as the value went by equals what the tape holds when the pass is over."""
    seen: dict[str, Tensor] = {}
    tape = Tape()

    def copying(name: str, x: Tensor) -> Tensor:
        seen[name] = x.clone()
        return tape(name, x)

    with torch.no_grad():
        model.network(IDS, probe=copying)
    assert all(torch.equal(tape.tensors[name], x) for name, x in seen.items())


def test_replaying_any_tensor_into_its_own_place_is_exact(model: Model, run: Run) -> None:
    for name in run.sites:
        again = model.run(ids=tiny.IDS, edits={name: core.put(run[name])})
        assert all(torch.equal(again[other], run[other]) for other in run.sites), name


def test_every_site_is_read_by_what_follows(model: Model, run: Run) -> None:
    """An edit anywhere reaches the logits: no site is a copy that the pass does not use."""
    for name in run.sites:
        if name == "decoder.mask":
            edit = core.zero(query=N - 1, key=slice(0, N - 1))
        elif name.endswith("masked"):
            edit = core.put(-torch.inf, query=N - 1, key=slice(0, N - 1))
        else:
            edit = core.put(torch.randn(run[name].shape, generator=torch.Generator().manual_seed(3)))
        changed = model.run(ids=tiny.IDS, edits={name: edit})
        places = [other for other in run.sites if not torch.equal(changed[other], run[other])]
        assert places[0] == name
        if run.config.d_model > 1:
            assert places[-1] == "logits", name


# ---- the stream


def test_what_enters_is_tokens_times_their_factor_plus_positions(run: Run) -> None:
    c, net = run.config, run.network
    table = net.embed.weight.detach()[list(tiny.IDS)]
    near(run["decoder.embed.token"], table * sqrt(c.d_model) if c.embed_scale else table, 1e-6)
    assert ("decoder.embed.position" in run) == (c.positions != "rotary")
    position = run["decoder.embed.position"] if c.positions != "rotary" else torch.zeros(())
    assert torch.equal(run["decoder.embed.out"], run["decoder.embed.token"] + position)
    assert torch.equal(run["decoder.0.resid_pre"], run["decoder.embed.out"])


def test_each_sub_layer_adds_what_it_writes(run: Run) -> None:
    c = run.config
    for at in layers(run):
        weights = block(run, at)
        pre, mid, post = (run[f"{at}.resid_{place}"] for place in ("pre", "mid", "post"))
        wrote, net_wrote = run[f"{at}.attn.out"], run[f"{at}.ffn.out"]
        if c.placement == "pre":
            assert torch.equal(mid, pre + wrote)
            assert torch.equal(post, mid + net_wrote)
            near(run[f"{at}.attn.in"], norm(c, pre, weights, "norm1"))
            near(run[f"{at}.ffn.in"], norm(c, mid, weights, "norm2"))
        else:
            near(mid, norm(c, pre + wrote, weights, "norm1"))
            near(post, norm(c, mid + net_wrote, weights, "norm2"))
            assert torch.equal(run[f"{at}.attn.in"], pre)
            assert torch.equal(run[f"{at}.ffn.in"], mid)
    for at, following in zip(layers(run), layers(run)[1:], strict=False):
        assert torch.equal(run[f"{at}.resid_post"], run[f"{following}.resid_pre"])


def test_a_pre_norm_stream_is_the_sum_of_all_writes(run: Run) -> None:
    if run.config.placement == "pre":
        total = run["decoder.embed.out"].clone()
        for at in layers(run):
            total = total + run[f"{at}.attn.out"] + run[f"{at}.ffn.out"]
        near(run[f"{layers(run)[-1]}.resid_post"], total)


def test_the_head_reads_the_last_word_of_the_stack(run: Run) -> None:
    c, net = run.config, run.network
    last = run[f"{layers(run)[-1]}.resid_post"]
    weights = {name: x.detach() for name, x in net.named_parameters()}
    near(run["decoder.final"], norm(c, last, weights, "final_norm") if c.final_norm else last)
    table = weights["embed.weight"] if c.tied else weights["head.weight"]
    near(run.logits, run["decoder.final"] @ table.T + weights.get("head.bias", torch.zeros(())))
    assert (net.head.weight is net.embed.weight) == c.tied


# ---- attention


def test_queries_keys_and_values_are_projections_cut_into_heads(run: Run) -> None:
    c = run.config
    for at in layers(run):
        x, weights = run[f"{at}.attn.in"], block(run, at)
        whole = affine(x, weights, "attn.qkv")
        widths = [c.n_heads * c.d_head, c.n_kv_heads * c.d_head, c.n_kv_heads * c.d_head]
        for name, part in zip("qkv", whole.split(widths, dim=-1), strict=True):
            for head in range(part.shape[-1] // c.d_head):
                near(run[f"{at}.attn.{name}"][head], part[:, head * c.d_head : (head + 1) * c.d_head])


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
        for name in "qk":
            assert (f"{at}.attn.{name}_rot" in run) == (run.config.positions == "rotary")
            if run.config.positions == "rotary":
                rot = run[f"{at}.attn.{name}_rot"]
                near(rot, turned(run[f"{at}.attn.{name}"], run.config.rope_theta))
                assert torch.equal(rot[:, 0], run[f"{at}.attn.{name}"][:, 0])


def test_scores_are_dot_products_and_query_heads_share_keys_in_order(run: Run) -> None:
    c = run.config
    group = c.n_heads // c.n_kv_heads
    kind = "_rot" if c.positions == "rotary" else ""
    for at in layers(run):
        q, k = run[f"{at}.attn.q{kind}"], run[f"{at}.attn.k{kind}"]
        for head in range(c.n_heads):
            for i in range(N):
                for j in range(N):
                    right = (q[head, i] * k[head // group, j]).sum()
                    near(run[f"{at}.attn.scores"][head, i, j], right)
        near(run[f"{at}.attn.scaled"], run[f"{at}.attn.scores"] / sqrt(c.d_head))


def test_masked_scores_are_minus_infinity_exactly_in_the_future(run: Run) -> None:
    assert torch.equal(run["decoder.mask"], ~FUTURE)
    for at in layers(run):
        masked, scaled = run[f"{at}.attn.masked"], run[f"{at}.attn.scaled"]
        assert (masked[:, FUTURE] == -torch.inf).all()
        assert torch.equal(masked[:, ~FUTURE], scaled[:, ~FUTURE])


def test_rows_of_a_pattern_sum_to_1_and_are_exactly_0_in_the_future(run: Run) -> None:
    for at in layers(run):
        pattern = run[f"{at}.attn.pattern"]
        near(pattern.sum(-1), torch.ones(pattern.shape[:2]), 1e-6)
        assert (pattern[:, FUTURE] == 0).all()
        assert (pattern[:, 0, 0] == 1).all()
        exponentials = (run[f"{at}.attn.masked"].double() - run[f"{at}.attn.masked"].double().amax(-1, True)).exp()
        near(pattern, (exponentials / exponentials.sum(-1, True)).float(), 1e-6)


def test_z_is_the_pattern_times_the_values(run: Run) -> None:
    group = run.config.n_heads // run.config.n_kv_heads
    for at in layers(run):
        pattern, v, z = (run[f"{at}.attn.{name}"] for name in ("pattern", "v", "z"))
        for head in range(run.config.n_heads):
            near(z[head], pattern[head] @ v[head // group])


def test_the_outputs_of_the_heads_sum_to_what_attention_writes(run: Run) -> None:
    c = run.config
    for at in layers(run):
        z, weights = run[f"{at}.attn.z"], block(run, at)
        w = weights["attn.out.weight"]  # d_model, head*d_head
        each = [z[h] @ w[:, h * c.d_head : (h + 1) * c.d_head].T for h in range(c.n_heads)]
        near(run[f"{at}.attn.out"], sum(each, weights.get("attn.out.bias", torch.zeros(()))))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": lambda x: x * (x > 0),
    "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / sqrt(2))),
    "gelu_tanh": lambda x: x * 0.5 * (1 + torch.tanh(sqrt(2 / torch.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + torch.exp(-x)),
}


def test_the_net_widens_bends_and_narrows(run: Run) -> None:
    c = run.config
    for at in layers(run):
        x, weights = run[f"{at}.ffn.in"], block(run, at)
        near(run[f"{at}.ffn.pre"], affine(x, weights, "ffn.up"))
        bent = ACTIVATIONS[c.activation](run[f"{at}.ffn.gate" if c.gated else f"{at}.ffn.pre"])
        near(run[f"{at}.ffn.act"], bent * run[f"{at}.ffn.pre"] if c.gated else bent)
        near(run[f"{at}.ffn.out"], affine(run[f"{at}.ffn.act"], weights, "ffn.down"))
        assert (f"{at}.ffn.gate" in run) == c.gated
        if c.gated:
            near(run[f"{at}.ffn.gate"], affine(x, weights, "ffn.gate"))


# ---- cache


QUERY_AXES = ("query", "position")


def test_b22_a_cached_step_is_the_last_row_of_the_full_pass_at_every_site(model: Model, run: Run) -> None:
    reading = model.begin(ids=tiny.IDS[:2])
    for n, id in enumerate(tiny.IDS[2:], start=3):
        reading = reading.then(id)
        assert reading.run.sites == run.sites
        for name in run.sites:
            full = run[name]
            for dim, axis in enumerate(sites.find(name).axes):
                wanted = slice(n - 1, n) if axis in QUERY_AXES else slice(0, n) if axis == "key" else slice(None)
                full = full.movedim(dim, 0)[wanted].movedim(0, dim)
            finite = full.isfinite()
            assert reading.run[name].shape == full.shape
            assert torch.equal(finite, reading.run[name].isfinite())
            near(reading.run[name][finite].float(), full[finite].float())


def test_b22_several_tokens_at_once_after_a_cache_are_masked_as_the_last_rows(model: Model, run: Run) -> None:
    with torch.no_grad():
        cache = Cache().claim(0, N)
        first = model.network(IDS[:, :2], cache=cache)
        rest = model.network(IDS[:, 2:], cache=cache)
    near(torch.cat([first, rest], 1)[0], run.logits)


def test_a_batch_is_its_texts_one_by_one(model: Model) -> None:
    two = torch.tensor([tiny.IDS, tiny.IDS[::-1]])
    with torch.no_grad():
        both = model.network(two)
    near(both[0], model.run(ids=tiny.IDS).logits)
    near(both[1], model.run(ids=tiny.IDS[::-1]).logits)


# ---- masks


def test_left_padding_changes_nothing_that_is_real(model: Model, run: Run) -> None:
    padded = model.run(ids=[0, 3, 0, *tiny.IDS], mask=[0, 0, 0] + [1] * N)
    for name in run.sites:
        found = padded[name]
        for dim, axis in enumerate(sites.find(name).axes):
            if axis in (*QUERY_AXES, "key"):
                found = found.movedim(dim, 0)[3:].movedim(0, dim)
        finite = run[name].isfinite()
        assert torch.equal(finite, found.isfinite())
        near(found[finite].float(), run[name][finite].float())
    for at in layers(run):
        assert (padded[f"{at}.attn.pattern"][:, :, :3] == 0).all()
        assert (padded[f"{at}.attn.pattern"][:, :3] == 0).all()
    assert [t.padding for t in padded.tokens] == [True] * 3 + [False] * N
    assert padded.logits.isfinite().all()


def test_a_hidden_key_is_read_by_nobody(model: Model) -> None:
    mask = [1, 1, 0, 1, 1, 1]
    run = model.run(ids=tiny.IDS, mask=mask)
    other = model.run(ids=[*tiny.IDS[:2], 17, *tiny.IDS[3:]], mask=mask)
    for at in layers(run):
        assert (run[f"{at}.attn.pattern"][:, :, 2] == 0).all()
        near(run[f"{at}.attn.pattern"].sum(-1), torch.ones(run.config.n_heads, N), 1e-6)
    keep = [0, 1, 3, 4, 5]
    assert torch.equal(run.logits[keep], other.logits[keep])


def test_a_two_axis_mask_is_the_whole_mask(model: Model) -> None:
    mask = torch.ones(N, N, dtype=torch.int64)
    mask[1, 3] = mask[4] = 0
    run = model.run(ids=tiny.IDS, mask=mask)
    assert torch.equal(run["decoder.mask"], mask.bool())
    for at in layers(run):
        pattern = run[f"{at}.attn.pattern"]
        assert (pattern[:, ~mask.bool()] == 0).all()
        assert (pattern[:, 0, 1:] > 0).any() or run.config.d_head == 1  # the future may be read
        sums = pattern.sum(-1)
        assert (sums[:, 4] == 0).all()
        near(sums[:, [0, 1, 2, 3, 5]], torch.ones(run.config.n_heads, N - 1), 1e-6)
        assert (run[f"{at}.attn.z"][:, 4] == 0).all()


def test_a_text_with_everything_hidden_is_zeros_not_nan(model: Model) -> None:
    for mask in ([0] * N, [[0] * N] * N):
        run = model.run(ids=tiny.IDS, mask=mask)
        assert run.logits.isfinite().all()
        for at in layers(run):
            assert (run[f"{at}.attn.pattern"] == 0).all()
            assert (run[f"{at}.attn.z"] == 0).all()


# ---- fused


def test_the_fused_kernel_agrees(model: Model, run: Run) -> None:
    fused = tiny.model(model.config, seed=11, attend=attend_fused)
    near(fused.run(ids=tiny.IDS).logits, run.logits)
    assert fused.run(ids=tiny.IDS).sites == tuple(
        n for n in run.sites if n.split(".")[-1] not in ("scores", "scaled", "masked", "pattern")
    )
    for mask in ([0, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1], [0] * N, [[1, 0, 1, 1, 1, 1], [0] * N, *[[1] * N] * 4]):
        near(fused.run(ids=tiny.IDS, mask=mask).logits, model.run(ids=tiny.IDS, mask=mask).logits)
    reading, plain = fused.begin(ids=tiny.IDS), model.begin(ids=tiny.IDS)
    for id in (3, 8, 1):
        reading, plain = reading.then(id), plain.then(id)
        near(reading.logits, plain.logits)


# ---- on no machine


def test_on_the_meta_device_the_shapes_are_known_without_arithmetic(model: Model, run: Run) -> None:
    with torch.device("meta"):
        net = Decoder(model.config)
    shapes: dict[str, tuple[int, ...]] = {}

    def look(name: str, x: Tensor) -> Tensor:
        assert x.device.type == "meta"
        shapes[name] = tuple(x.shape[1:])
        return x

    net(torch.zeros(1, N, dtype=torch.long, device="meta"), probe=look)
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
    near(run["decoder.embed.token"], F.embedding(IDS[0], run.network.embed.weight.detach()) * sqrt(18))
