"""Model folders: every spelling that hubs have gives the same numbers, everything else is refused in a sentence.

Names with B and a number are public troubles of other tools.
"""

import json
import os
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch import Tensor

import core
from core.checkpoints import read
from core.checkpoints.family import Settings
from core.checkpoints.folder import FAMILIES
from core.checkpoints.original import save
from core.checkpoints.tensors import fill, write
from core.errors import CheckpointError, ConfigError, GlassformerError
from tests.core import tiny


def logits(folder: Path) -> Tensor:
    return core.load(folder).run(ids=tiny.IDS).logits


def refused(folder: Path, *words: str) -> str:
    """The one plain sentence that `load` refuses with; it holds all of `words`."""
    with pytest.raises(GlassformerError) as error:
        core.load(folder)
    said = str(error.value)
    plain(said)
    for word in words:
        assert word in said, said
    return said


def plain(said: str) -> None:
    """One sentence: a capital or a name in front, a full stop behind, nothing of Python's in it."""
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 400
    assert not re.search(r"Traceback|Error\b|<class|object at 0x|\bNoneType\b", said)
    assert not re.search(r"[a-z]{3}\. [A-Z]", said), said


# ---- spellings


def test_b37_gpt2_with_and_without_its_prefix_buffers_and_head(tmp_path: Path) -> None:
    tensors = tiny.gpt2_tensors()
    bare = {name.removeprefix("transformer."): x for name, x in tensors.items()}
    buffers = {f"h.{i}.attn.bias": torch.ones(1, 1, 16, 16).tril().bool() for i in range(2)}
    buffers |= {f"h.{i}.attn.masked_bias": torch.tensor(-1e4) for i in range(2)}
    right = logits(tiny.folder(tmp_path / "a", tiny.GPT2, tensors))
    assert torch.equal(logits(tiny.folder(tmp_path / "b", tiny.GPT2, bare)), right)
    assert torch.equal(logits(tiny.folder(tmp_path / "c", tiny.GPT2, bare | buffers)), right)
    prefixed = {f"transformer.{name}": x for name, x in buffers.items()}
    head = {"lm_head.weight": tensors["transformer.wte.weight"].clone()}
    assert torch.equal(logits(tiny.folder(tmp_path / "d", tiny.GPT2, tensors | prefixed | head)), right)
    minimal = {k: v for k, v in tiny.GPT2.items()} | {"n_ctx": 16}
    assert torch.equal(logits(tiny.folder(tmp_path / "e", minimal, bare)), right)


def test_an_untied_head_is_read_and_needed(tmp_path: Path) -> None:
    tensors, head = tiny.gpt2_tensors(), {"lm_head.weight": torch.randn(24, 16)}
    one = logits(tiny.folder(tmp_path / "a", tiny.GPT2, tensors | head, tie_word_embeddings=False))
    run = core.load(tmp_path / "a").run(ids=tiny.IDS)
    assert torch.allclose(one, run["decoder.final"] @ head["lm_head.weight"].T, atol=1e-5)
    refused(tiny.folder(tmp_path / "b", tiny.GPT2, tensors, tie_word_embeddings=False), "lm_head.weight")


def test_b50_with_tied_embeddings_a_stored_head_is_not_used(tmp_path: Path) -> None:
    tensors = tiny.llama_tensors()
    run = core.load(tiny.folder(tmp_path, tiny.LLAMA, tensors, tie_word_embeddings=True)).run(ids=tiny.IDS)
    table = tensors["model.embed_tokens.weight"]
    assert torch.allclose(run.logits, run["decoder.final"] @ table.T, atol=1e-5)


def test_a_tied_head_is_the_embedding_table_also_after_loading(tmp_path: Path) -> None:
    network = core.load(tiny.folder(tmp_path)).network
    assert network.head.weight is network.decoder.embed.token.weight


