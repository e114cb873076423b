"""The browser's copy of app/mask.py reads and writes the same masks."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import app.components
from app import mask

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: masks.js is not run here")
SCRIPT = (Path(app.components.__file__).parent / "grid/masks.js").read_text(encoding="utf-8")
ASK = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const both = ([mask, n]) => { const cells = cellsOf(mask, n); return [[...cells], drawn(cells, n)]; };
console.log(JSON.stringify(cases.map(both)));
"""


def test_cells_and_text_agree() -> None:
    numbers = np.random.default_rng(3)
    cases = []
    for n in (1, 2, 3, 4, 5, 8, 13, 23, 24):
        rows = numbers.random((n, n)) < 0.6
        seen = [bool(each) for each in numbers.random(n) < 0.6]
        made = ("none", "causal", mask.drawn(rows), mask.padding("pad", seen), mask.padding("both", seen))
        cases += [(text, n) for text in made]
    done = subprocess.run(
        ["node", "-e", SCRIPT + ASK], input=json.dumps(cases), capture_output=True, check=True, text=True
    )
    for (text, n), (cells, again) in zip(cases, json.loads(done.stdout), strict=True):
        wanted = mask.matrix(text, n)
        assert cells == wanted.flatten().astype(int).tolist(), text
        assert again == mask.drawn(wanted), text


def test_a_click_on_a_token_of_a_padding_hides_it() -> None:
    ask = 'console.log(withKey("both:0111", 2), withKey("pad:0", 0), isPadding("hand:8"));'
    done = subprocess.run(["node", "-e", SCRIPT + ask], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["both:0101", "pad:1", "false"]
