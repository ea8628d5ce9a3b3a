# SPDX-License-Identifier: MIT
"""Examples of the documentation. README.md: Python blocks and quick commands run. All pages: the
arguments of every `tengen` command are parsed, Python blocks compile and their imports resolve.
"""

from __future__ import annotations

import ast
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from tengen.cli.main import ALIASES, COMMANDS, main, make_parser

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")))
}

# Commands that run for minutes, or until they are stopped: only their arguments are parsed.
ONLY_PARSED = {
    "play": "serves the page until Ctrl-C",
    "gomocup": "waits for a manager on stdin",
    "match": "plays games for minutes",
    "tournament": "plays games for minutes",
    "sprt": "plays games for hours",
    "tune": "plays games for hours",
    "openings": "searches for minutes",
    "train": "trains for hours",
    "zero": "learns for hours",
    "net": "needs a trained net",
    "data": "needs data sets",
}
# All others run, in a folder with the files below.
QUICK = set(COMMANDS) - set(ONLY_PARSED)
SAMPLE_GAME = "(;GM[4]SZ[15]RU[freestyle];B[hh];W[ii];B[hg];W[hi];B[gh])"
# What a shell block may hold besides `tengen` and `make`.
SETUP_COMMANDS = {"pip", "python", "python3", "git", "cd", ".", "source"}


def blocks(text: str, *languages: str) -> list[str]:
    """Fenced code blocks in these languages; "" is a block without one."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for language, block in fenced if language in languages]


def shell_commands(text: str) -> list[list[str]]:
    """The arguments of every command in shell blocks, without comments and prompts."""
    lines = "\n".join(blocks(text, "sh", "bash", "shell", "console")).replace("\\\n", " ")
    parts = [part for line in lines.splitlines() for part in line.removeprefix("$ ").split(" && ")]
    commands = [shlex.split(part, comments=True) for part in parts]
    return [
        [message[0].removeprefix(".venv/bin/").removeprefix(".venv-tuning/bin/"), *message[1:]]
        for message in commands
        if message
    ]


def inline_commands(text: str) -> list[list[str]]:
    """Commands between backticks in the prose."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [shlex.split(code) for code in re.findall(r"`((?:tengen|make) [^`]+)`", prose)]


def tengen_commands() -> list[list[str]]:
    """Of README.md: all. Of the other pages: those in code blocks; inline ones are names only."""
    result = [*shell_commands(README), *inline_commands(README)]
    for text in PAGES.values():
        result += shell_commands(text)
        for block in blocks(text, ""):  # output of the command may follow
            lines = [line.removeprefix("$ ") for line in block.splitlines()]
            result += [shlex.split(line) for line in lines if line.startswith("tengen ")]
    commands = [message[1:] for message in result if message[0] in ("tengen", "./tengen")]
    unique = {tuple(arguments): arguments for arguments in commands}
    return [a for a in unique.values() if not a[0].startswith("--")]  # options of the launcher


def command_of(arguments: list[str]) -> str:
    return ALIASES.get(arguments[0], arguments[0])


def quick_commands() -> list[list[str]]:
    shown = [message[1:] for message in shell_commands(README) if message[0] == "tengen"]
    return [arguments for arguments in shown if command_of(arguments) in QUICK]


def test_the_readme_has_examples() -> None:
    assert blocks(README, "python")
    assert quick_commands()
    assert any(command_of(arguments) == "play" for arguments in tengen_commands())


@pytest.mark.parametrize("block", blocks(README, "python"))
def test_python_blocks_run(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("arguments", tengen_commands(), ids=" ".join)
def test_arguments_are_parsed(arguments: list[str]) -> None:
    command = command_of(arguments)
    assert command in COMMANDS
    assert make_parser(command).parse_args([command, *arguments[1:]]).command == command


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```python" in text])
def test_python_blocks_compile_and_imports_resolve(page: str) -> None:
    for block in blocks(PAGES[page], "python"):
        for node in ast.walk(ast.parse(block, page)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    import_module(alias.name)
            elif isinstance(node, ast.ImportFrom):
                module = import_module(str(node.module))
                for alias in node.names:
                    assert hasattr(module, alias.name), alias.name


@pytest.mark.parametrize("page", PAGES)
def test_inline_commands_exist(page: str) -> None:
    for message in inline_commands(PAGES[page]):
        if message[0] == "tengen":
            assert message[1].startswith("-") or command_of(message[1:]) in COMMANDS


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a tiny match."""
    folder = tmp_path_factory.mktemp("readme") / "match"
    match = ["match", "random", "random", "--nodes", "1", "--games", "4", "--processes", "1"]
    assert main([*match, "--out", str(folder)]) == 0
    return folder


@pytest.mark.integration
@pytest.mark.parametrize("arguments", quick_commands(), ids=" ".join)
def test_quick_commands_run(
    arguments: list[str], results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = {arguments[i + 1] for i, word in enumerate(arguments[:-1]) if word == "--out"}
    for word in set(arguments[1:]) - outputs:
        if word.endswith(".sgf"):
            Path(word).write_text(SAMPLE_GAME)
        elif word.startswith("results/"):
            Path("results").mkdir(exist_ok=True)
            Path(word).symlink_to(results, target_is_directory=True)
    assert main(arguments) == 0
    assert all(Path(name).exists() for name in outputs)


def test_other_commands_are_known() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    for message in shell_commands(README) + inline_commands(README):
        if message[0] == "make":
            assert set(message[1:]) <= targets
        else:
            assert message[0] in {"tengen", "pbrain-tengen"} | SETUP_COMMANDS