def test_llama_without_its_prefix_and_with_stored_frequencies(tmp_path: Path) -> None:
    tensors = tiny.llama_tensors()
    bare = {name.removeprefix("model."): x for name, x in tensors.items()}
    bare["layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(4)
    right = logits(tiny.folder(tmp_path / "a", tiny.LLAMA, tensors))
    assert torch.equal(logits(tiny.folder(tmp_path / "b", tiny.LLAMA, bare)), right)


@pytest.mark.parametrize("absent", [True, False])
def test_b48_without_a_number_of_key_heads_each_query_head_has_its_own(tmp_path: Path, absent: bool) -> None:
    config = {name: value for name, value in tiny.LLAMA.items() if name != "num_key_value_heads"}
    config |= {} if absent else {"num_key_value_heads": None}
    tensors = tiny.llama_tensors()
    for i in range(2):
        for name in "kv":
            tensors[f"model.layers.{i}.self_attn.{name}_proj.weight"] = torch.randn(32, 32)
    model = core.load(tiny.folder(tmp_path, config, tensors))
    assert model.config.n_kv_heads == 4
    assert model.run(ids=tiny.IDS)["decoder.0.attn.k"].shape == (4, 6, 8)


def test_rope_theta_in_either_spelling_and_scaling_refused(tmp_path: Path) -> None:
    right = logits(tiny.folder(tmp_path / "a", tiny.LLAMA, rope_theta=50.0))
    new = {"rope_type": "default", "rope_theta": 50.0}
    assert torch.equal(logits(tiny.folder(tmp_path / "b", tiny.LLAMA, rope_parameters=new)), right)
    assert not torch.equal(logits(tiny.folder(tmp_path / "c", tiny.LLAMA)), right)
    assert torch.equal(logits(tiny.folder(tmp_path / "d", tiny.LLAMA, rope_theta=50.0, rope_scaling=None)), right)
    for name, kind in (("rope_scaling", "type"), ("rope_scaling", "rope_type"), ("rope_parameters", "rope_type")):
        folder = tiny.folder(tmp_path / name / kind, tiny.LLAMA, **{name: {kind: "llama3", "factor": 8.0}})
        refused(folder, name, "llama3")


def shards(folder: Path, files: dict[str, dict[str, Tensor]], weight_map: Any = None) -> Path:
    (folder / "model.safetensors").unlink()
    for name, tensors in files.items():
        save_file(tensors, folder / name)
    if weight_map is None:
        weight_map = {name: file for file, tensors in files.items() for name in tensors}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder


def halves(seed: int = 0) -> dict[str, dict[str, Tensor]]:
    tensors = list(tiny.llama_tensors(seed).items())
    return {f"model-0000{i}-of-00002.safetensors": dict(part) for i, part in ((1, tensors[:11]), (2, tensors[11:]))}


def test_b54_shards_give_the_same_and_stray_files_are_not_merged_in(tmp_path: Path) -> None:
    right = logits(tiny.folder(tmp_path / "a", tiny.LLAMA))
    folder = shards(tiny.folder(tmp_path / "b", tiny.LLAMA), halves())
    assert torch.equal(logits(folder), right)
    save_file(tiny.llama_tensors(seed=9), folder / "extra.safetensors")
    save_file({"model.norm.weight": torch.zeros(32)}, folder / "model-00003-of-00003.safetensors")
    assert torch.equal(logits(folder), right)


def test_b54_a_missing_shard_is_named_with_how_many_tensors_it_holds(tmp_path: Path) -> None:
    folder = shards(tiny.folder(tmp_path, tiny.LLAMA), halves())
    (folder / "model-00002-of-00002.safetensors").unlink()
    refused(folder, "model-00002-of-00002.safetensors", str(len(tiny.llama_tensors()) - 11), "missing")


def test_a_tensor_that_the_index_knows_and_no_shard_holds_is_named(tmp_path: Path) -> None:
    files = halves()
    folder = shards(tiny.folder(tmp_path, tiny.LLAMA), files)
    save_file({"other": torch.zeros(1)}, folder / "model-00002-of-00002.safetensors")
    refused(folder, "lack")


@pytest.mark.parametrize("name", ["../outside.safetensors", "sub/inside.safetensors", "..", ".", ""])
def test_a_shard_outside_the_folder_is_never_opened(tmp_path: Path, name: str) -> None:
    tensors = tiny.llama_tensors()
    save_file(tensors, tmp_path / "outside.safetensors")
    folder = tiny.folder(tmp_path / "m", tiny.LLAMA)
    (folder / "sub").mkdir()
    save_file(tensors, folder / "sub" / "inside.safetensors")
    refused(shards(folder, {}, {key: name for key in tensors}), "missing")


def test_a_shard_with_an_absolute_path_is_never_opened(tmp_path: Path) -> None:
    tensors = tiny.llama_tensors()
    save_file(tensors, tmp_path / "outside.safetensors")
    where = {key: str(tmp_path / "outside.safetensors") for key in tensors}
    refused(shards(tiny.folder(tmp_path / "m", tiny.LLAMA), {}, where), "missing")


def test_files_may_be_links_as_in_the_cache_of_the_hub(tmp_path: Path) -> None:
    real = shards(tiny.folder(tmp_path / "blobs", tiny.LLAMA), halves())
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    for path in real.iterdir():
        (snapshot / path.name).symlink_to(path)
    assert torch.equal(logits(snapshot), logits(real))
    (snapshot / "model-00001-of-00002.safetensors").unlink()
    (snapshot / "model-00001-of-00002.safetensors").symlink_to(tmp_path / "nowhere")
    refused(snapshot, "model-00001-of-00002.safetensors")


@pytest.mark.parametrize("weight_map", [{}, [], "x", 5, None, {"model.norm.weight": 5}, {"model.norm.weight": None}])
def test_an_index_that_makes_no_sense_is_refused(tmp_path: Path, weight_map: Any) -> None:
    folder = shards(tiny.folder(tmp_path, tiny.LLAMA), {}, weight_map)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    refused(folder)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_b56_other_floats_are_computed_in_float32_from_the_rounded_weights(tmp_path: Path, dtype: torch.dtype) -> None:
    rounded = {name: x.to(dtype) for name, x in tiny.llama_tensors().items()}
    model = core.load(tiny.folder(tmp_path / "a", tiny.LLAMA, rounded, dtype=str(dtype)))
    assert {p.dtype for p in model.network.parameters()} == {torch.float32}
    back = {name: x.float() for name, x in rounded.items()}
    assert torch.equal(model.run(ids=tiny.IDS).logits, logits(tiny.folder(tmp_path / "b", tiny.LLAMA, back)))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int64, torch.bool])
