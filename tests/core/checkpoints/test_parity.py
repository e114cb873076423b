"""The same numbers as `transformers` and `torch.nn`, on tiny random networks with a fresh seed each time."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import core
from core.config import Config
from core.models import Decoder
from core.tape import Tape
from tests.core import tiny

transformers.logging.set_verbosity_error()
CONTEXT, N = 40, 9

GPT2 = {"vocab_size": 24, "n_positions": CONTEXT, "n_embd": 12, "n_layer": 3, "n_head": 3}
LLAMA = {"vocab_size": 24, "hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 3}
ROPE = {"rope_type": "default", "rope_theta": 50.0}
LLAMA |= {"num_attention_heads": 6, "num_key_value_heads": 2, "max_position_embeddings": CONTEXT}

CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "gpt2": (GPT2Config, GPT2LMHeadModel, GPT2),
    "gpt2 erf gelu": (GPT2Config, GPT2LMHeadModel, GPT2 | {"activation_function": "gelu"}),
    "gpt2 other tanh gelu": (GPT2Config, GPT2LMHeadModel, GPT2 | {"activation_function": "gelu_pytorch_tanh"}),
    "gpt2 relu": (GPT2Config, GPT2LMHeadModel, GPT2 | {"activation_function": "relu", "n_inner": 7}),
    "gpt2 untied": (GPT2Config, GPT2LMHeadModel, GPT2 | {"tie_word_embeddings": False, "n_inner": 30}),
    "gpt2 eps": (GPT2Config, GPT2LMHeadModel, GPT2 | {"layer_norm_epsilon": 0.1, "n_head": 1, "n_layer": 1}),
    "llama gqa": (LlamaConfig, LlamaForCausalLM, LLAMA),
    "llama mha": (LlamaConfig, LlamaForCausalLM, LLAMA | {"num_key_value_heads": 6}),
    "llama mqa": (LlamaConfig, LlamaForCausalLM, LLAMA | {"num_key_value_heads": 1}),
    "llama head_dim": (LlamaConfig, LlamaForCausalLM, LLAMA | {"head_dim": 8}),
    "llama attention_bias": (LlamaConfig, LlamaForCausalLM, LLAMA | {"attention_bias": True}),
    "llama mlp_bias": (LlamaConfig, LlamaForCausalLM, LLAMA | {"mlp_bias": True, "rms_norm_eps": 0.1}),
    "llama tied": (LlamaConfig, LlamaForCausalLM, LLAMA | {"tie_word_embeddings": True}),
    "llama theta": (
        LlamaConfig,
        LlamaForCausalLM,
        LLAMA | {"rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
    ),
}


def shuffle(module: nn.Module) -> None:
    """Weights of a size that makes attention choose, and norms that are not 1 and 0."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            one = "norm" in name or "ln_" in name
            parameter.copy_(0.4 * torch.randn_like(parameter) + (one and name.endswith("weight")))


def watch(layers: Any, attention: str, net: str) -> dict[str, Tensor]:
    """What the layers of the other library return, by our names."""
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Any:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            seen[name] = (output[0] if isinstance(output, tuple) else output)[0]

        return hook

    for i, layer in enumerate(layers):
        layer.register_forward_hook(keep(f"decoder.{i}.resid_post"))
        getattr(layer, attention).register_forward_hook(keep(f"decoder.{i}.attn.out"))
        getattr(layer, net).register_forward_hook(keep(f"decoder.{i}.ffn.out"))
    return seen


def equal(found: Tensor, right: Tensor, within: float = 1e-4) -> None:
    assert found.shape == right.shape
    assert (found - right).abs().max() <= within


