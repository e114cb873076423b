"""What a stranger gets: a wheel that holds everything, a README whose code runs, a lock that fits pyproject.toml."""

import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return path


def test_a_wheel_holds_the_assets_the_components_and_the_settings(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files", "core", "app", "assets"], cwd=ROOT, check=True, capture_output=True)
    assert set(listed.stdout.decode().split("\n")) - {""} <= held
    assert {"app/.streamlit/config.toml", "app/components/attention/attention.js", "assets/text/en/start.md"} <= held


def test_the_command_works_from_any_folder_once_the_wheel_is_installed(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, system_site_packages=False)
    site = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    here = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "borrowed.pth").write_text(here + "\n")  # the dependencies, after the wheel's own files
    code = "from app.command import main; main()"
    python = tmp_path / "venv" / "bin" / "python"
    trace = [python, "-c", code, "trace", "The cat sat", "--out", "run.safetensors"]
    ran = subprocess.run(trace, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "run.safetensors").stat().st_size > 100_000
    where = subprocess.run(
        [python, "-c", "import core, app; print(core.__file__, app.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert where.stdout.count(str(tmp_path)) == 2


def test_the_links_of_the_readme_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / link).exists(), link


def test_the_lock_pins_what_the_project_needs() -> None:
    lines = [*(ROOT / "requirements.lock").read_text().splitlines()]
    pinned = {Requirement(line).name.lower(): Requirement(line) for line in lines if line and line[0] != "#"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for need in map(Requirement, project["dependencies"]):
        (pin,) = pinned[need.name].specifier
        assert pin.operator == "=="
        assert need.specifier.contains(pin.version), need
    assert str(pinned["torch"].specifier) == "==2.13.0"
    assert "transformers" not in pinned