def test_weights_that_are_whole_numbers_are_refused(tmp_path: Path, dtype: torch.dtype) -> None:
    tensors = tiny.llama_tensors()
    tensors["model.layers.1.mlp.up_proj.weight"] = tensors["model.layers.1.mlp.up_proj.weight"].to(dtype)
    refused(tiny.folder(tmp_path, tiny.LLAMA, tensors), "model.layers.1.mlp.up_proj.weight", "floating point")


# ---- refusals


@pytest.mark.parametrize("method", [{"quant_method": "gptq", "bits": 4}, {"quant_method": "awq"}, {}, "gptq", [1]])
def test_b57_quantised_weights(tmp_path: Path, method: Any) -> None:
    said = refused(tiny.folder(tmp_path, tiny.LLAMA, quantization_config=method), "quantised", "float32")
    if isinstance(method, dict) and method:
        assert method["quant_method"] in said


def test_a_null_quantisation_is_none(tmp_path: Path) -> None:
    assert logits(tiny.folder(tmp_path, tiny.LLAMA, quantization_config=None)).isfinite().all()


@pytest.mark.parametrize("kind", ["mamba", "GPT2", None, 5, ["gpt2"], {"gpt2": 1}])
def test_b57_an_unknown_model_type_says_what_is_supported(tmp_path: Path, kind: Any) -> None:
    refused(tiny.folder(tmp_path, model_type=kind), "gpt2", "llama")


@pytest.mark.parametrize("text", ["{", "", "[]", "5", "null", '"x"', "\x00", "{'a': 1}", "[" * 100_000])
def test_b57_a_broken_config_json(tmp_path: Path, text: str) -> None:
    folder = tiny.folder(tmp_path)
    (folder / "config.json").write_text(text)
    refused(folder, "config.json")


