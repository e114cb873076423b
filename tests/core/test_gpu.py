"""`tests/gpu.py` is for a machine with a GPU; elsewhere it says that there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests import gpu

SCRIPT = Path(gpu.__file__)


def test_without_a_gpu_the_script_says_so_and_ends_well() -> None:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "There is no GPU here: nothing was checked.\n"


@pytest.mark.parametrize("check", [gpu.silent_equals_taped, gpu.cached_equals_uncached, gpu.threads])
def test_its_checks_hold_on_the_cpu(check: object) -> None:
    assert callable(check)
    assert check(torch.device("cpu"))


def test_its_measure_of_distance_tells_numbers_apart() -> None:
    one = torch.tensor([1.0, -torch.inf])
    assert gpu.apart(one, one) == 0
    assert gpu.apart(one, torch.tensor([1.5, -torch.inf])) > 0.3
    assert gpu.apart(one, torch.tensor([1.0, 0.0])) == float("inf")
    assert gpu.apart(one, one[:1]) == float("inf")
