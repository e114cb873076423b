"""Models of the visitor's own, made once."""

from pathlib import Path

import pytest

from tests.app import pair


@pytest.fixture(scope="session")
def pair_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pair.folder(tmp_path_factory.mktemp("models") / "pair")


@pytest.fixture
def a_pair(pair_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an encoder-decoder that the app opens with."""
    monkeypatch.setenv("GLASSFORMER_MODEL", str(pair_folder))
    return pair_folder.name
