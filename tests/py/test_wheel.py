# SPDX-License-Identifier: MIT
"""The wheel and the source distribution: built, opened, and installed without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RELEASE = ROOT / "scripts" / "release.py"
MAX_BYTES = 12 << 20
CONTENTS = """
    tengen/__init__.py tengen/py.typed tengen/_core.pyi tengen/configs/arena/short.toml
    tengen/engine/data/classical-renju.tables tengen/engine/data/nets/mixnet-m-freestyle.net
    tengen/web/static/app.js
"""
LICENCES = {"LICENSE", *(path.name for path in (ROOT / "licenses").iterdir())}

# One build at a time.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("builds")]


def made(command: str, folder: Path) -> Path:
    for module in ("scikit_build_core", "nanobind", "auditwheel"):
        pytest.importorskip(module, reason="`make wheel` installs the tools")
    subprocess.run([sys.executable, RELEASE, command, "--out", folder], check=True)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("sdist", tmp_path_factory.mktemp("sdist"))


def environment(folder: Path) -> dict[str, str]:
    """That of a machine without a compiler: PATH has only the virtual environment."""
    kept = {name: text for name, text in os.environ.items() if name.startswith(("PIP_", "HOME"))}
    return {**kept, "PATH": str(folder / "bin")}


def check_installed(folder: Path) -> None:
    """Runs the check of cibuildwheel with an installation, from another folder."""
    python = folder / "bin" / "python"
    command = [str(python), "-P", str(ROOT / "tests" / "check_wheel.py")]
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(folder) in done.stdout


def test_what_a_wheel_holds(wheel: Path) -> None:
    if sys.platform == "linux":
        assert "manylinux" in wheel.name
    assert wheel.stat().st_size < MAX_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        (program,) = [name for name in names if "pbrain" in name]
        native = archive.read(program)
    assert set(CONTENTS.split()) <= set(names)
    assert program.endswith(".data/scripts/pbrain-tengen")
    # Its nets are those of the package.
    assert len(native) < 4 << 20
    assert {Path(name).name for name in names if "/licenses/" in name} == LICENCES
    for name in names:
        path = Path(name)
        assert path.suffix not in {".cpp", ".h", ".ts", ".svelte", ".pt"}, name
        assert not {"tests", "teachers", "cpp"} & set(path.parts[:1]), name
        assert "test_" not in path.name, name


def test_a_wheel_plays_without_a_compiler(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(pip, env=environment(folder), cwd=folder, check=True)
    check_installed(folder)
    tengen = [str(folder / "bin" / "tengen"), "play", "--help"]
    subprocess.run(tengen, env=environment(folder), check=True, stdout=subprocess.DEVNULL)
    # The program finds the nets after the folder was moved.
    moved = folder.rename(tmp_path / "moved")
    done = subprocess.run(
        [moved / "bin" / "pbrain-tengen"],
        input="ABOUT\nEND\n",
        env=environment(moved),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "mixnet-m-freestyle" in done.stdout


@pytest.mark.parametrize("option", ["--prefix", "--user", "--target"])
def test_the_program_finds_the_nets(wheel: Path, option: str, tmp_path: Path) -> None:
    """Wherever pip puts them; the dependencies do not matter here."""
    place = tmp_path / "place"
    where = [option] if option == "--user" else [option, str(place)]
    base = str(getattr(sys, "_base_executable", sys.executable))
    pip = [base, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed", *where]
    subprocess.run(
        [*pip, "--break-system-packages", str(wheel)],
        env={**os.environ, "PYTHONUSERBASE": str(place)},
        check=True,
    )
    (program,) = place.rglob("pbrain-tengen")
    done = subprocess.run(
        [program], input="ABOUT\nEND\n", capture_output=True, text=True, check=True
    )
    assert "mixnet-m-freestyle" in done.stdout


def test_a_source_distribution_builds(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "licenses/nanobind.txt", "cpp/app/main.cpp"} <= names
    assert not [name for name in names if name.startswith(("tests", "teachers", ".ci", "build"))]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", tmp_path, sdist], check=True)
    assert list(tmp_path.glob("tengen_gomoku-*.whl"))
