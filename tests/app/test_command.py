"""The command: a run written to a file is the run, and what cannot be done is said in a sentence."""

import csv
import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from safetensors.torch import load_file

import core
from app.command import main

TEXT = "The cat sat"


def trace(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["trace", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_safetensors_hold_every_tensor_bit_for_bit(tmp_path: Path) -> None:
    out = tmp_path / "run.safetensors"
    assert trace(TEXT, "--out", str(out))[0] == 0
    run, found = core.load("storyteller").run(TEXT), load_file(out)
    assert set(found) == set(run.sites)
    assert all(torch.equal(found[name], run[name]) for name in run.sites)


def test_json_and_csv_hold_the_same_numbers(tmp_path: Path) -> None:
    run = core.load("storyteller").run(TEXT)
    name = "decoder.1.attn.masked"
    for ending in (".json", ".csv"):
        assert trace(TEXT, "--keep", "*.masked", "--out", str(tmp_path / f"run{ending}"))[0] == 0
    found = json.loads((tmp_path / "run.json").read_text())
    assert found["axes"][name] == ["head", "query", "key"]
    assert [token["text"] for token in found["tokens"]] == [token.text for token in run.tokens]
    assert found["tensors"][name][0][0][1] is None  # masked
    with (tmp_path / "run.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["site"] == name]
    assert len(rows) == run[name].numel()
    for row in rows:
        place = tuple(int(row[axis]) for axis in ("head", "query", "key"))
        value = run[name][place].item()
        assert float(row["value"]) == value
        nested = found["tensors"][name][place[0]][place[1]][place[2]]
        assert value == (float("-inf") if nested is None else nested)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["", "--out", "x.json"], "no text"),
        ([TEXT, "--out", "x.txt"], ".safetensors, .json, .csv"),
        ([TEXT, "--out", "/nowhere/x.json"], "cannot be written"),
        ([TEXT, "--model", "nope", "--out", "x.json"], "no model 'nope'"),
        ([TEXT, "--keep", "*.patern", "--out", "x.json"], "matches no tensor"),
        ([TEXT, "--device", "toaster", "--out", "x.json"], "no device 'toaster'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: list[str], hint: str) -> None:
    code, output = trace(*arguments)
    assert code == 1
    assert output.startswith("Error: ")
    assert output.count("\n") == 1
    assert hint in output


def test_a_model_that_is_none_stops_the_app_before_it_starts() -> None:
    result = CliRunner().invoke(main, ["--model", "/nowhere"])
    assert result.exit_code == 1
    assert "no model" in result.output
