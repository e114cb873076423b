"""What can be loaded by name, by path, and what a wrong one is told."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import core
from core import library
from core.device import pick
from core.errors import CheckpointError, GlassformerError
from core.model import Model
from tests.core import tiny


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An assets folder with two models in it, and something else."""
    for name in ("zebra", "aardvark"):
        tiny.folder(tmp_path / "models" / name)
    (tmp_path / "models" / "unfinished").mkdir()
    (tmp_path / "models" / "note.txt").write_text("")
    monkeypatch.setattr(library, "assets", lambda: tmp_path)
    return tmp_path


def test_models_are_the_folders_with_a_config(shipped: Path) -> None:
    assert core.models() == ("aardvark", "zebra")


def test_a_name_and_a_path_open_the_same(shipped: Path) -> None:
    by_name, by_path = core.load("zebra"), core.load(shipped / "models" / "zebra")
    assert by_name.name == by_path.name == "zebra"
    assert by_name.family == "gpt2"
    assert torch.equal(by_name.run(ids=tiny.IDS).logits, by_path.run(ids=tiny.IDS).logits)
    assert core.load(str(shipped / "models" / "zebra")).config == by_name.config


def test_a_name_comes_before_a_folder_of_that_name(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shipped / "zebra").mkdir()
    monkeypatch.chdir(shipped)
    assert core.load("zebra").name == "zebra"


@pytest.mark.parametrize(
    "name",
    ["", "nothing", "../../", "\0", "x" * 5000, "/etc/passwd", "unfinished/../nothing", "~/.ssh", "zebra\n", "🙂"],
)
def test_b82_what_is_no_model_gets_one_sentence_with_what_there_is(
    shipped: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shipped)
    with pytest.raises(
        CheckpointError, match=r"(?s)^(There is no model .*; give a folder|config\.json is missing).*\.$"
    ):
        core.load(name)


def test_b82_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CheckpointError, match="There is no model"):
        core.load(tmp_path / "pipe")
    folder = tiny.folder(tmp_path / "m")
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (folder / name).rename(folder / "kept")
        os.mkfifo(folder / name)
        with pytest.raises(CheckpointError):
            core.load(folder)
        (folder / name).unlink()
        (folder / "kept").rename(folder / name)
    assert core.load(folder).name == "m"


def test_a_model_is_known_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny.folder(tmp_path / "mine"))
    assert core.load(".").name == "mine"


def test_every_model_that_ships_opens_and_runs() -> None:
    for name in core.models():
        model = core.load(name)
        assert model.run("The cat sat because it was tired").logits.isfinite().all()
        assert model.run("猫 🙂\n").logits.isfinite().all()


# ---- devices


