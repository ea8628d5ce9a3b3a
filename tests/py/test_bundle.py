# SPDX-License-Identifier: MIT
"""The bundle: contents, error messages of the launcher, and (slow) that it builds and runs in an
empty environment.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
# Outside any virtual environment, as on a machine where nothing of ours is installed.
PYTHON = str(getattr(sys, "_base_executable", sys.executable))
HELD = """
    tengen launcher.py README.md LICENSE CMakeLists.txt cpp/bind/module.cpp
    src/tengen/cli/main.py src/tengen/engine/data/classical-renju.tables
    configs/arena/short.toml configs/openings/freestyle15.txt benchmarks/levels.py
    nanobind/cmake/nanobind-config.cmake nanobind/src/nb_combined.cpp
    site/rich/progress.py site/markdown_it/__init__.py site/mdurl/__init__.py
    site/pygments/__init__.py licenses/rich/LICENSE licenses/nanobind/LICENSE
"""
BENCH = ("bench", "--rule", "freestyle", "--depth", "6")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("nanobind", reason="a bundle carries the nanobind that is installed")
    path = tmp_path_factory.mktemp("made") / "bundle"
    command = [sys.executable, str(ROOT / "scripts" / "bundle.py"), "--out", str(path), "--pack"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def launcher(bundle: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bundle_launcher", bundle / "launcher.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_scripts_find_what_they_import(bundle: Path) -> None:
    """The launcher starts Python with -P and the bundle's benchmarks on the path."""
    folders = os.pathsep.join([str(bundle / "benchmarks"), str(ROOT / "src")])
    for script in (bundle / "benchmarks").glob("*.py"):
        command = [sys.executable, "-P", str(script), "--help"]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": folders}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()