@pytest.mark.parametrize("case", CASES, ids=lambda name: name.replace(" ", "-"))
def test_parity_with_transformers(case: str, tmp_path: Path, seed: int) -> None:
    config_class, model_class, fields = CASES[case]
    config = config_class(**fields, attn_implementation="eager", bos_token_id=0, eos_token_id=None, pad_token_id=0)
    theirs = model_class(config).eval()
    shuffle(theirs)
    theirs.save_pretrained(tmp_path)
    tiny.words(24).tokenizer.save(str(tmp_path / "tokenizer.json"))
    ours = core.load(tmp_path)
    ids = torch.randint(24, (1, N))

    gpt2 = model_class is GPT2LMHeadModel
    layers = theirs.transformer.h if gpt2 else theirs.model.layers
    seen = watch(layers, "attn" if gpt2 else "self_attn", "mlp")
    with torch.no_grad():
        right = theirs(ids, output_attentions=True, output_hidden_states=True)
    run = ours.run(ids=ids[0].tolist())

    equal(run.logits, right.logits[0])
    for i in range(config.num_hidden_layers):
        equal(run[f"decoder.{i}.resid_pre"], right.hidden_states[i][0])
        equal(run[f"decoder.{i}.attn.pattern"], right.attentions[i][0], 1e-5)
    equal(run["decoder.final"], right.hidden_states[-1][0])
    assert len(seen) == 3 * config.num_hidden_layers
    for name, value in seen.items():
        equal(run[name], value)

    reading = ours.begin(ids=ids[0, :4].tolist())
    for n in range(4, N):
        equal(reading.logits, right.logits[0, n - 1])
        reading = reading.then(int(ids[0, n]))
        for i in range(config.num_hidden_layers):
            equal(reading.run[f"decoder.{i}.attn.pattern"][:, 0], right.attentions[i][0, :, n, : n + 1], 1e-5)
    equal(reading.logits, right.logits[0, -1])

    steps = list(ours.generate(ids=ids[0].tolist(), max_new_tokens=20, temperature=0, stop=()))
    with torch.no_grad():
        whole = theirs.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=20)
    assert [step.token.id for step in steps] == whole[0, N:].tolist()


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("placement", ["post", "pre"])
def test_parity_with_the_transformer_of_torch(placement: Any, scale: bool, seed: int) -> None:
    """The original's blocks (ReLU, sinusoids), after and before the norm, with the very same weights."""
    pre = placement == "pre"
    config = Config(
        vocab_size=24,
        d_model=12,
        n_layers=3,
        n_heads=3,
        n_kv_heads=3,
        d_head=4,
        d_ff=20,
        context=CONTEXT,
        placement=placement,
        final_norm=pre,
        positions="sinusoidal",
        activation="relu",
        embed_scale=scale,
        tied=False,
    )
    ours = Decoder(config).eval()
    layer = nn.TransformerEncoderLayer(12, 3, 20, dropout=0.1, batch_first=True, norm_first=pre)
    last = nn.LayerNorm(12) if pre else None
    theirs = nn.TransformerEncoder(layer, 3, norm=last, enable_nested_tensor=False).eval()
    shuffle(theirs)
    table = torch.randn(24, 12)
    with torch.no_grad():
        ours.decoder.embed.token.weight.copy_(table)
        for mine, other in zip(ours.decoder.blocks, theirs.layers, strict=True):
            mine.attn.qkv.weight.copy_(other.self_attn.in_proj_weight)
            mine.attn.qkv.bias.copy_(other.self_attn.in_proj_bias)
            mine.attn.out.load_state_dict(other.self_attn.out_proj.state_dict())
            mine.ffn.up.load_state_dict(other.linear1.state_dict())
            mine.ffn.down.load_state_dict(other.linear2.state_dict())
            for norm, name in ((mine.norm1, "norm1"), (mine.norm2, "norm2")):
                norm.gain.copy_(getattr(other, name).weight)
                norm.bias.copy_(getattr(other, name).bias)
        if last:
            ours.decoder.final_norm.gain.copy_(last.weight)
            ours.decoder.final_norm.bias.copy_(last.bias)

        ids = torch.randint(24, (1, N))
        place = torch.tensor(
            [
                [(math.cos if i % 2 else math.sin)(pos / 10000 ** ((i - i % 2) / 12)) for i in range(12)]
                for pos in range(N)
            ]
        )
        x = table[ids] * (math.sqrt(12) if scale else 1) + place
        tape = Tape()
        ours(ids, probe=tape)
        equal(tape.tensors["decoder.embed.out"], x, 1e-5)
        mask = nn.Transformer.generate_square_subsequent_mask(N)
        equal(tape.tensors["decoder.final"], theirs(x, mask=mask, is_causal=True))
        for i, other in enumerate(theirs.layers):
            x = other(x, src_mask=mask, is_causal=True)
            equal(tape.tensors[f"decoder.{i}.resid_post"], x)