@pytest.mark.parametrize("name", ["gpu", "tpu", "cuda:x", "meta", "CPU", "cpu:1:2", " ", "\0"])
def test_an_unknown_device_is_refused_by_name(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny.folder(tmp_path)
    with pytest.raises(GlassformerError, match=r"^(There is no device|The device) .*\.$"):
        core.load(folder, device=name)
    if "\0" not in name:
        monkeypatch.setenv("GLASSFORMER_DEVICE", name)
        with pytest.raises(GlassformerError, match=r"^(There is no device|The device) .*\.$"):
            core.load(folder)


@pytest.mark.parametrize("name", ["cuda", "cuda:3", "mps"])
def test_a_device_that_is_not_here_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(
        GlassformerError, match=rf"^The device '{name}' was asked for, but torch finds none here; .*\.$"
    ):
        core.load(tiny.folder(tmp_path), device=name)


def test_the_best_device_comes_first_and_the_setting_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLASSFORMER_DEVICE")
    monkeypatch.setattr(torch, "empty", lambda *size, device: None)
    for cuda, mps, right in ((True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=cuda: there)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda there=mps: there)
        assert pick().type == right
        assert pick("cpu").type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("GLASSFORMER_DEVICE", "cpu")
    assert pick().type == "cpu"
    assert pick("cuda").type == "cuda"


@pytest.mark.parametrize("threads", ["0", "-1", "x", "1.5", " 2"])
def test_threads_that_are_no_number_are_refused(threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_THREADS", threads)
    with pytest.raises(
        GlassformerError, match=r"^GLASSFORMER_THREADS is .*; it must be a whole number of at least 1\.$"
    ):
        core.load(tiny.folder(tmp_path))


def test_threads_are_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    monkeypatch.setenv("GLASSFORMER_THREADS", "3")
    core.load(tiny.folder(tmp_path))
    assert asked == [3]


# ---- what is loaded


def test_fused_is_opt_in(tmp_path: Path) -> None:
    folder = tiny.folder(tmp_path, tiny.LLAMA)
    plain, fused = core.load(folder).run(ids=tiny.IDS), core.load(folder, fused=True).run(ids=tiny.IDS)
    assert "decoder.0.attn.pattern" in plain
    assert "decoder.0.attn.pattern" not in fused
    assert (plain.logits - fused.logits).abs().max() < 1e-5
    with pytest.raises(GlassformerError, match=r"^'decoder\.0\.attn\.pattern' .*fused"):
        fused["decoder.0.attn.pattern"]


def test_a_loaded_network_is_in_eval_and_on_its_device(tmp_path: Path) -> None:
    model = core.load(tiny.folder(tmp_path))
    assert not any(module.training for module in model.network.modules())
    assert model.device == torch.device("cpu")
    assert {x.device for x in model.network.state_dict().values()} == {torch.device("cpu")}


@pytest.mark.parametrize("inputs", [{"target": "x"}, {"target_ids": [1]}, {"segments": [0, 0]}])
def test_inputs_of_other_kinds_of_model_are_refused_by_name(inputs: dict[str, Any]) -> None:
    for call in (tiny.model().run, tiny.model().generate):
        with pytest.raises(GlassformerError, match=rf"^tiny is a decoder: .* {next(iter(inputs))}\.$"):
            call("t1 t2", **inputs)


@pytest.mark.parametrize(
    ("preset", "inputs"),
    [
        ("bert", {"target": "x"}),
        ("bert", {"target_ids": [1]}),
        ("distilbert", {"segments": [0, 0]}),
        ("t5 1.0", {"segments": [0, 0]}),
        ("t5 1.0", {"pair": "x"}),
        ("gpt2", {"pair": "x"}),
    ],
)
def test_each_kind_of_network_refuses_by_name_what_it_does_not_read(preset: str, inputs: dict[str, Any]) -> None:
    kinds = {"decoder": "a decoder", "encoder": "an encoder", "seq2seq": "an encoder-decoder"}
    model = tiny.model(tiny.PRESETS[preset])
    with pytest.raises(
        GlassformerError, match=rf"^tiny is {kinds[model.config.kind]}: .* has no {next(iter(inputs))}\.$"
    ):
        model.run("t1 t2", **inputs)


@pytest.mark.parametrize("wrong", [[0], [0, 0, 0], [0, 2], [-1, 0], []])
def test_segments_of_another_number_or_sentence_are_refused(wrong: list[int]) -> None:
    with pytest.raises(GlassformerError, match=r"^Segments are one number from 0 to 1 for each token; 2 are needed\.$"):
        tiny.model(tiny.PRESETS["bert"]).run(ids=[1, 2], segments=wrong)


def test_b15_a_pair_of_sentences_has_its_segments_from_the_tokenizer() -> None:
    pieces = tiny.wordpiece()
    shape = {"vocab_size": pieces.size, "context": 16}
    bert = Model("m", "m", tiny.network(replace(tiny.PRESETS["bert"], **shape)), pieces, ())
    run = bert.run("the cat", pair="hello")
    assert [t.text for t in run.tokens] == ["[CLS]", "the", "cat", "[SEP]", "hello", "[SEP]"]
    assert run.segments == (0, 0, 0, 0, 1, 1)
    assert [(t.start, t.end) for t in run.tokens] == [(0, 0), (0, 3), (4, 7), (0, 0), (0, 5), (0, 0)]
    told = bert.run(ids=[t.id for t in run.tokens], segments=run.segments)
    assert torch.equal(told.logits, run.logits)
    assert not torch.allclose(bert.run(ids=[t.id for t in run.tokens]).logits, run.logits, atol=1e-3)
    assert torch.equal(
        bert.run("the cat", segments=[0, 1, 1, 0]).logits, bert.run(ids=[2, 5, 8, 3], segments=[0, 1, 1, 0]).logits
    )
    distil = Model("m", "m", tiny.network(replace(tiny.PRESETS["distilbert"], **shape)), pieces, ())
    assert len(distil.run("the cat", pair="hello").tokens) == 6
    assert distil.run("the cat", pair="hello").segments == ()
    with pytest.raises(GlassformerError, match=r"^A pair is two texts; give the first one too\.$"):
        bert.run(ids=[1], pair="hello")


def test_a_target_is_a_text_or_ids() -> None:
    with pytest.raises(GlassformerError, match=r"^Give a target or target ids: one of the two\.$"):
        tiny.model(tiny.PRESETS["t5 1.0"]).run("t1", target="t2", target_ids=[0])
    with pytest.raises(GlassformerError, match="table has 24 rows"):
        tiny.model(tiny.PRESETS["t5 1.0"]).run("t1", target_ids=[0, 24])


def test_a_text_or_ids_one_of_the_two() -> None:
    for inputs in ({}, {"text": "t1", "ids": [1]}):
        with pytest.raises(GlassformerError, match=r"^Give a text or token ids: one of the two\.$"):
            tiny.model().run(**inputs)


@pytest.mark.parametrize("ids", [(1, 2), [1, 2], torch.tensor([1, 2]), range(1, 3)])
def test_ids_may_come_as_any_row_of_whole_numbers(ids: Any) -> None:
    assert torch.equal(tiny.model().run(ids=ids).logits, tiny.model().run("t1 t2").logits)


@pytest.mark.parametrize(
    "mask",
    [
        [1],
        [1, 1, 1],
        [1, 2],
        [0.5, 1],
        [[1, 1]],
        [[1, 1], [1]],
        [[[1]]],
        "11",
        [None, 1],
        1,
        [[1, 1], [1, 3]],
        ["1", "0"],
    ],
)
def test_a_mask_of_another_size_or_kind_is_refused(mask: Any) -> None:
    with pytest.raises(GlassformerError, match=r"^The mask .*\.$"):
        tiny.model().run(ids=[1, 2], mask=mask)


@pytest.mark.parametrize("mask", [[1, 0], [True, False], (1.0, 0.0), torch.tensor([1, 0])])
def test_a_mask_may_be_written_in_many_ways(mask: Any) -> None:
    assert torch.equal(tiny.model().run(ids=[1, 2], mask=mask).logits, tiny.model().run(ids=[1, 2], mask=[1, 0]).logits)


@pytest.mark.parametrize("preset", ["gpt2", "one layer", "one head", "all one", "llama mqa"])
def test_one_token_is_a_text(preset: str) -> None:
    run = tiny.model(tiny.PRESETS[preset]).run(ids=[3])
    assert (run["decoder.0.attn.pattern"] == 1).all()