@pytest.mark.parametrize("name", ["generation_config.json", "config.json"])
def test_a_json_that_is_no_text_is_refused(tmp_path: Path, name: str) -> None:
    folder = tiny.folder(tmp_path)
    (folder / name).write_bytes(b"\xff\xfe{}")
    refused(folder, name)


@pytest.mark.parametrize("size", [(8, 32), (16, 31), (16,), (), (16, 32, 1), (32, 16)])
@pytest.mark.parametrize("layer", [0, 1])
def test_b57_a_wrong_shape_names_the_tensor_and_both_sizes(tmp_path: Path, size: tuple[int, ...], layer: int) -> None:
    name = f"model.layers.{layer}.self_attn.k_proj.weight"
    folder = tiny.folder(tmp_path, tiny.LLAMA, tiny.llama_tensors() | {name: torch.zeros(size)})
    refused(folder, name, str(size), "(16, 32)")


@pytest.mark.parametrize(
    ("name", "size", "right"),
    [
        ("transformer.h.1.mlp.c_fc.weight", (20, 16), "(16, 20)"),
        ("transformer.h.0.attn.c_attn.bias", (47,), "(48,)"),
        ("transformer.wpe.weight", (17, 16), "(16, 16)"),
        ("transformer.wte.weight", (23, 16), "(24, 16)"),
        ("transformer.ln_f.weight", (), "(16,)"),
        ("transformer.h.0.attn.c_proj.weight", (16,), "(16, 16)"),
    ],
)
def test_b57_a_wrong_shape_of_gpt2_is_said_as_it_is_stored(tmp_path: Path, name: str, size: Any, right: str) -> None:
    folder = tiny.folder(tmp_path, tiny.GPT2, tiny.gpt2_tensors() | {name: torch.zeros(size)})
    refused(folder, name, str(size), right)


def test_b57_a_config_larger_than_its_weights_is_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    refused(tiny.folder(tmp_path / "a", tiny.LLAMA, vocab_size=10**9), "model.embed_tokens.weight")
    refused(tiny.folder(tmp_path / "b", tiny.LLAMA, intermediate_size=10**9), "mlp.gate_proj.weight")
    refused(tiny.folder(tmp_path / "c", tiny.LLAMA, num_hidden_layers=10**9))
    refused(tiny.folder(tmp_path / "d", tiny.GPT2, n_positions=10**9), "wpe.weight")


@pytest.mark.parametrize(
    ("base", "changes", "numbers"),
    [
        (tiny.LLAMA, {"num_attention_heads": 3}, ("32", "3")),
        (tiny.LLAMA, {"num_key_value_heads": 3}, ("4", "3")),
        (tiny.LLAMA, {"num_attention_heads": 0}, ("num_attention_heads", "0")),
        (tiny.GPT2, {"n_head": 3}, ("16", "3")),
    ],
)
def test_b48_heads_that_do_not_divide_say_both(tmp_path: Path, base: Any, changes: Any, numbers: Any) -> None:
    refused(tiny.folder(tmp_path, base, **changes), *numbers)


def test_x_llama_badheads_with_a_head_dim_says_both_numbers(tmp_path: Path) -> None:
    refused(tiny.folder(tmp_path, tiny.LLAMA, num_attention_heads=3, head_dim=8), "3 query heads", "2 key/value heads")


@pytest.mark.parametrize("name", ["sliding_window", "attn_logit_softcapping", "n_experts", "use_parallel_residual"])
def test_an_unknown_field_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    for base in (tiny.GPT2, tiny.LLAMA):
        refused(tiny.folder(tmp_path / base["model_type"], base, **{name: 3}), name, base["model_type"])


