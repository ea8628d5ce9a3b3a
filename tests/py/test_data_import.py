# SPDX-License-Identifier: MIT
"""Importers of packed rows and games: rows, counts of what is skipped, and resuming a killed import
with the same result.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from data_samples import random_rows, same
from tengen import Board, Colour, Move, Rule
from tengen.data import BadData, Batch, Dataset, Manifest, Unfinished, own_view, pack, unpack
from tengen.data.importers import npz
from tengen.data.importers import records as record_importer
from tengen.data.importers.npz import import_packed
from tengen.data.importers.records import RecordOptions, import_records
from tengen.game import records
from tengen.game.records.record import Record


def everything(folder: Path) -> Batch:
    result = Dataset.open(folder)
    result.verify()
    return result.rows(np.arange(len(result)))


# --- packed rows ---


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(3):
        rows = random_rows(40 + number, 15, 8, seed=number)
        write_part(folder, number, rows)
    return folder


def write_part(folder: Path, number: int, rows: Batch, **change: Any) -> None:
    columns = {
        "board": rows.board,
        "move": rows.move.astype(np.uint8),
        "prob": rows.prob,
        "wl": rows.value,
    } | change
    kept = {name: column for name, column in columns.items() if column is not None}
    np.savez_compressed(folder / f"part_{number:02}.npz", **kept)


def test_packed(parts: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    manifest = import_packed(
        parts, tmp_path / "out", progress=lambda *reported: seen.append(reported)
    )
    assert seen == [(1, 3, 40), (2, 3, 81), (3, 3, 123)]
    assert (manifest.rule, manifest.size, manifest.redistributable) == (Rule.FREESTYLE, 15, True)
    assert [shard.origin for shard in manifest.shards] == [f"part_0{n}.npz" for n in range(3)]
    rows = everything(tmp_path / "out")
    wanted = [random_rows(40 + number, 15, 8, seed=number) for number in range(3)]
    assert np.array_equal(rows.move, np.concatenate([one.move for one in wanted]))
    assert np.array_equal(rows.board, np.concatenate([one.board for one in wanted]))


def test_packed_side_to_move(tmp_path: Path) -> None:
    boards = np.zeros((3, 15, 15), np.uint8)
    boards[1:, 7, 7] = 2  # white to move sees black's stone
    boards[2, 7, 8] = 1
    parts = tmp_path / "parts"
    parts.mkdir()
    write_part(parts, 0, random_rows(3, 15, 8), board=pack(boards, 15))
    import_packed(parts, tmp_path / "out")
    rows = everything(tmp_path / "out")
    assert rows.to_move is not None
    assert rows.to_move.tolist() == [1, 2, 1]


def test_packed_values_that_were_rounded_up(parts: Path, tmp_path: Path) -> None:
    rows = random_rows(4, 15, 8)
    values = np.array([[128, 128], [200, 56], [56, 200], [255, 0]], np.uint8)
    write_part(parts, 1, rows, wl=values)
    manifest = import_packed(parts, tmp_path / "out")
    assert manifest.counts["values corrected"] == 3
    result = everything(tmp_path / "out").value[40:44]
    assert result.tolist() == [[127, 128], [199, 56], [56, 199], [255, 0]]


def test_packed_import_resumes(
    parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = import_packed(parts, tmp_path / "whole")
    real = npz._round_down
    parts_read: list[int] = []

    def interrupted(value: Any) -> Any:
        if len(value) == 42:  # the last part
            raise KeyboardInterrupt
        return real(value)

    monkeypatch.setattr(npz, "_round_down", interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_packed(parts, tmp_path / "out")
    with pytest.raises(Unfinished):
        Dataset.open(tmp_path / "out")

    def counted(value: Any) -> Any:
        parts_read.append(len(value))
        return real(value)

    monkeypatch.setattr(npz, "_round_down", counted)
    assert import_packed(parts, tmp_path / "out") == whole
    assert parts_read == [42]
    with pytest.raises(BadData, match=r"all 123 positions: --overwrite"):
        import_packed(parts, tmp_path / "out")
    assert import_packed(parts, tmp_path / "out", overwrite=True) == whole
    (parts / "part_01.npz").unlink()
    with pytest.raises(BadData, match="made from other files or with other options"):
        import_packed(parts, tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wl": None}, "part_01.npz: column wl missing: expected board"),
        ({"move": np.full((9, 8), 225, np.uint8)}, "row 0: a move off the 15x15 board"),
        ({"board": np.zeros((9, 56), np.uint8)}, "part_01.npz: packed boards of shape .9, 56."),
        ({"prob": np.zeros((8, 8), np.uint8)}, "column 'prob' has shape"),
        ({"wl": np.full((9, 2), 200, np.uint8)}, "win and loss sum to more than 255"),
    ],
)
def test_packed_bad_parts(
    parts: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    write_part(parts, 1, random_rows(9, 15, 8), **change)
    with pytest.raises(BadData, match=message):
        import_packed(parts, tmp_path / "out")


def test_packed_no_parts(parts: Path, tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"has no part_00\.npz"):
        import_packed(tmp_path, tmp_path / "out")
    whole = (parts / "part_01.npz").read_bytes()
    for data in (b"", b"no archive", whole[: len(whole) // 2], whole[:-1]):
        (parts / "part_01.npz").write_bytes(data)
        with pytest.raises(BadData, match=r"part_01.npz cannot be read"):
            import_packed(parts, tmp_path / "out", overwrite=True)


# --- games ---

RENJU = RecordOptions(Rule.RENJU)
FREE = RecordOptions(Rule.FREESTYLE)


def import_text(tmp_path: Path, text: str, options: RecordOptions = FREE) -> Dataset:
    (tmp_path / "games.txt").write_text(text)
    import_records([tmp_path / "games.txt"], tmp_path / "out", options, overwrite=True)
    result = Dataset.open(tmp_path / "out")
    result.verify()
    return result


def test_positions_moves_and_values(tmp_path: Path) -> None:
    result = import_text(tmp_path, "B h8 h9 j8\nW a1 b2\n\n# remark\nD h8\n")
    rows = everything(result.folder)
    names = [Move.from_index(int(i), 15).name for i in rows.move[:, 0]]
    assert names == ["h8", "h9", "j8", "a1", "b2", "h8"]
    win, loss, draw = [255, 0], [0, 255], [0, 0]
    assert rows.value.tolist() == [win, loss, win, loss, win, draw]
    assert rows.to_move is not None
    assert rows.ply is not None
    assert rows.game is not None
    assert rows.to_move.tolist() == [1, 2, 1, 1, 2, 1]
    assert rows.ply.tolist() == [0, 1, 2, 0, 1, 0]
    assert rows.game.tolist() == [0, 0, 0, 1, 1, 2]
    assert (rows.prob == 255).all()
    board = Board()
    board.push("h8")
    board.push("h9")
    assert np.array_equal(unpack(rows.board[1], 15), stone("h8", 2))
    assert np.array_equal(unpack(rows.board[2], 15), own_view(board.to_array(), 1))
    assert result.manifest.counts == {"games": 3, "positions": 6}


def stone(point: str, owner: int) -> npt.NDArray[np.uint8]:
    """A board with one stone."""
    cells = np.zeros((15, 15), np.uint8)
    move = Move(point)
    cells[move.y, move.x] = owner
    return cells


def test_skip_and_colour(tmp_path: Path) -> None:
    text = "B h8 a1 h9 a2 h10 a3 h11 a4\n"
    rows = everything(import_text(tmp_path, text, RecordOptions(Rule.FREESTYLE, skip=6)).folder)
    assert rows.ply is not None
    assert rows.ply.tolist() == [6, 7]
    black = import_text(tmp_path, text, RecordOptions(Rule.FREESTYLE, skip=3, colour=Colour.BLACK))
    rows = everything(black.folder)
    assert rows.ply is not None
    assert rows.to_move is not None
    assert rows.ply.tolist() == [4, 6]
    assert set(rows.to_move.tolist()) == {1}
    assert black.manifest.counts == {
        "games": 1,
        "opening moves": 3,
        "positions": 2,
        "positions of the other colour": 3,
    }


FIVE = "h8 a1 h9 a2 h10 a3 h11 a4 h12"


def test_the_end_of_the_game(tmp_path: Path) -> None:
    text = f"W {FIVE} b1 b2 b3\n? {FIVE.replace('a', 'c')}\n? a1 b1\n? h8 h8\n? pass\n"
    result = import_text(tmp_path, text)
    rows = everything(result.folder)
    assert len(rows.board) == 18
    # Black has won, regardless of the recorded result.
    assert rows.value.tolist() == 2 * ([[255, 0], [0, 255]] * 4 + [[255, 0]])
    assert result.manifest.counts == {
        "games": 5,
        "positions after the end": 3,
        "games with a wrong result": 1,
        "positions": 18,
        "games without a result": 3,
    }
    kept = import_text(
        tmp_path, f"? {FIVE}\n? a1 b1\n", RecordOptions(Rule.FREESTYLE, keep_unknown=True)
    )
    values = everything(kept.folder).value.tolist()
    assert values[0] == [255, 0]  # from the board
    assert values[9:] == [[85, 85], [85, 85]]


def test_moves_that_the_rule_does_not_allow(tmp_path: Path) -> None:
    double_three = "g8 a1 i8 a3 h7 a5 h9 a7 h8 b2 o1"
    result = import_text(tmp_path, f"W {double_three}\nB h8 h9 h8 a1\nB a1 pass b2\n", RENJU)
    rows = everything(result.folder)
    assert len(rows.board) == 8 + 2 + 2
    assert result.manifest.counts == {
        "games": 3,
        "forbidden moves": 1,
        "positions after an illegal move": 2 + 1,
        "moves on a stone": 1,
        "passes": 1,
        "positions": 12,
    }
    free = import_text(tmp_path, f"W {double_three}\n")
    assert len(free) == 11


def test_games_that_cannot_be_read_and_double_ones(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("B h8 h9\nX h8\nB h8 p9\nB h8 h9\nB h8 h99\nB h8 i9\n")
    manifest, faults = import_records([tmp_path / "games.txt"], tmp_path / "out", FREE)
    assert manifest.counts == {
        "games": 6,
        "positions": 4,
        "games that cannot be read": 3,
        "duplicate games": 1,
    }
    assert [fault.split("games.txt")[1] for fault in faults] == [
        ":2: no result 'X': a line starts with B, W, D or ?",
        ":3: no move 'p9' on a 15x15 board: use names like h8",
        ":5: no move 'h99' on a 15x15 board: use names like h8",
    ]


SGF = (
    "(;GM[4]SZ[15]RU[renju]RE[W+R];B[hh];W[hg](;B[jh];W[ii])(;B[ig]))"
    "(;SZ[9]RE[B+];B[ee])(;SZ[15]RU[freestyle]RE[B+];B[hh])(;SZ[15]RE[0];B[aa];W[bb])"
)
SETUP = "(;SZ[15]RE[W+]AB[hh][ii]AW[aa]PL[W];W[bb];B[cc]AB[dd];W[ee])"


def test_any_format_of_records(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(SGF)
    (tmp_path / "b.psq").write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\na\nb\n-1\n")
    (tmp_path / "c.txt").write_text("rule: renju\nresult: B+\nh8 i9 j10\n")
    files = [tmp_path / name for name in ("a.sgf", "b.psq", "c.txt")]
    manifest, reported = import_records(files, tmp_path / "out", RENJU)
    assert reported == ["--keep-unknown takes the games without a result too"]
    assert manifest.counts == {
        "games": 6,
        "positions": 4 + 2 + 3,
        "games with another board size": 1,
        "games with another rule": 1,
        "games without a result": 1,
    }
    assert manifest.source == "a.sgf, b.psq, c.txt"
    rows = everything(tmp_path / "out")
    assert rows.game is not None
    assert rows.game.tolist() == [0] * 4 + [1] * 2 + [2] * 3


def test_set_up_stones(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(SETUP)
    import_records([tmp_path / "a.sgf"], tmp_path / "out", FREE)
    rows = everything(tmp_path / "out")
    assert rows.to_move is not None
    assert rows.ply is not None
    # A move with set-up stones, and all later moves, are skipped.
    assert rows.to_move.tolist() == [2]
    assert rows.ply.tolist() == [3]
    record = records.read(tmp_path / "a.sgf")[0]
    board = record.board(0)
    assert np.array_equal(unpack(rows.board[0], 15), own_view(board.to_array(), 2))


def test_two_moves_in_a_row(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;SZ[15]RE[B+];B[hh];B[ii];W[jj])")
    import_records([tmp_path / "a.sgf"], tmp_path / "out", FREE)
    rows = everything(tmp_path / "out")
    assert rows.to_move is not None
    assert rows.to_move.tolist() == [1, 1, 2]
    assert (unpack(rows.board, 15) == 1).sum(axis=(1, 2)).tolist() == [0, 1, 0]


@pytest.mark.parametrize(("ending", "module"), [(".xz", lzma), (".gz", gzip), (".bz2", bz2)])
def test_compressed_files(tmp_path: Path, ending: str, module: Any) -> None:
    lines, sgf = tmp_path / f"g.txt{ending}", tmp_path / f"g.sgf{ending}"
    lines.write_bytes(module.compress(b"B h8 h9\n" * 3 + b"W a1 a2\n"))
    sgf.write_bytes(module.compress(SGF.encode()))
    manifest, _ = import_records([lines, sgf], tmp_path / "out", FREE)
    assert manifest.positions == 4 + 1 + 2
    whole = lines.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    for damaged in (bytes(changed), *([whole[:-9]] if ending != ".bz2" else [])):
        lines.write_bytes(damaged)
        _, faults = import_records([lines, sgf], tmp_path / "out", FREE, overwrite=True)
        assert f"{lines}: the file is damaged" in faults[0]


def test_no_positions(tmp_path: Path) -> None:
    cases = [
        (
            "a.sgf",
            "(;SZ[15]RU[renju]RE[B+];B[hh])",
            "no game of rule freestyle: 1 have rule renju",
        ),
        (
            "b.txt",
            "? h8 h9\n",
            "no usable position: 1 games, 1 games without a result; --keep-unknown takes",
        ),
        ("c.sgf", "garbage", "1 games that cannot be read; .*c.sgf"),
    ]
    for name, text, message in cases:
        (tmp_path / name).write_text(text)
        with pytest.raises(BadData, match=message):
            import_records([tmp_path / name], tmp_path / "out", FREE)
        assert not (tmp_path / "out" / "manifest.json").exists()
    with pytest.raises(BadData, match="no file of games"):
        import_records([], tmp_path / "out", FREE)
    with pytest.raises(FileNotFoundError):
        import_records([tmp_path / "nowhere.sgf"], tmp_path / "out", FREE)


def test_terms() -> None:
    with pytest.raises(BadData, match="give the terms"):
        RecordOptions(Rule.RENJU, redistributable=True)
    assert not RecordOptions(Rule.RENJU).redistributable


def random_games(count: int) -> str:
    rng = random.Random(5)
    lines = []
    for _ in range(count):
        board = Board(15, "renju")
        length = rng.randrange(3, 40)
        while board.ply < length and not board.is_over():
            board.push(rng.choice(board.legal_moves()))
        moves = " ".join(map(str, board.moves))
        lines.append(f"{rng.choice('BWD?')} {moves}\n")
    return "".join(lines)


def test_agrees_with_a_simple_import(tmp_path: Path) -> None:
    text = random_games(30)
    rows = everything(import_text(tmp_path, text, RENJU).folder)
    number = 0
    for line in text.splitlines():
        result, *moves = line.split()
        if result == "?":
            continue
        record = Record.from_moves([Move(name) for name in moves], 15, Rule.RENJU)
        for ply, move in enumerate(record.moves):
            board = record.board(ply)
            assert np.array_equal(
                unpack(rows.board[number], 15), own_view(board.to_array(), int(board.turn))
            )
            assert rows.move[number, 0] == move.to_index(15)
            won = {"B": Colour.BLACK, "W": Colour.WHITE}.get(result)
            score = [0, 0] if won is None else [255, 0] if won == board.turn else [0, 255]
            assert rows.value[number].tolist() == score
            number += 1
    assert number == len(rows.board)


def test_no_game_is_in_both_splits(tmp_path: Path) -> None:
    result = import_text(tmp_path, random_games(100), RecordOptions(Rule.RENJU, every=4))
    games = []
    for which in ("train", "validation"):
        view = result.split(which)
        column = view.rows(np.arange(len(view))).game
        assert column is not None
        games.append(set(column.tolist()))
    assert games[0]
    assert games[1]
    assert not games[0] & games[1]
    assert all(game % 4 == 3 for game in games[1])


@pytest.mark.parametrize(("every", "count"), [(4, 25), (6.25, 16)])
def test_a_share_of_the_games_is_held_out(tmp_path: Path, every: float, count: int) -> None:
    options = RecordOptions(Rule.RENJU, every=every, keep_unknown=True)
    result = import_text(tmp_path, random_games(100), options)
    view = result.split("validation")
    column = view.rows(np.arange(len(view))).game
    assert column is not None
    assert len(set(column.tolist())) == count


def test_a_split_by_position(tmp_path: Path) -> None:
    options = RecordOptions(Rule.RENJU, split="position", every=4)
    result = import_text(tmp_path, random_games(30), options)
    view = result.split("validation")
    assert view.numbers(np.arange(len(view))).tolist() == list(range(3, len(result), 4))
    with pytest.raises(BadData, match="split: no 'day': known: game, position"):
        RecordOptions(Rule.RENJU, split="day")


KILLED = """
import os, sys
from pathlib import Path
from tengen.data import writer
from tengen.data.importers.records import RecordOptions, import_records
left = int(sys.argv[3])
real = writer.write_shard
def write(*arguments):
    global left
    left -= 1
    if left == 0:
        (arguments[0] / (arguments[1] + ".board.npy.part")).write_bytes(b"half")
        os.kill(os.getpid(), 9)
    return real(*arguments)
