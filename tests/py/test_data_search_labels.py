# SPDX-License-Identifier: MIT
"""Import of search labels: values, skipped positions, resuming, bad files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Board, Rule
from tengen.cli.main import main
from tengen.data import Dataset, Manifest
from tengen.data.errors import BadData
from tengen.data.importers.npz import SearchLabelOptions, fitted_scale, import_search_labels
from tengen.data.packing import unpack

META = {"player": "classical", "rule": "freestyle", "size": 15, "nodes": 100}
QUIET = "h8 h9 i9 g7"
BLACK_OPEN_THREE = "h8 a1 i8 a3 j8 a5"  # black to move can make an open four
WHITE_OPEN_THREE = "a1 h8 a3 i8 a5 j8"  # white waits for it: still evaluated
BLACK_FOUR = "h8 a1 i8 a3 j8 a5 k8 a7"  # a five for black


def position(moves: str, best: str, result: int, value: int) -> dict[str, Any]:
    board = Board(15, Rule.FREESTYLE)
    for move in moves.split():
        board.push(move)
    y, x = int(best[1:]) - 1, ord(best[0]) - ord("a")
    return {
        "board": board.to_array().reshape(-1).astype(np.uint8),
        "to_move": 1 + len(board.moves) % 2,
        "best": y * 15 + x,
        "result": result,
        "value": value,
    }


def write(path: Path, rows: list[dict[str, Any]], **meta: Any) -> Path:
    np.savez_compressed(
        path,
        board=np.stack([row["board"] for row in rows]),
        to_move=np.array([row["to_move"] for row in rows], np.uint8),
        move=np.array([row["best"] for row in rows], np.int16),
        best=np.array([row["best"] for row in rows], np.int16),
        result=np.array([row["result"] for row in rows], np.int8),
        value=np.array([row["value"] for row in rows], np.int16),
        game=np.zeros(len(rows), np.int32),
        meta=np.array(json.dumps(META | meta)),
    )
    return path


def imported(tmp_path: Path, rows: list[dict[str, Any]], **options: Any) -> Any:
    write(tmp_path / "a.npz", rows)
    chosen = SearchLabelOptions("own", **({"result_share": 0.4, "scale": 100.0} | options))
    import_search_labels([tmp_path / "a.npz"], tmp_path / "out", chosen)
    view = Dataset.open(tmp_path / "out").split("train")
    return view.rows(np.arange(len(view)))


def test_labels_mix_the_result_and_the_search(tmp_path: Path) -> None:
    rows = imported(
        tmp_path,
        [
            position(QUIET, "g8", result=1, value=100),  # black to move, won
            position(QUIET + " f6", "g8", result=1, value=-100),  # white to move, lost
            position(QUIET, "g9", result=0, value=0),
            position(QUIET, "g9", result=-1, value=29990),  # a win that was given away
            position(QUIET, "g9", result=1, value=-32768),  # no search value
            position(QUIET, "g9", result=2, value=100),  # beside a game
            position(QUIET, "g9", result=2, value=-32768),  # nothing is known at all: left out
        ],
    )
    likely = 1 / (1 + np.exp(-1.0))
    wanted = [
        (0.4 + 0.6 * likely, 0.6 * (1 - likely)),
        (0.6 * (1 - likely), 0.4 + 0.6 * likely),
        (0.3, 0.3),
        (0.6, 0.4),
        (1.0, 0.0),
        (likely, 1 - likely),
    ]
    np.testing.assert_allclose(rows.value / 255, wanted, atol=1 / 255)
    assert (rows.value.sum(1).astype(int) <= 255).all()
    assert rows.move[:, 0].tolist() == [7 * 15 + 6] * 2 + [8 * 15 + 6] * 4
    assert (rows.prob == 255).all()
    assert rows.to_move.tolist() == [1, 2, 1, 1, 1, 1]


def with_visits(file: Path, moves: list[list[int]], visits: list[list[int]]) -> Path:
    """The file of `write`, with visits of a tree search."""
    with np.load(file) as archive:
        meta = json.loads(str(archive["meta"])) | {"policy": len(moves[0])}
        more = {"moves": np.array(moves, np.int16), "visits": np.array(visits, np.uint16)}
        np.savez(file, **{**archive, **more, "meta": np.array(json.dumps(meta))})
    return file


def test_visits_are_the_policy(tmp_path: Path) -> None:
    best = position(QUIET, "g8", result=1, value=100)
    won = position(QUIET, "g8", result=1, value=29990)  # a win that two playouts have found
    at = best["best"]
    tree = with_visits(
        write(tmp_path / "a.npz", [best, won, best]),
        [[at - 1, at, -1], [at - 1, at, -1], [-1, -1, -1]],
        [[75, 25, 0], [98, 2, 0], [0, 0, 0]],
    )
    plain = write(tmp_path / "b.npz", [best])  # as alpha-beta's searches are
    manifest = import_search_labels(
        [tree, plain], tmp_path / "out", SearchLabelOptions("own", scale=100.0)
    )
    assert manifest.policy_moves == 3
    view = Dataset.open(tmp_path / "out").split("train")
    rows = view.rows(np.arange(len(view)))
    assert rows.move[0, :2].tolist() == [at - 1, at]
    assert rows.prob[0].tolist() == [191, 64, 0]
    for row in (1, 2, 3):
        assert rows.move[row, 0] == at
        assert rows.prob[row].tolist() == [255, 0, 0]


@pytest.mark.parametrize(
    ("moves", "visits", "message"),
    [
        ([[300]], [[1]], "column moves has numbers outside -1 to 224"),
        ([[1, 2]], [[1]], r"column visits is \w+ \(1, 1\): expected integers \(1, 2\)"),
        ([[7 * 15 + 7]], [[1]], "a policy move on a stone"),
        ([[1, 1]], [[1, 1]], "a policy move given twice"),
    ],
)
def test_invalid_visits(
    tmp_path: Path, moves: list[list[int]], visits: list[list[int]], message: str
) -> None:
    file = write(tmp_path / "a.npz", [position(QUIET, "g8", 1, 10)])
    with pytest.raises(BadData, match=message):
        import_search_labels(
            [with_visits(file, moves, visits)],
            tmp_path / "out",
            SearchLabelOptions("own", scale=100.0),
        )


def test_visits_without_their_columns(tmp_path: Path) -> None:
    file = write(tmp_path / "a.npz", [position(QUIET, "g8", 1, 10)], policy=2)
    with pytest.raises(BadData, match="column moves, visits missing"):
        import_search_labels([file], tmp_path / "out", SearchLabelOptions("own"))


def test_boards_are_seen_by_the_side_to_move(tmp_path: Path) -> None:
    rows = imported(tmp_path, [position("h8 h9 i9", "g8", 1, 0)])
    board = unpack(rows.board, 15)[0]
    assert board[8, 7] == 1
    assert board[7, 7] == 2
    assert board[8, 8] == 2


def test_positions_that_are_answered_without_an_evaluation_are_left_out(tmp_path: Path) -> None:
    rows = imported(
        tmp_path,
        [
            position(BLACK_OPEN_THREE, "k8", 1, 29997),
            position(BLACK_FOUR, "l8", 1, 29999),
            position(BLACK_FOUR + " l8", "a9", 1, 10),  # white could make no five, black can
            position(WHITE_OPEN_THREE, "k8", -1, -300),
            position(QUIET, "g8", 1, 10),
        ],
    )
    assert rows.move[:, 0].tolist() == [7 * 15 + 10, 7 * 15 + 6]
    counts = Dataset.open(tmp_path / "out").manifest.counts
    assert counts == {"positions": 5, "never evaluated": 3}


def test_the_scale_is_fitted() -> None:
    rng = np.random.default_rng(3)
    value = rng.integers(-800, 800, 40_000).astype(np.int16)
    won = rng.random(len(value)) < 1 / (1 + np.exp(-value / 150))
    columns: dict[str, Any] = {
        "value": value,
        "result": np.where(won, 1, -1).astype(np.int8),
        "to_move": np.ones(len(value), np.uint8),
    }
    assert 135 <= fitted_scale(columns) <= 165
    columns["to_move"][:] = 2
    columns["result"] = -columns["result"]
    assert 135 <= fitted_scale(columns) <= 165
    columns["result"][::2] = 2  # off-path: no result
    assert 135 <= fitted_scale(columns) <= 165


def import_in_two_goes(files: list[Path], out: Path) -> Manifest:
    """The second file is damaged at first."""
    good = files[1].read_bytes()
    files[1].write_bytes(bytes(len(good)))
    options = SearchLabelOptions("own", scale=100.0)
    text = rf"{re.escape(files[1].name)} cannot be read .*"
    with pytest.raises(BadData, match=text):
        import_search_labels(files, out, options)
    files[1].write_bytes(good)
    return import_search_labels(files, out, options)


def test_an_interrupted_import_resumes(tmp_path: Path) -> None:
    files = [
        write(tmp_path / f"{n}.npz", [position(QUIET, best, 1, 10)])
        for n, best in enumerate(("g8", "g9"))
    ]
    manifest = import_in_two_goes(files, tmp_path / "out")
    assert manifest.positions == 2
    assert manifest.finished


def test_files_of_one_name_are_distinguished(tmp_path: Path) -> None:
    files = []
    for folder, best in (("a", "g8"), ("b", "g9")):
        (tmp_path / folder).mkdir()
        files.append(write(tmp_path / folder / "x.npz", [position(QUIET, best, 1, 10)]))
    import_in_two_goes(files, tmp_path / "out")
    view = Dataset.open(tmp_path / "out").split("train")
    assert view.rows(np.arange(len(view))).move[:, 0].tolist() == [7 * 15 + 6, 8 * 15 + 6]


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ("nan", "nan"),
        ("inf", "inf"),
        ("-100", "-100"),
        ("1e-300", "1e-300"),
        ("0.5", "0.5"),
        ("1e9", r"1e\+09"),
    ],
)
def test_an_invalid_scale(
    tmp_path: Path, scale: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "a.npz", [position(QUIET, "g8", 1, 10)])
    out = tmp_path / "out"
    assert (
        main(["data", "import", "search-labels", str(file), "--out", str(out), "--scale", scale])
        == 1
    )
    assert re.search(f"scale.*{message}", capsys.readouterr().err)
    assert not out.exists()


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": np.zeros(2, np.int16)}, r"column value is \w+ \(2,\)"),
        ({"to_move": np.zeros(0, np.uint8)}, r"column to_move is \w+ \(0,\)"),
        ({"game": np.int32(3)}, r"column game is \w+ \(\)"),
        (
            {"board": np.zeros((1, 15, 15), np.uint8)},
            r"\(1, 15, 15\): .* \(1, 225\)",
        ),
        ({"board": np.zeros((1, 224), np.uint8)}, r"\(1, 224\): expected integers \(1, 225\)"),
        ({"board": np.uint8(1)}, r"column board is \w+ \(\)"),
        ({"value": np.array([0.5])}, "column value is float64"),
        ({"value": np.array([np.nan])}, "column value is float64"),
        ({"to_move": np.array([3])}, "column to_move has numbers outside 1 to 2"),
        ({"result": np.array([7])}, "column result has numbers outside -1 to 2"),
        ({"best": np.array([65536])}, "column best has numbers outside -1 to 224"),
        ({"board": np.full((1, 225), 3)}, "column board has numbers outside 0 to 2"),
        ({"meta": np.array(json.dumps(META | {"size": "x"}))}, "no board of size 'x'"),
    ],
)
def test_columns_that_do_not_fit(
    tmp_path: Path, place: int, change: dict[str, Any], message: str
) -> None:
    names = ("first.npz", "second.npz")
    files = [write(tmp_path / name, [position(QUIET, "g8", 1, 10)]) for name in names]
    with np.load(files[place]) as archive:
        columns = {**archive, **change}
    np.savez(files[place], **columns)
    with pytest.raises(BadData, match=rf"{names[place]}: .*{message}"):
        import_search_labels(files, tmp_path / "out", SearchLabelOptions("own"))


@pytest.mark.parametrize("damage", ["column", "meta", "cut", "rule", "share", "nothing"])
def test_bad_input_is_reported(tmp_path: Path, damage: str) -> None:
    file = write(tmp_path / "a.npz", [position(QUIET, "g8", 1, 10)])
    files, share = [file], 0.4
    if damage == "column":
        np.savez(file, board=np.zeros((1, 225), np.uint8))
    elif damage == "meta":
        with np.load(file) as archive:
            np.savez(file, **{**archive, "meta": np.array("{}")})
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:200])
    elif damage == "rule":
        files.append(write(tmp_path / "b.npz", [position(QUIET, "g8", 1, 10)], rule="renju"))
    elif damage == "share":
        share = 1.5
    else:
        files = []
    text = {
        "column": "column meta missing",
        "meta": "cannot be read",
        "cut": "cannot be read",
        "rule": r"b\.npz has positions of renju on 15x15, the first file is not",
        "share": "result_share: 1.5 is out of range, use 0 to 1",
        "nothing": "no .npz file",
    }[damage]
    with pytest.raises(BadData, match=text):
        import_search_labels(files, tmp_path / "out", SearchLabelOptions("own", result_share=share))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "a.npz", [position(QUIET, "g8", 1, 10)])
    out = tmp_path / "out"
    assert main(["data", "import", "search-labels", str(file), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 1
    assert main(["data", "import", "search-labels", str(file), "--out", str(out)]) == 1
    assert "already has this data set" in capsys.readouterr().err
