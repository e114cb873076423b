"""A run written to a file reads back as it was."""

import csv
import json
import math
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from core import export
from core.errors import GlassformerError
from core.sites import find
from tests.core import tiny

RUN = tiny.model(tiny.PRESETS["llama gqa"], seed=1).run(ids=tiny.IDS)


def test_safetensors_hold_the_tensors_bit_for_bit(tmp_path: Path) -> None:
    export.write(RUN, tmp_path / "run.safetensors", "tiny")
    with safe_open(tmp_path / "run.safetensors", "pt") as file:
        assert set(file.keys()) == set(RUN.sites)
        for name in RUN.sites:
            assert torch.equal(file.get_tensor(name), RUN[name])
        about = {key: json.loads(value) for key, value in file.metadata().items()}
    assert about["model"] == "tiny"
    assert [token["text"] for token in about["tokens"]] == [token.text for token in RUN.tokens]
    assert about["axes"] == {name: list(find(name).axes) for name in RUN.sites}


@pytest.mark.parametrize("preset", ["two heads", "bert text", "bert tokens", "t5 1.1"])
def test_runs_of_every_kind_are_written_with_their_axes(tmp_path: Path, preset: str) -> None:
    model = tiny.model(tiny.PRESETS[preset])
    run = model.run(**tiny.inputs(model.config))
    for ending in ("safetensors", "json", "csv"):
        export.write(run, tmp_path / f"run.{ending}", "tiny")
    read = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert all(len(read["axes"][name]) == run[name].ndim for name in run.sites)
    assert [token["id"] for token in read["target_tokens"]] == [token.id for token in run.target_tokens]
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        assert sum(1 for _ in csv.reader(file)) - 1 == sum(run[name].numel() for name in run.sites)


def test_json_holds_every_number_and_null_for_minus_infinity(tmp_path: Path) -> None:
    export.write(RUN, tmp_path / "run.json", "tiny")
    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    read = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert list(read["tensors"]) == list(RUN.sites)
    masked = read["tensors"]["decoder.0.attn.masked"]
    assert masked[0][0][1] is None
    for name in RUN.sites:
        if not name.endswith("masked"):
            assert torch.equal(torch.tensor(read["tensors"][name], dtype=RUN[name].dtype), RUN[name])


def test_csv_has_one_row_a_number(tmp_path: Path) -> None:
    run = tiny.model().run(ids=[1, 2, 3], keep=["*.pattern", "*.masked"])
    export.write(run, tmp_path / "run.csv", "tiny")
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) - 1 == sum(run[name].numel() for name in run.sites)
    values = [float(row[-1]) for row in rows[1:] if row[0] == "decoder.0.attn.pattern"]
    assert torch.equal(torch.tensor(values), run["decoder.0.attn.pattern"].flatten())
    assert any(row[0] == "decoder.0.attn.masked" and (row[-1] in ("", "-inf")) for row in rows[1:])
    assert not any(row[-1] == "nan" or (row[-1] and math.isnan(float(row[-1]))) for row in rows[1:])


@pytest.mark.parametrize("name", ["run.txt", "run", "run.pt", ".json"])
def test_another_ending_is_refused_with_those_that_there_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(GlassformerError, match=r"\.safetensors, \.json, \.csv"):
        export.write(RUN, tmp_path / name, "tiny")
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("ending", ["safetensors", "json", "csv"])
def test_a_place_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path, ending: str) -> None:
    for path in (tmp_path / "nowhere" / f"run.{ending}", tmp_path / f"folder.{ending}"):
        (tmp_path / f"folder.{ending}").mkdir(exist_ok=True)
        with pytest.raises(GlassformerError, match=r"cannot be written.*\.$"):
            export.write(RUN, path, "tiny")
