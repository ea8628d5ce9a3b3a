# SPDX-License-Identifier: MIT
"""`scripts/release.py`: what it refuses, the zip for Gomocup, the sums, the licences; and
`requirements/test.txt`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import re
import subprocess
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = script("release")
requirements = script("requirements")


def git(root: Path, *arguments: str) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    environment = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(root), *author, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=environment)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository that can be released as version 1.2.0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [1.2.0] - 2027-01-02\n\n- New.\n\n## [1.1.0] - 2026-12-01\n\n- Old.\n"
    )
    (tmp_path / "CITATION.cff").write_text("title: some\nversion: 1.2.0\nlicense: MIT\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "all")
    return tmp_path


def test_a_clean_tree_with_an_entry_is_released(tree: Path) -> None:
    release.check(tree)


@pytest.mark.parametrize(
    "changelog",
    [
        "## [Unreleased]\n\n- New.\n",
        "## [1.2.0]\n\n- No date.\n",
        "## [11.2.0] - 2027-01-02\n\n- Another.\n",
        "## [1.2.0] - 2027-01-02\n\n## [1.1.0] - 2026-12-01\n\n- Nothing is said of 1.2.0.\n",
    ],
)
def test_a_version_without_an_entry_is_refused(tree: Path, changelog: str) -> None:
    (tree / "CHANGELOG.md").write_text(changelog)
    git(tree, "commit", "--quiet", "--all", "--message", "entry")
    with pytest.raises(release.ReleaseError, match=r"CHANGELOG\.md.*1\.2\.0"):
        release.check(tree)


def test_unreleased_changes_are_refused(tree: Path) -> None:
    text = (tree / "CHANGELOG.md").read_text()
    for unreleased, fits in (("## [Unreleased]\n\n", True), ("## [Unreleased]\n\n- X\n\n", False)):
        (tree / "CHANGELOG.md").write_text(text.replace("## [1.2", f"{unreleased}## [1.2"))
        git(tree, "commit", "--quiet", "--all", "--message", "entry")
        if fits:
            release.check(tree)
        else:
            with pytest.raises(release.ReleaseError, match="unreleased"):
                release.check(tree)


@pytest.mark.parametrize("name", ["CHANGELOG.md", "new file"])
def test_a_tree_with_changes_is_refused(tree: Path, name: str) -> None:
    with (tree / name).open("a") as file:
        file.write("\nmore\n")
    with pytest.raises(release.ReleaseError, match=re.escape(name)):
        release.check(tree)


def test_another_version_elsewhere_is_refused(tree: Path) -> None:
    git(tree, "tag", "v1.2.0")
    release.check(tree)
    git(tree, "tag", "v1.3.0")
    with pytest.raises(release.ReleaseError, match=r"tag v1\.3\.0"):
        release.check(tree)
    git(tree, "tag", "--delete", "v1.3.0")
    (tree / "CITATION.cff").write_text("version: 1.1.0\n")
    git(tree, "commit", "--quiet", "--all", "--message", "other")
    with pytest.raises(release.ReleaseError, match=r"CITATION\.cff"):
        release.check(tree)


def test_a_folder_without_git_is_refused(tree: Path) -> None:
    (tree / ".git").rename(tree / "no.git")
    with pytest.raises(release.ReleaseError, match="git"):
        release.check(tree)


def test_a_missing_executable_is_named(tmp_path: Path) -> None:
    for preset in release.EXECUTABLES:
        with pytest.raises(release.ReleaseError, match=f"make {preset}"):
            release.executable(preset, tmp_path)


def test_the_zip_for_gomocup(tmp_path: Path) -> None:
    program = tmp_path / "some.exe"
    program.write_bytes(b"MZ" + bytes(1000))
    made = release.make_gomocup(tmp_path, program)
    again = release.make_gomocup(tmp_path / "again", program)
    assert made.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(made) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    assert texts.pop("pbrain-tengen.exe") == program.read_bytes()
    assert texts.keys() == {"README.txt", "LICENSES.txt"}
    assert release.version().encode() in texts["README.txt"]
    for part in (b"The Tengen authors", b"winpthreads", b"GCC RUNTIME LIBRARY EXCEPTION"):
        assert part in texts["LICENSES.txt"]
    for text in texts.values():
        assert text.count(b"\r\n") == text.count(b"\n") > 0


def test_a_zip_over_the_limit_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "some.exe"
    program.write_bytes(random.Random(1).randbytes(release.GOMOCUP_MAX_BYTES))
    with pytest.raises(release.ReleaseError, match="Gomocup takes"):
        release.make_gomocup(tmp_path, program)
    assert not list(tmp_path.glob("*.zip"))


def test_sums(tmp_path: Path) -> None:
    files = [tmp_path / "b", tmp_path / "a"]
    for file in files:
        file.write_text(file.name)
    lines = release.write_sums(files).read_text().splitlines()
    assert lines == [f"{hashlib.sha256(n.encode()).hexdigest()}  {n}" for n in ("a", "b")]


def test_licences_are_those_of_what_is_compiled_in() -> None:
    nanobind = metadata.distribution("nanobind")
    (text,) = [file for file in nanobind.files or () if file.name == "LICENSE"]
    assert text.read_text() == (ROOT / "licenses" / "nanobind.txt").read_text("utf-8")


def test_workflows_call_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = re.findall(r"^([a-z][^:=#]*):(?!=)", makefile, re.MULTILINE)
    targets = {word for names in rules for word in names.split()}
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text("utf-8")
        called = " ".join(re.findall(r"\bmake ([\w -]+)$", text, re.MULTILINE)).split()
        assert set(called) <= targets, path.name
        # Actions are pinned to a version.
        for action in re.findall(r"uses: ([^.\s]\S*)", text):
            assert re.search(r"@v\d+\.\d+\.\d+$", action), action


# --- the test environment ---


def test_every_requirement_has_hashes() -> None:
    text = (ROOT / "requirements" / "test.txt").read_text("utf-8")
    blocks = re.findall(r"^([a-z][\w.-]*==\S+)(.*\n(?: .*\n)*)", text, re.MULTILINE)
    assert len(blocks) > 50
    assert all(rest.count("--hash=sha256:") > 0 for _, rest in blocks)
    assert "://" not in text


def test_pinned_tools_are_the_same_in_both_files() -> None:
    """Fails after a change of a pin in pyproject.toml without `make requirements`."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    text = (ROOT / "requirements" / "test.txt").read_text("utf-8")
    locked = set(re.findall(r"^[a-z]\S*==[^\s;]+", text, re.MULTILINE))
    pins = {one for group in requirements.GROUPS for one in groups[group] if "==" in one}
    assert {one.partition("==")[0] for one in pins - locked} == {"torch"}
    names = {one.partition("==")[0] for one in locked}
    wanted = {
        re.split(r"[<>=\[]", one)[0] for group in requirements.GROUPS for one in groups[group]
    }
    assert wanted - names == {"torch"}


def test_what_differs_between_indexes_is_left_out() -> None:
    names = ["numpy==2", "torch==2", "nvidia-x==1 ; y", "rich==1"]
    one = {name: f"{name} \\\n    --hash=sha256:1\n" for name in names}
    kept = requirements.without("".join(one.values()), requirements.LEFT_OUT)
    assert kept == one["numpy==2"] + one["rich==1"]