def tengen(bundle: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a bundle's command with nothing else in its environment."""
    return subprocess.run(
        [bundle / "tengen", *arguments],
        env={"PYTHON": PYTHON, "PATH": "/usr/bin:/bin", **environment},
        cwd=bundle / "src",  # has a package that must not shadow the built one
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.integration
def test_what_a_bundle_holds(bundle: Path) -> None:
    files = {file.relative_to(bundle).as_posix() for file in bundle.rglob("*") if file.is_file()}
    for name in HELD.split():
        assert name in files
    assert not [name for name in files if re.search(r"\.(so|pyc|o|a)$|__pycache__", name)]
    assert os.access(bundle / "tengen", os.X_OK)
    assert sum((bundle / name).stat().st_size for name in files) < 20 << 20
    packed = list(bundle.parent.glob("*.tar.gz"))
    assert len(packed) == 1


def test_every_licence_is_included(bundle: Path) -> None:
    carried = {path.name for path in (bundle / "licenses").iterdir()}
    assert {name.lower() for name in carried} == {
        "rich", "markdown-it-py", "mdurl", "pygments", "nanobind", "svelte", "clsx"
    }  # fmt: skip
    for path in (bundle / "licenses").iterdir():
        assert any(file.stat().st_size > 500 for file in path.iterdir())


def test_the_native_sources_are_those_of_cmake(bundle: Path, launcher: ModuleType) -> None:
    core, bindings = launcher.native_sources()
    there = {path.relative_to(bundle).as_posix() for path in (bundle / "cpp").rglob("*.cpp")}
    of_program = {
        "arguments",
        "bench_command",
        "main",
        "page_wasm",
        "program_bundle",
    }  # a bundle has none
    assert set(core) | set(bindings) == there - {f"cpp/app/{name}.cpp" for name in of_program}
    assert len(core) + len(bindings) == len(there) - len(of_program)
    assert "cpp/bind/module.cpp" in bindings


def test_the_fingerprint_follows_names_and_contents(launcher: ModuleType, bundle: Path) -> None:
    folder = bundle / "configs"
    before = launcher.fingerprint(folder)
    assert before == launcher.fingerprint(folder)
    extra = folder / "extra.toml"
    extra.write_text("a")
    named = launcher.fingerprint(folder)
    extra.write_text("b")
    changed = launcher.fingerprint(folder)
    extra.unlink()
    assert len({before, named, changed}) == 3
    assert before == launcher.fingerprint(folder)


def test_a_missing_compiler_is_reported(bundle: Path, tmp_path: Path) -> None:
    for name in ("sh", "readlink", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    place = str(tmp_path / "build")
    done = tengen(bundle, "--version", PATH=str(tmp_path), TENGEN_BUNDLE_BUILD=place)
    assert done.returncode == 1
    assert "no C++ compiler is found: install g++" in done.stderr
    done = tengen(bundle, "--version", CXX="no-such-compiler", TENGEN_BUNDLE_BUILD=place)
    assert "there is no compiler 'no-such-compiler', which CXX names" in done.stderr


def test_a_missing_python_is_reported(bundle: Path) -> None:
    done = tengen(bundle, "--version", PYTHON="/nowhere/python")
    assert done.returncode == 1
    assert "no Python 3.11 or newer is found" in done.stderr


@pytest.mark.parametrize("named", [[], ["nowhere.py"], [""]])
def test_a_missing_script_is_reported(bundle: Path, named: list[str]) -> None:
    done = tengen(bundle, "--script", *named)
    assert done.returncode == 1
    assert "name a Python file after --script" in done.stderr


def test_missing_headers_are_reported(
    launcher: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(launcher.BuildError, match=r"no Python\.h in .*install python3"):
        launcher.python_headers()


def test_a_broken_build_prints_its_last_lines(
    launcher: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(launcher.BuildError, match=r"(?s)the compiler failed:.*-std=c\+\+20"):
        launcher.build_without_cmake(tmp_path / "plain", tmp_path / "log", False)


def test_an_unrelated_folder_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    command = [sys.executable, str(ROOT / "scripts" / "bundle.py"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "other files" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_a_rebuilt_bundle_keeps_foreign_files(bundle: Path, tmp_path: Path) -> None:
    again = tmp_path / "bundle"
    shutil.copytree(bundle, again)
    (again / "build").mkdir()
    (again / "plan.toml").write_text("mine")
    (again / "cpp" / "old.cpp").write_text("gone from the sources")
    command = [sys.executable, str(ROOT / "scripts" / "bundle.py"), "--out", str(again)]
    subprocess.run(command, capture_output=True, check=True)
    assert (again / "plan.toml").read_text() == "mine"
    assert (again / "build").is_dir()
    assert not (again / "cpp" / "old.cpp").exists()


def test_commands_and_arena_need_no_numpy() -> None:
    source = ROOT / "src"
    folders = [source / "tengen" / name for name in ("arena", "cli", "cluster", "engine", "tune")]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    names = [".".join(file.relative_to(source).with_suffix("").parts) for file in files]
    assert len(names) > 60
    code = "import sys, importlib\nsys.modules['numpy'] = None\n"
    code += "".join(f"importlib.import_module({name!r})\n" for name in sorted(names))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cmake", "compiler"])
def test_a_bundle_builds_and_runs(bundle: Path, tmp_path: Path, how: str) -> None:
    copied = tmp_path / "bundle"
    shutil.copytree(bundle, copied)
    tools = tmp_path / "tools"
    tools.mkdir()
    path = "/usr/bin:/bin"
    if how == "compiler":
        for file in Path("/usr/bin").iterdir():
            if not re.match(r"cmake|ninja|g?make$", file.name):
                (tools / file.name).symlink_to(file)
        path = str(tools)
    elif shutil.which("cmake", path=path) is None:
        pytest.skip("no CMake outside the environment of the tests")
    first = tengen(copied, *BENCH, PATH=path)
    assert first.returncode == 0, first.stderr
    assert ("with CMake" in first.stderr) == (how == "cmake")
    ours = [sys.executable, "-m", "tengen.cli.main", *BENCH]
    expected = subprocess.run(ours, capture_output=True, text=True, check=True).stdout
    assert first.stdout.splitlines()[0] == expected.splitlines()[0]
    again = tengen(copied, "openings", "list", PATH=path)
    assert (again.returncode, again.stderr) == (0, "")
    assert "freestyle15" in again.stdout
    # Worker processes find the same package.
    made = tengen(copied, "openings", "make", "--number", "2", "--nodes", "200", PATH=path)
    assert made.returncode == 0, made.stderr
    assert "tengen openings: 2 balanced openings" in made.stderr
    # So do a script of the bundle, and its workers.
    given = ["--script", "benchmarks/levels.py", "--rules", "renju", "--levels", "1-2"]
    given += ["--games", "2", "--processes", "1", "--out", str(tmp_path / "levels")]
    played = tengen(copied, *given, PATH=path)
    assert played.returncode == 0, played.stderr
    assert "| renju | 2 (" in played.stdout