# ---- folders whose numbers the page of public troubles gives


@pytest.mark.parametrize("name", ["gpt2", "llama_gqa"])
def test_b37_b38_b39_b47_b48_reference_folders(name: str, fixtures: Path) -> None:
    right = load_file(fixtures / f"{name}.ref.safetensors")
    model = core.load(fixtures / name)
    run = model.run("t5 t9 t2 t9 t7 t1")
    assert [t.id for t in run.tokens] == right["input_ids"][0].tolist()
    equal(run.logits, right["logits"][0])
    for i in range(2):
        equal(run[f"decoder.{i}.attn.pattern"], right[f"attentions.{i}"][0], 1e-5)


def test_b14_b37_gpt2_has_its_published_answer_only_without_a_start_token(fixtures: Path) -> None:
    model = core.load(fixtures / "gpt2")
    run = model.run("t5 t9 t2 t9 t7 t1")
    assert not any(t.added for t in run.tokens)
    assert int(run.logits[-1].argmax()) == 20
    assert run.logits[-1, 20].item() == pytest.approx(2.526239, abs=1e-4)
    assert core.sampling.distribution(run.logits[-1]).probs[20].item() == pytest.approx(0.233193, abs=1e-5)
    pattern = run["decoder.0.attn.pattern"][0, 2].tolist()
    assert pattern == pytest.approx([0.004224, 0.000005, 0.995772, 0, 0, 0], abs=1e-6)
    other = core.sampling.distribution(model.run(ids=[0, *tiny.IDS]).logits[-1]).probs[20].item()
    assert abs(other - 0.233193) > 1e-3


def test_b47_b48_llama_has_its_published_answer(fixtures: Path) -> None:
    bars = core.sampling.distribution(core.load(fixtures / "llama_gqa").run(ids=tiny.IDS).logits[-1])
    assert int(bars.probs.argmax()) == 1
    assert bars.probs[1].item() == pytest.approx(0.228328, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "right"),
    [("gpt2", [20, 21, 13, 21, 13, 20, 21, 13, 21, 13]), ("llama_gqa", [1, 4, 9, 6, 18, 6, 19, 22])],
)
def test_b58_greedy_continuations(name: str, right: list[int], fixtures: Path) -> None:
    steps = core.load(fixtures / name).generate(ids=tiny.IDS, max_new_tokens=len(right), temperature=0, stop=())
    assert [step.token.id for step in steps] == right


def test_b16_nothing_leaks_from_the_future_however_large_the_scores(fixtures: Path, tmp_path: Path) -> None:
    tensors = load_file(fixtures / "gpt2" / "model.safetensors")
    big = {name: x * 300 if "c_attn" in name else x for name, x in tensors.items()}
    settings = json.loads((fixtures / "gpt2" / "config.json").read_text())
    run = core.load(tiny.folder(tmp_path, settings, big)).run(ids=tiny.IDS)
    assert run["decoder.0.attn.scaled"].abs().max() > 1e5
    for i in range(2):
        pattern = run[f"decoder.{i}.attn.pattern"]
        assert pattern.triu(1).max() == 0.0
        assert (pattern[:, 0, 0] == 1).all()
        assert torch.allclose(pattern.sum(-1), torch.ones(2, 6), atol=1e-5)


def test_b18_left_padding_of_the_reference_folder(fixtures: Path) -> None:
    model = core.load(fixtures / "gpt2")
    padded = model.run(ids=[0, 0, 0, *tiny.IDS], mask=[0, 0, 0, 1, 1, 1, 1, 1, 1])
    equal(padded.logits[3:], model.run(ids=tiny.IDS).logits)
    assert (model.run(ids=[0, 0, 0, *tiny.IDS]).logits[3:] - model.run(ids=tiny.IDS).logits).abs().max() > 1
