"""What every test shares: the checkout on the path, one thread, seeds that a failure prints."""

import os
import random
import secrets
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from hypothesis import settings

settings.register_profile("here", deadline=None, database=None, print_blob=True, max_examples=60)
settings.load_profile("here")
torch.set_num_threads(1)

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(autouse=True)
def _own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the tests chooses nothing here."""
    monkeypatch.setenv("GLASSFORMER_DEVICE", "cpu")
    monkeypatch.delenv("GLASSFORMER_THREADS", raising=False)


@pytest.fixture
def seed() -> int:
    """A fresh seed for torch and random; printed where a test fails, and taken from GLASSFORMER_TEST_SEED again."""
    number = int(os.environ.get("GLASSFORMER_TEST_SEED") or secrets.randbelow(2**31))
    print(f"GLASSFORMER_TEST_SEED={number}")  # noqa: T201
    torch.manual_seed(number)
    random.seed(number)
    return number


@pytest.fixture
def fixtures() -> Path:
    """Small folders whose right numbers are known."""
    return FIXTURES