@pytest.mark.parametrize(
    ("base", "name", "value"),
    [
        (tiny.GPT2, "scale_attn_weights", False),
        (tiny.GPT2, "scale_attn_by_inverse_layer_idx", True),
        (tiny.GPT2, "add_cross_attention", True),
        (tiny.GPT2, "activation_function", "swish"),
        (tiny.GPT2, "activation_function", "quick_gelu"),
        (tiny.LLAMA, "hidden_act", "gelu"),
        (tiny.LLAMA, "pretraining_tp", 2),
    ],
)
def test_b39_a_setting_that_would_change_numbers_is_refused(tmp_path: Path, base: Any, name: str, value: Any) -> None:
    refused(tiny.folder(tmp_path, base, **{name: value}), name, repr(value))


@pytest.mark.parametrize("name", ["n_embd", "n_layer", "n_head", "vocab_size"])
def test_a_missing_size_is_named(tmp_path: Path, name: str) -> None:
    settings = {key: value for key, value in tiny.GPT2.items() if key != name}
    refused(tiny.folder(tmp_path, settings), name)


def test_missing_and_left_over_tensors_are_named(tmp_path: Path) -> None:
    tensors = tiny.llama_tensors()
    gone = {name: x for name, x in tensors.items() if "layers.1.mlp" not in name}
    refused(tiny.folder(tmp_path / "a", tiny.LLAMA, gone), "lack", "model.layers.1.mlp.down_proj.weight")
    more = tensors | {"model.layers.2.input_layernorm.weight": torch.zeros(32)}
    refused(tiny.folder(tmp_path / "b", tiny.LLAMA, more), "model.layers.2.input_layernorm.weight")
    bias = tensors | {"model.layers.0.self_attn.q_proj.bias": torch.zeros(32)}
    refused(tiny.folder(tmp_path / "c", tiny.LLAMA, bias), "q_proj.bias")


def test_a_tensor_stored_under_both_of_its_names_is_refused(tmp_path: Path) -> None:
    tensors = tiny.gpt2_tensors() | {"wte.weight": torch.zeros(24, 16)}
    refused(tiny.folder(tmp_path, tiny.GPT2, tensors), "transformer.wte.weight")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_b36_a_weight_that_is_no_number_is_named(tmp_path: Path, bad: float, family: str) -> None:
    """x_llama_nan: one weight. The first tensor in question is named, and nothing is offered."""
    tensors = tiny.TENSORS[family](0)
    name = [n for n in tensors if n.endswith("proj.weight")][-1]
    tensors[name][1, 2] = bad
    refused(tiny.folder(tmp_path, getattr(tiny, family.upper()), tensors), name, "not finite")


def test_b36_weights_too_large_are_named_by_the_first_place_that_breaks(tmp_path: Path) -> None:
    tensors = tiny.llama_tensors()
    tensors["model.layers.1.mlp.up_proj.weight"] *= 1e38
    model = core.load(tiny.folder(tmp_path, tiny.LLAMA, tensors))
    for call in (model.run, lambda **inputs: next(model.generate(**inputs))):
        with pytest.raises(GlassformerError, match=r"^The model computed .* first in 'decoder\.1\.ffn\.pre'\.$"):
            call(ids=tiny.IDS, keep=[])


