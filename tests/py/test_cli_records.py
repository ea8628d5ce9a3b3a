# SPDX-License-Identifier: MIT
"""`tengen show` and `tengen data`: output, messages on stderr, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen.cli.main import main
from tengen.game import records

SGF = (
    "(;GM[4]SZ[15]PB[Ann]PW[Bob]RU[renju]RE[B+]C[Start\n\x1b[31mred];B[hh];W[hg]C[good]"
    "(;B[jh];W[ii])(;B[ig];W[aa](;B[bb])(;B[cc])))"
)
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,1250\nalpha.zip\nbeta.zip\n-1\n"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text(SGF + "(;SZ[9];B[ee])")
    (tmp_path / "b.psq").write_text(PSQ)
    (tmp_path / "c.txt").write_text("rule: renju\ng8 a1 i8 a3 h7 a5 h9 a7 h8 b2")
    (tmp_path / "notes.md").write_text("no record")
    return tmp_path


# --- show ---------------------------------------------------------------------------------------


def test_show(folder: Path, capsys: Capture) -> None:
    assert main(["show", "a.sgf"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "a.sgf (sgf), game 1 of 2\n  rule    renju\n  size    15\n  black   Ann\n"
    )
    assert "after move 4 of 4: i7 (white)" in out
    assert str(records.read("a.sgf")[0].board()) in out
    assert "\x1b" not in out
    moves = out[out.index("  1 h8") :].splitlines()
    assert moves == [
        "  1 h8     2 h9",
        "      good",
        "  3 j8",
        "    [3.2]   3 i9     4 a15    5 b14",
        "        [5.2]   5 c13",
        "  4 i7",
    ]


def test_show_a_move_of_a_variation(folder: Path, capsys: Capture) -> None:
    assert main(["show", "a.sgf", "--variation", "3.2,5.2", "--move", "5"]) == 0
    assert "after move 5 of 5: c13 (black)" in capsys.readouterr().out
    assert main(["show", "a.sgf", "--game", "2", "--move", "0"]) == 0
    assert "after move 0 of 1\n" in capsys.readouterr().out


def test_show_reports_a_forbidden_move(folder: Path, capsys: Capture) -> None:
    assert main(["show", "c.txt"]) == 0
    out = capsys.readouterr().out
    assert "after move 8 of 10: a7 (white)" in out
    assert "cannot be replayed further: move 9: h8 is forbidden to black: a double-three" in out
    assert "9 h8" in out
    assert main(["show", "c.txt", "--rule", "freestyle"]) == 0
    assert "after move 10 of 10" in capsys.readouterr().out


def test_show_json(folder: Path, capsys: Capture) -> None:
    assert main(["show", "a.sgf", "--json", "--move", "2"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["black"], result["rule"], result["games"]) == ("Ann", "renju", 2)
    assert result["moves"] == ["h8", "h9", "j8", "i7"]
    assert result["shown"] == {
        "ply": 2,
        "rule": "renju",
        "to_move": "black",
        "black": ["h8"],
        "white": ["h9"],
    }
    assert result["nodes"][2] == {"parent": 1, "move": "h9", "colour": "white", "comment": "good"}
    assert [node["parent"] for node in result["nodes"]] == [-1, 0, 1, 2, 3, 2, 5, 6, 6]
    assert result["fault"] is None


def test_show_svg(folder: Path, capsys: Capture) -> None:
    assert main(["show", "b.psq", "--svg", "out.svg"]) == 0
    picture = (folder / "out.svg").read_text()
    assert picture.startswith("<svg")
    assert ">2</text>" in picture


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.sgf"], "No such file"),
        (["notes.md"], "unknown kind of game record"),
        (["a.sgf", "--game", "3"], "no game 3: the file has 2"),
        (["a.sgf", "--move", "99"], "no move 99: the line has 4 moves"),
        (["a.sgf", "--variation", "3.9"], "move 3 has no alternative 9"),
        (["a.sgf", "--variation", "x"], "no variation 'x'"),
    ],
)
def test_show_faults(folder: Path, capsys: Capture, arguments: list[str], message: str) -> None:
    assert main(["show", *arguments]) == 1
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("tengen show: ")
    assert message in caught.err


def test_show_a_deep_tree(folder: Path, capsys: Capture) -> None:
    deep = "(;B[aa](;W[bb])" * 20_000 + ")" * 20_000
    (folder / "deep.sgf").write_text(deep)
    assert main(["show", "deep.sgf", "--move", "1"]) == 0
    assert capsys.readouterr().out.count("[") > 10_000
    assert main(["show", "deep.sgf", "--move", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 40_000


# --- info ---------------------------------------------------------------------------------------


def test_info(folder: Path, capsys: Capture) -> None:
    assert main(["data", "info", "."]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.sgf: sgf, 2 games",
        "  sizes    15 (1), 9 (1)",
        "  rules    renju (1), unknown (1)",
        "  results  B+ (1), unknown (1)",
        "  moves    min 1, median 2.5, max 4",
        "b.psq: psq, 1 game",
        "  sizes    15 (1)",
        "  rules    unknown (1)",
        "  results  unknown (1)",
        "  moves    min 2, median 2, max 2",
        "c.txt: plain, 1 game",
        "  sizes    15 (1)",
        "  rules    renju (1)",
        "  results  unknown (1)",
        "  moves    min 10, median 10, max 10",
        "  fault    game 1: move 9: h8 is forbidden to black: a double-three",
        "3 files (0 broken), 4 games",
        "  sizes    15 (3), 9 (1)",
        "  rules    renju (2), unknown (2)",
        "  results  unknown (3), B+ (1)",
    ]


def test_info_of_many_files_reports_those_with_faults(folder: Path, capsys: Capture) -> None:
    for number in range(30):
        (folder / f"game-{number}.txt").write_text("h8 i9")
    assert main(["data", "info", "."]) == 0
    out = capsys.readouterr().out
    assert "c.txt: plain" in out
    assert "game-1.txt" not in out
    assert "33 files (0 broken), 34 games" in out
    assert main(["data", "info", ".", "--each"]) == 0
    assert "game-1.txt" in capsys.readouterr().out


def test_info_continues_after_a_broken_file(folder: Path, capsys: Capture) -> None:
    (folder / "0.sgf").write_text("(;B[hh]\n;W[")
    assert main(["data", "info", "0.sgf", "none.sgf", "b.psq"]) == 1
    out = capsys.readouterr().out
    assert "0.sgf: cannot be read\n  0.sgf:2:3: the value of W has no end" in out
    assert "none.sgf: cannot be read" in out
    assert "b.psq: psq, 1 game" in out
    assert main(["data", "info", "0.sgf", "b.psq", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert (result["games"], result["broken"]) == (1, 1)
    assert result["files"][1]["moves"] == {"min": 2, "median": 2, "max": 2}


def test_info_of_an_empty_folder(folder: Path, capsys: Capture) -> None:
    (folder / "empty").mkdir()
    assert main(["data", "info", "empty"]) == 1
    assert ".psq, .sgf" in capsys.readouterr().err


def test_info_of_a_game_without_rule_that_fits_one(folder: Path, capsys: Capture) -> None:
    # Six in a row ends a freestyle game; a standard game continues.
    six = "h1 a1 i1 a3 j1 a5 l1 a7 m1 a9 k1 a11"
    (folder / "six.txt").write_text(six)
    assert main(["data", "info", "six.txt"]) == 0
    assert "fault" not in capsys.readouterr().out
    (folder / "six.txt").write_text("rule: freestyle\n" + six)
    assert main(["data", "info", "six.txt"]) == 0
    assert "fault    game 1: move 12" in capsys.readouterr().out


# --- convert ------------------------------------------------------------------------------------


def test_convert_and_back(folder: Path, capsys: Capture) -> None:
    assert main(["data", "convert", "b.psq", "b.sgf"]) == 0
    assert main(["data", "convert", "b.sgf", "again.psq"]) == 0
    assert (folder / "again.psq").read_text() == PSQ
    assert capsys.readouterr().err == ""


def test_convert_reports_what_is_lost(folder: Path, capsys: Capture) -> None:
    (folder / "one.sgf").write_text(SGF)
    assert main(["data", "convert", "one.sgf", "one.txt"]) == 1
    err = capsys.readouterr().err
    assert "one.sgf: not written" in err
    assert "2 comments, 2 variations" in err
    assert "--lossy leaves it out" in err
    assert not (folder / "one.txt").exists()
    assert main(["data", "convert", "one.sgf", "one.txt", "--lossy"]) == 0
    assert "plain cannot hold 2 comments" in capsys.readouterr().err
    assert [str(move) for move in records.read("one.txt")[0].moves] == ["h8", "h9", "j8", "i7"]


def test_convert_through_psq_loses_nothing(folder: Path, capsys: Capture) -> None:
    (folder / "one.sgf").write_text(SGF)
    assert main(["data", "convert", "one.sgf", "one.psq"]) == 0
    assert capsys.readouterr().err == ""
    assert records.read("one.psq") == records.read("one.sgf")
    assert main(["data", "convert", "one.sgf", "bare.psq", "--lossy"]) == 0
    assert "[SGF]" not in (folder / "bare.psq").read_text()


def test_convert_does_not_overwrite(folder: Path, capsys: Capture) -> None:
    assert main(["data", "convert", "b.psq", "c.txt", "--lossy"]) == 1
    assert "--overwrite" in capsys.readouterr().err
    assert (folder / "c.txt").read_text().startswith("rule: renju")
    assert main(["data", "convert", "b.psq", "c.txt", "--lossy", "--overwrite"]) == 0
    assert (folder / "c.txt").read_text().endswith("\n\nh8 i9\n")


def test_convert_several_into_one(folder: Path, capsys: Capture) -> None:
    assert main(["data", "convert", "a.sgf", "b.psq", "c.txt", "all.sgf", "--rule", "caro"]) == 0
    games = records.read("all.sgf")
    assert len(games) == 4
    assert {str(game.rule) for game in games} == {"caro"}
    assert main(["data", "convert", "a.sgf", "x.txt"]) == 1
    assert "a plain file holds one game, not 2: give a folder as OUT" in capsys.readouterr().err


def test_convert_a_folder_continues_after_a_file_that_cannot_be_written(
    folder: Path, capsys: Capture
) -> None:
    (folder / "out" / "a.sgf").mkdir(parents=True)
    assert main(["data", "convert", ".", "out/", "--to", "sgf"]) == 1
    assert "out/a.sgf: Is a directory" in capsys.readouterr().err
    assert {"b.sgf", "c.sgf"} <= {file.name for file in (folder / "out").iterdir()}


def test_rules_in_any_case(folder: Path, capsys: Capture) -> None:
    assert main(["show", "b.psq", "--rule", "Renju", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shown"]["rule"] == "renju"
    assert main(["data", "convert", "b.psq", "b.sgf", "--rule", "CARO"]) == 0
    assert records.read("b.sgf")[0].rule == "caro"


def test_convert_a_folder(folder: Path, capsys: Capture) -> None:
    (folder / "broken.sgf").write_text("(;B[")
    assert main(["data", "convert", ".", "out/", "--to", "plain", "--lossy"]) == 1
    assert sorted(file.name for file in (folder / "out").iterdir()) == [
        "a-1.txt",
        "a-2.txt",
        "b.txt",
        "c.txt",
    ]
    err = capsys.readouterr().err
    assert "broken.sgf:1:4: the value of B has no end" in err
    assert "4 files written to out, 1 failed" in err
    assert main(["data", "convert", "a.sgf", "b.psq", "both", "--to", "sgf"]) == 0
    assert sorted(file.name for file in (folder / "both").iterdir()) == ["a.sgf", "b.sgf"]


def test_convert_does_not_mix_up_equal_names(folder: Path, capsys: Capture) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "b.psq").write_text(PSQ)
    assert (
        main(["data", "convert", "b.psq", "sub/b.psq", "out/", "--to", "sgf", "--overwrite"]) == 1
    )
    assert "b.sgf was written from another file" in capsys.readouterr().err


def test_convert_with_size_and_format(folder: Path, capsys: Capture) -> None:
    (folder / "moves").write_text("t20 a1")
    assert main(["data", "convert", "moves", "m.sgf"]) == 1
    assert "'t20' is off the 15x15 board" in capsys.readouterr().err
    assert main(["data", "convert", "moves", "m.sgf", "--size", "20", "--from", "plain"]) == 0
    assert records.read("m.sgf")[0].size == 20
    assert main(["data", "convert", "moves", "m.sgf", "--size", "50", "--overwrite"]) == 1
    assert "5 to 22" in capsys.readouterr().err


def test_convert_wrong_usage(folder: Path, capsys: Capture) -> None:
    assert main(["data", "convert", "a.sgf", "out/"]) == 2
    assert "--to" in capsys.readouterr().err
    assert main(["data", "convert", "a.sgf", "x.doc"]) == 1
    assert "no format has the extension" in capsys.readouterr().err
    assert main(["data"]) == 2
    assert "convert" in capsys.readouterr().out
    for arguments in (
        ["data", "convert", "a.sgf"],
        ["data", "convert", "a.sgf", "b.sgf", "--to", "pgn"],
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2


@pytest.mark.parametrize("command", [["show"], ["data", "info"], ["data", "convert"]])
def test_help_has_examples(command: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command, "--help"])
    assert caught.value.code == 0
    assert "examples:\n  tengen " in capsys.readouterr().out


def test_openings_of_another_size(folder: Path, capsys: Capture) -> None:
    """Gomocup's openings for 20x20, without a board size."""
    (folder / "twenty.txt").write_text("-9,9, 0,0, 9,-9\n")
    assert main(["data", "info", "twenty.txt"]) == 1
    assert "off the 15x15 board" in capsys.readouterr().out
    assert main(["data", "info", "twenty.txt", "--size", "20"]) == 0
    assert "sizes    20 (1)" in capsys.readouterr().out
    assert main(["show", "twenty.txt", "--size", "20", "--from", "openings"]) == 0
    assert "1 b20    2 k11    3 t2" in capsys.readouterr().out
    assert main(["show", "twenty.txt", "--size", "40"]) == 1
    assert "boards have 5 to 22 lines" in capsys.readouterr().err
