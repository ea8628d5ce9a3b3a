# SPDX-License-Identifier: MIT
"""The code follows the layers, and the checker finds violations."""

from __future__ import annotations

from pathlib import Path

import pytest

from layering.layers import cpp_circles, cpp_faults, python_circles, python_faults

ROOT = Path(__file__).parents[2]


def test_no_python_import_points_upward() -> None:
    assert list(python_faults(ROOT / "src" / "tengen")) == []


def test_no_files_import_one_another() -> None:
    assert list(python_circles(ROOT / "src" / "tengen")) == []


def test_no_include_points_upward() -> None:
    assert list(cpp_faults(ROOT / "cpp")) == []


def test_no_two_native_files_include_each_other() -> None:
    assert cpp_circles(ROOT / "cpp") == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("game/board.py", "from tengen.cli import main", "game (rank 1) imports cli (rank 6)"),
        ("game/board.py", "import tengen.reference", "game (rank 1) imports reference (rank 1)"),
        ("game/deep/x.py", "from ...engine import Engine", "game (rank 1) imports engine (rank 2)"),
        ("game/x.py", "from tengen import web", "game (rank 1) imports web (rank 4)"),
        ("game/x.py", "def f():\n    import torch", "game imports torch"),
        ("reference/x.py", "from tengen import _core", "may import no other package"),
        ("cluster/x.py", "import tengen.game", "may import no other package"),
        ("util/x.py", "import tengen.cluster", "may import no other package"),
        ("novel/x.py", "import tengen.game", "novel has no rank"),
        ("game/x.py", "import tengen.novel", "which has no rank"),
    ],
)
def test_a_bad_import_is_found(tmp_path: Path, file: str, text: str, fault: str) -> None:
    path = tmp_path / "tengen" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    result = list(python_faults(tmp_path / "tengen"))
    assert len(result) == 1
    assert fault in result[0]
    assert result[0].startswith(file)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("cli/x.py", "import tengen.game, os\nfrom tengen.web import app"),
        ("game/a.py", "from tengen.game.b import c\nfrom tengen import _core\nfrom . import b"),
        ("nets/x.py", "import torch"),
        ("__init__.py", "from tengen.cli import main"),
    ],
)
def test_a_valid_import_is_accepted(tmp_path: Path, file: str, text: str) -> None:
    path = tmp_path / "tengen" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert list(python_faults(tmp_path / "tengen")) == []


@pytest.mark.parametrize(
    ("files", "circles"),
    [
        ({"game/a.py": "from tengen.game.b import x", "game/b.py": ""}, []),
        ({"game/a.py": "from tengen.game.a import x"}, []),
        (
            {
                "game/a.py": "import tengen.game.b",
                "game/b.py": "def f():\n    from tengen.game.a import x",
            },
            [["game/a.py", "game/b.py"]],
        ),
        (
            {
                "game/a.py": "from tengen.game import b",
                "game/b.py": "from .c import x",
                "game/c.py": "if TYPE_CHECKING:\n    from . import a",
                "game/d.py": "from tengen.game import a",
            },
            [["game/a.py", "game/b.py", "game/c.py"]],
        ),
        (
            {
                "game/__init__.py": "from tengen.game.a import x",
                "game/a.py": "from tengen import _core\nfrom tengen.game import y",
            },
            [["game/__init__.py", "game/a.py"]],
        ),
        (
            {
                "__init__.py": "from tengen.game.a import x",
                "game/__init__.py": "",
                "game/a.py": "from tengen import _core\nfrom tengen.game import b",
                "game/b.py": "",
            },
            [],
        ),
    ],
)
def test_circles_are_found(tmp_path: Path, files: dict[str, str], circles: list[list[str]]) -> None:
    for name, text in files.items():
        path = tmp_path / "tengen" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert python_circles(tmp_path / "tengen") == circles


@pytest.mark.parametrize(
    ("file", "include", "good"),
    [
        ("game/board.h", "pattern/tables.h", False),
        ("base/types.h", "game/board.h", False),
        ("game/board.h", "../bind/bind.h", False),
        ("novel/x.h", "base/types.h", False),
        ("pattern/tables.h", "game/board.h", True),
        ("pattern/tables.h", "pattern/line.h", True),
        ("bind/board.cpp", "pattern/tables.h", True),
        ("search/position.h", "search/mcts/tree.h", False),
        ("search/mcts/tree.h", "search/alphabeta/worker.h", False),
        ("search/novel/x.h", "search/position.h", False),
        ("solver/vcf.h", "search/position.h", False),
        ("solver/vcf.h", "base/stop_condition.h", True),
        ("search/mcts/tree.h", "search/position.h", True),
        ("search/mcts/tree.h", "search/mcts/node.h", True),
        ("engine/options.h", "search/mcts/settings.h", True),
    ],
)
def test_includes_are_checked(tmp_path: Path, file: str, include: str, good: bool) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f'#include <vector>\n#  include "{include}"\n')
    result = list(cpp_faults(tmp_path))
    assert result == [] if good else len(result) == 1 and result[0].startswith(f"{file}:2:")


@pytest.mark.parametrize(
    ("files", "circles"),
    [
        ({"game/a.h": '#include "game/b.h"', "game/b.h": ""}, []),
        (
            {
                "game/a.h": '#include "game/b.h"',
                "game/b.h": '#include "game/c.h"',
                "game/c.h": '#include "game/a.h"',
                "game/a.cpp": '#include "game/a.h"',
            },
            [["game/a.h", "game/b.h", "game/c.h"]],
        ),
    ],
)
def test_circles_of_includes_are_found(
    tmp_path: Path, files: dict[str, str], circles: list[list[str]]
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert cpp_circles(tmp_path) == circles