def test_b80_a_pickle_is_never_opened(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(tmp_path / "PWNED_by_pickle"),))

    folder = tiny.folder(tmp_path / "m", tiny.LLAMA)
    (folder / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.pt", "model.safetensors.bin"):
        (folder / name).write_bytes(pickle.dumps(Evil()))
    refused(folder, "only safetensors", "pytorch_model.bin")
    (folder / "model.safetensors").write_bytes(pickle.dumps(Evil()))
    refused(folder, "model.safetensors")
    assert not (tmp_path / "PWNED_by_pickle").exists()


def test_b81_custom_code_is_never_imported(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path / "m", tiny.LLAMA)
    code = f"import os; os.mkdir({str(tmp_path / 'PWNED_by_model')!r})"
    for name in ("modeling_evil.py", "configuration_evil.py", "sitecustomize.py", "custom_generate.py"):
        (folder / name).write_text(code)
    path, modules = list(sys.path), set(sys.modules)
    assert logits(folder).isfinite().all()
    for where in ({"AutoModel": "modeling_evil.EvilModel"}, {"AutoConfig": "configuration_evil.X"}):
        said = refused(tiny.folder(folder, tiny.LLAMA, auto_map=where, model_type="custom"), "custom code")
        assert "not supported" in said
        refused(tiny.folder(folder, tiny.LLAMA, auto_map=where), "custom code")
    assert sys.path == path
    assert not [name for name in set(sys.modules) - modules if "evil" in name]
    assert not (tmp_path / "PWNED_by_model").exists()


def test_a_cut_file_of_weights_is_refused_by_name(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path)
    whole = (folder / "model.safetensors").read_bytes()
    for n in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (folder / "model.safetensors").write_bytes(whole[:n])
        refused(folder, "model.safetensors")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_each_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = tiny.folder(tmp_path)
    (folder / name).unlink()
    refused(folder, name, "missing")
    (folder / name).mkdir()
    refused(folder, name)


def test_b13_an_unreadable_tokenizer_names_the_file(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path)
    (folder / "tokenizer.json").write_text('{"version": "1.0", "model": {"type": "BPE2", "vocab": {}}}')
    refused(folder, "tokenizer.json", "tokenizers")


def test_b12_a_tokenizer_larger_than_the_table_works_for_what_fits(tmp_path: Path) -> None:
    model = core.load(tiny.folder(tmp_path, vocabulary=tiny.words(30)))
    assert model.run("t5 t23").logits.shape == (2, 24)
    with pytest.raises(core.GlassformerError, match=r"'t27' has id 27, but .* 24 rows"):
        model.run("t27")


def test_a_smaller_tokenizer_shows_the_other_ids_by_number(tmp_path: Path) -> None:
    model = core.load(tiny.folder(tmp_path, vocabulary=tiny.words(4)))
    assert [t.text for t in model.run(ids=[1, 20]).tokens] == ["t1", "#20"]


# ---- every field, every wrong value

NUMBERS = [0, 1, -1, 2, 3, 10**9, 10**12, 10**40, 1.5, -0.5, 1e400, float("nan")]
OTHERS = [None, True, False, "", "x", "16", [], [1], [None], {}, {"a": 1}, {"rope_theta": "x"}, {"rope_type": [1]}]
FIELDS = {
    "gpt2": (*tiny.GPT2, "activation_function", "layer_norm_epsilon", "tie_word_embeddings", "eos_token_id", "n_ctx"),
    "llama": (*tiny.LLAMA, "head_dim", "hidden_act", "rms_norm_eps", "rope_theta", "rope_parameters", "rope_scaling"),
}
FIELDS |= {"bert": (*tiny.BERT, "hidden_act", "layer_norm_eps", "position_embedding_type", "tie_word_embeddings")}
FIELDS |= {"distilbert": (*tiny.DISTILBERT, "activation", "sinusoidal_pos_embds", "tie_word_embeddings", "id2label")}
FIELDS |= {"t5": (*tiny.T5, "feed_forward_proj", "scale_decoder_outputs", "tie_word_embeddings", "num_decoder_layers")}
FIELDS |= {"glassformer": tuple(tiny.GLASSFORMER)}
FIELDS["gpt2"] += ("scale_attn_weights", "quantization_config", "auto_map")
FIELDS["llama"] += ("attention_bias", "mlp_bias", "tie_word_embeddings", "eos_token_id", "pretraining_tp")


@pytest.mark.parametrize("family", list(FIELDS))
@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_property_any_value_in_any_field_loads_or_is_refused_in_a_sentence(
    family: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tiny.folder(tmp_path_factory.mktemp("m"), getattr(tiny, family.upper()))
    config = json.loads((folder / "config.json").read_text())
    for name in data.draw(st.lists(st.sampled_from(FIELDS[family]), min_size=1, max_size=2, unique=True)):
        config[name] = data.draw(st.sampled_from([*NUMBERS, *OTHERS]), label=name)
    (folder / "config.json").write_text(json.dumps(config))
    try:
        model = core.load(folder)
        if model.config.kind == "encoder":
            model.run(ids=tiny.IDS)
        else:
            list(model.generate(ids=tiny.IDS, max_new_tokens=2, seed=1))
    except GlassformerError as error:
        plain(str(error))


# ---- the other way


BASES = (tiny.GPT2, tiny.LLAMA, tiny.BERT, tiny.DISTILBERT, tiny.T5, tiny.GLASSFORMER)
each = pytest.mark.parametrize("base", BASES, ids=lambda base: base["model_type"])


@each
def test_every_weight_of_ours_is_made_from_theirs_once(base: Any) -> None:
    family = FAMILIES[base["model_type"]]
    variants: list[dict[str, Any]] = [{}, {"tie_word_embeddings": False}]
    if base is tiny.BERT or base is tiny.DISTILBERT:
        prefix = base["architectures"][0].removesuffix("ForMaskedLM")
        kinds = ("Model", "ForSequenceClassification", "ForTokenClassification")
        variants += [{"architectures": [prefix + kind]} for kind in kinds]
    if base is tiny.T5:
        variants += [{"feed_forward_proj": "gated-gelu", "num_decoder_layers": 3}]
    if base is tiny.GLASSFORMER:
        variants = [{}, {"kind": "decoder"}, {"kind": "encoder", "word_head": "masked"}, {"tied": False}]
    for changes in variants:
        config = family.translate(Settings(base | changes))
        ours = [entry.ours for entry in family.table(config)]
        theirs = [name for entry in family.table(config) for name in entry.theirs]
        assert sorted(ours) == sorted(name for name, _ in tiny.network(config).named_parameters())
        assert len(set(theirs)) == len(theirs)


@each
def test_what_is_written_reads_back_the_same(base: Any, tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path, base)
    model = core.load(folder)
    right = model.run(**tiny.inputs(model.config))
    write(folder, FAMILIES[base["model_type"]], model.config, model.network)
    again = core.load(folder).run(**tiny.inputs(model.config))
    assert all(torch.allclose(again[name].float(), right[name].float(), atol=1e-5) for name in right.sites)


@each
def test_what_a_network_shares_is_one_parameter_after_loading(base: Any, tmp_path: Path) -> None:
    network = core.load(tiny.folder(tmp_path, base)).network
    fresh = tiny.network(network.config)
    one, two = (
        [[name for name, x in net.named_parameters(remove_duplicate=False) if x is y] for y in net.parameters()]
        for net in (network, fresh)
    )
    assert one == two
    fill(fresh, {name: x.detach().clone() for name, x in network.named_parameters()})
    assert len(list(fresh.parameters())) == len(list(network.parameters()))


@each
def test_a_tensor_too_few_or_too_many_is_named_in_every_family(base: Any, tmp_path: Path) -> None:
    tensors = tiny.TENSORS[base["model_type"]](0)
    for name in list(tensors)[:: max(1, len(tensors) // 6)]:
        refused(tiny.folder(tmp_path, base, {n: x for n, x in tensors.items() if n != name}), "lack", name)
    refused(tiny.folder(tmp_path, base, tensors | {"stray.weight": torch.zeros(1)}), "stray.weight")
    refused(tiny.folder(tmp_path, base, tensors, no_such_field=3), "no_such_field", base["model_type"])


@pytest.mark.parametrize(
    ("base", "name", "value"),
    [
        (tiny.BERT, "is_decoder", True),
        (tiny.BERT, "add_cross_attention", True),
        (tiny.BERT, "position_embedding_type", "relative_key"),
        (tiny.BERT, "hidden_act", "quick_gelu"),
        (tiny.BERT, "architectures", ["BertForQuestionAnswering"]),
        (tiny.DISTILBERT, "activation", "mish"),
        (tiny.DISTILBERT, "architectures", ["DistilBertForMultipleChoice"]),
        (tiny.T5, "feed_forward_proj", "gated-relu6"),
        (tiny.T5, "is_encoder_decoder", False),
        (tiny.T5, "architectures", ["T5EncoderModel"]),
        (tiny.GLASSFORMER, "kind", "vision"),
        (tiny.GLASSFORMER, "norm", "batchnorm"),
    ],
)
def test_a_setting_that_another_network_would_need_is_refused(tmp_path: Path, base: Any, name: str, value: Any) -> None:
    refused(tiny.folder(tmp_path, base, tiny.TENSORS[base["model_type"]](0), **{name: value}), name, repr(value))


@pytest.mark.parametrize(
    ("says", "own_head", "scale", "tied"),
    [
        ({}, False, True, True),  # 1.0 on the hub
        ({"tie_word_embeddings": False}, True, False, False),  # 1.1 on the hub
        ({"tie_word_embeddings": True, "scale_decoder_outputs": False}, True, False, False),  # 1.1, saved again
        ({"tie_word_embeddings": True, "scale_decoder_outputs": True}, False, True, True),
    ],
)
def test_b44_t5_divides_before_a_tied_head_and_not_before_its_own(
    tmp_path: Path, says: Any, own_head: bool, scale: bool, tied: bool
) -> None:
    tensors = tiny.TENSORS["t5"](0) | ({"lm_head.weight": torch.randn(24, 16)} if own_head else {})
    config = core.load(tiny.folder(tmp_path / "a", tiny.T5, tensors, **says)).config
    assert (config.head_scale, config.tied) == (scale, tied)
    if own_head:
        del tensors["lm_head.weight"]
    refused(tiny.folder(tmp_path / "b", tiny.T5, tensors, tie_word_embeddings=False), "lm_head.weight")


@pytest.mark.parametrize("names", [{"0": "bad", "1": "good"}, {"1": "good", "0": "bad"}])
def test_classes_have_the_names_of_the_file(tmp_path: Path, names: dict[str, str]) -> None:
    settings = tiny.BERT | {"architectures": ["BertForSequenceClassification"], "id2label": names}
    model = core.load(tiny.folder(tmp_path, settings, tiny.tensors(settings)))
    assert model.classes == ("bad", "good")
    for wrong in ({}, {"0": "a", "2": "b"}, {"x": "a"}, {"0": 1}, {"0": None}, []):
        refused(tiny.folder(tmp_path, settings | {"id2label": wrong}, tiny.tensors(settings)), "id2label")


def test_which_token_starts_a_target(tmp_path: Path) -> None:
    assert core.load(tiny.folder(tmp_path, tiny.T5)).start == 0
    (tmp_path / "generation_config.json").write_text(json.dumps({"decoder_start_token_id": 7}))
    assert core.load(tmp_path).start == 7
    (tmp_path / "generation_config.json").unlink()
    model = core.load(tiny.folder(tmp_path, tiny.T5, decoder_start_token_id=None))
    assert model.start is None
    with pytest.raises(GlassformerError, match=r"does not say which token starts a target; give target_ids"):
        model.run(ids=tiny.IDS)
    assert model.run(ids=tiny.IDS, target_ids=[3]).logits.shape == (1, 24)
    refused(tiny.folder(tmp_path, tiny.T5, decoder_start_token_id="x"), "decoder_start_token_id")


@pytest.mark.parametrize("preset", list(tiny.PRESETS), ids=lambda name: name.replace(" ", "-"))
def test_our_own_layout_holds_any_network(preset: str, tmp_path: Path) -> None:
    model = tiny.model(tiny.PRESETS[preset], seed=3)
    save(tmp_path, model.network, tiny.words(24).tokenizer, eos_token_id=[1, 2], decoder_start_token_id=0)
    again = core.load(tmp_path)
    assert (again.config, again.stop, again.family) == (model.config, (1, 2), "glassformer")
    right = model.run(**tiny.inputs(model.config))
    found = again.run(**tiny.inputs(model.config))
    for name in right.sites:  # weights lie elsewhere in memory, and a product of few rows may round another way
        assert torch.allclose(found[name].float(), right[name].float(), atol=1e-5), name


def test_a_folder_read_twice_is_two_networks(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path)
    one, two = core.load(folder), core.load(folder)
    assert one.network is not two.network
    assert read(folder).config == one.config
    assert not {p.data_ptr() for p in one.network.parameters()} & {p.data_ptr() for p in two.network.parameters()}
    with pytest.raises(CheckpointError):
        read(tmp_path / "nothing")
    assert issubclass(ConfigError, GlassformerError)