writer.write_shard = write
import_records([Path(sys.argv[1])], Path(sys.argv[2]), RecordOptions("renju", shard_positions=150))
"""


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
def test_killed_and_run_again(tmp_path: Path) -> None:
    file, out = tmp_path / "games.txt", tmp_path / "out"
    file.write_text(random_games(60) * 2)
    options = RecordOptions(Rule.RENJU, shard_positions=150)
    whole, _ = import_records([file], tmp_path / "whole", options)
    assert len(whole.shards) > 4
    for shard in (1, 3, 2):
        command = [sys.executable, "-c", KILLED, str(file), str(out), str(shard)]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(Manifest.load(out).shards) == 3
    with pytest.raises(Unfinished):
        Dataset.open(out)
    again, _ = import_records([file], out, options)
    assert again == whole
    assert same(everything(out), everything(tmp_path / "whole"))
    with pytest.raises(BadData, match="already has this data set"):
        import_records([file], out, options)
    with pytest.raises(BadData, match="other options"):
        import_records([file], out, RecordOptions(Rule.RENJU, shard_positions=150, skip=6))


def test_memory_is_bounded_by_collecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_importer, "_CHUNK", 10)
    text = random_games(20)
    small = everything(import_text(tmp_path, text, RENJU).folder)
    monkeypatch.undo()
    assert same(everything(import_text(tmp_path, text, RENJU).folder), small)
