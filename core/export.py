"""A run, written to a file that other tools read: every number in full precision, every axis named.

.safetensors   the tensors as they are, tokens and axes in the metadata
.json          the same, nested lists; a masked score is null, since JSON has no -inf
.csv           one row a number: site, the index along each axis, value
"""

import csv
import json
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from core.errors import GlassformerError
from core.run import Run


def write(run: Run, path: Path, model: str) -> None:
    """Write all that `run` kept to `path`; its ending chooses the format. `model` is the name that goes into the file.

    Raises `GlassformerError` for another ending, or where the file cannot be written.
    """
    if path.suffix not in FORMATS:
        raise GlassformerError(f"{path.name} ends in none of {', '.join(FORMATS)}, which are what a run is written as.")
    try:
        FORMATS[path.suffix](run, path, _about(run, model))
    except (OSError, SafetensorError):
        raise GlassformerError(f"{path} cannot be written; the folder must exist, and be open to us.") from None


def _about(run: Run, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "tokens": [asdict(token) for token in run.tokens],
        "target_tokens": [asdict(token) for token in run.target_tokens],
        "axes": {name: list(run.axes(name)) for name in run.sites},
    }


def _safetensors(run: Run, path: Path, about: dict[str, Any]) -> None:
    tensors = {name: run[name].cpu().clone(memory_format=torch.contiguous_format) for name in run.sites}
    save_file(tensors, path, metadata={key: json.dumps(value) for key, value in about.items()})


def _json(run: Run, path: Path, about: dict[str, Any]) -> None:
    tensors = {name: _finite(run[name].tolist()) for name in run.sites}
    path.write_text(json.dumps({**about, "tensors": tensors}, allow_nan=False), encoding="utf-8")


def _finite(values: Any) -> Any:
    if isinstance(values, list):
        return [_finite(value) for value in values]
    return None if values == float("-inf") else values


def _csv(run: Run, path: Path, about: dict[str, Any]) -> None:
    columns = list(dict.fromkeys(axis for axes in about["axes"].values() for axis in axes))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, ["site", *columns, "value"], restval="")
        rows.writeheader()
        for name in run.sites:
            x = run[name].cpu().double()  # Apple's GPU has no float64
            places = product(*map(range, x.shape))
            for place, value in zip(places, x.flatten().tolist(), strict=True):
                rows.writerow({"site": name, **dict(zip(about["axes"][name], place, strict=True)), "value": value})


FORMATS: dict[str, Callable[[Run, Path, dict[str, Any]], None]] = {
    ".safetensors": _safetensors,
    ".json": _json,
    ".csv": _csv,
}
