# SPDX-License-Identifier: MIT
"""Files of the terminal game: saving, loading, autosave, and preserved variations."""

from __future__ import annotations

from pathlib import Path

from tengen import Move, Rule
from tengen.cli.terminal_game import TerminalGame
from tengen.game import records
from tengen.game.recorded_game import RecordedGame
from tengen.game.records import Node, Record
from terminal_dialogue import BLACK_WINS, CROSSED, names, play, talk, terminal_game


def test_save_and_load(tmp_path: Path) -> None:
    at = terminal_game("standard", 19)
    play(at, "j10 a1 k11 pass")
    for ending in ("sgf", "txt"):
        path = tmp_path / f"my game.{ending}"
        assert at.handle(f"save {path}").lines == (f"Saved to {path}.",)
        other = terminal_game()
        talk(
            other,
            f"""
            > load {path}
            < Loaded {path}: standard on 19x19.
            < 4. white passed. Black to move.
            """,
        )
        assert names(other.game.board.moves) == "j10 a1 k11 pass"


def test_what_a_format_cannot_hold_is_reported(tmp_path: Path) -> None:
    at = terminal_game("standard")
    play(at, "h8 i9")
    path = tmp_path / "game.psq"
    talk(
        at,
        f"""
        > save "{path}"
        < Saved to {path}.
        > load {path}
        < Loaded {path}: standard on 15x15.
        > pass
        > save! {path}
        < pass
        """,
    )
    path.write_text("Piskvorky 15x15, 0:0, 0\n8,8,0\n")
    talk(at, f"> load {path}\n< The file does not name its rule: playing freestyle.")
    commented = tmp_path / "game.sgf"
    commented.write_text("(;GM[4]SZ[15]C[a word];B[hh])")
    talk(at, f"> load {commented}\n> save {tmp_path / 'moves.txt'}\n< without 1 comment.")


def test_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("precious")
    at = terminal_game()
    talk(at, f"> save {path}\n< exists already: `save! {path}` replaces it.")
    assert path.read_text() == "precious"
    talk(at, f"> save! {path}\n< Saved to")
    assert records.read(path)[0].size == 15
    picture = tmp_path / "board.svg"
    talk(at, f"> svg {picture}\n< Wrote {picture}.\n> svg {picture}\n< `svg! {picture}`")
    talk(at, f"> svg! {picture}\n< Wrote")


def test_bad_files(tmp_path: Path) -> None:
    bad = tmp_path / "bad.sgf"
    bad.write_text("(;GM[4]SZ[15];B[zz", encoding="utf-8")
    at = terminal_game()
    play(at, "h8")
    talk(
        at,
        f"""
        > load
        < `load` needs the name of a file, such as load game.sgf.
        > save ""
        < `save` needs the name of a file
        > load {tmp_path}/none.sgf
        < none.sgf: No such file or directory
        > load {tmp_path}
        < Is a directory
        > load {bad}
        < bad.sgf
        > save {tmp_path}/none/game.sgf
        < No such file or directory
        > save {tmp_path}/game.xyz
        < no format has the extension
        > load ~nobody-has-this-name/game.sgf
        < nobody-has-this-name
        > save a\x00b.sgf
        < null
        """,
    )
    assert names(at.game.board.moves) == "h8"
    assert not (tmp_path / "game.xyz").exists()


def test_svg_shows_numbers_and_crosses(tmp_path: Path) -> None:
    at = terminal_game()
    play(at, CROSSED)
    talk(at, f"> svg {tmp_path}/board.svg\n< Wrote")
    picture = (tmp_path / "board.svg").read_text(encoding="utf-8")
    assert ">26</text>" in picture
    assert "g7: forbidden, overline" in picture
    play(at, "forbidden")
    talk(at, f"> svg! {tmp_path}/board.svg\n< Wrote")
    assert "forbidden," not in (tmp_path / "board.svg").read_text(encoding="utf-8")


def test_autosave_follows_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    at = terminal_game(autosave=path)
    assert not path.exists()
    for number, move in enumerate(("h8", "i9", "j10"), 1):
        at.handle(move)
        assert len(records.read(path)[0].moves) == number
    at.handle("undo 2")
    assert names(records.read(path)[0].moves) == "h8"
    at.handle("redo")
    at.handle("a1")
    (record,) = records.read(path)
    assert names(record.moves) == "h8 i9 a1"
    assert len(list(record.nodes())) == 4, "what was taken back is gone"
    assert record.rule == Rule.RENJU
    assert at.handle("quit").lines == (f"The game is in {path}.",)
    assert sorted(tmp_path.iterdir()) == [path]


def test_autosave_writes_the_result(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    at = terminal_game(autosave=path)
    play(at, BLACK_WINS)
    assert records.read(path)[0].result == "B+"
    at.handle("undo")
    assert records.read(path)[0].result == ""


def test_another_game_gets_another_file(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    at = terminal_game(autosave=path)
    talk(at, f"> new\n< Saving to {path} from now on.")
    play(at, "h8 i9")
    talk(at, f"> new caro\n< Saving to {tmp_path / 'game-2.sgf'} from now on.")
    play(at, "a1")
    talk(at, f"> load {path}\n< Saving to {tmp_path / 'game-3.sgf'} from now on.")
    play(at, "b2")
    saved = {file.name: names(records.read(file)[0].moves) for file in tmp_path.iterdir()}
    assert saved == {"game.sgf": "h8 i9", "game-2.sgf": "a1", "game-3.sgf": "h8 i9 b2"}


def test_a_failing_autosave_is_reported_and_the_game_continues(tmp_path: Path) -> None:
    at = terminal_game(autosave=tmp_path / "none" / "game.sgf")
    talk(at, "> h8\n< Not saved:\n< 1. black h8. White to move.")
    psq = terminal_game(autosave=tmp_path / "game.psq")
    talk(psq, "> h8\n<! cannot hold\n> i9\n<! Not saved\n> pass\n< Not saved")


# A loaded tree


def tree(tmp_path: Path) -> Path:
    """A game with names, a comment, and a variation at move 3."""
    record = Record.from_moves([Move.parse(m) for m in ("h8", "i9", "j10")], rule=Rule.RENJU)
    record.black, record.white, record.result = "Ada", "Bo", "W+"
    second = record.root.children[0].children[0]
    second.comment = "An \x1b[31mold\x1b[0m opening"
    other = Node(Move.parse("g7"), second.children[0].colour)
    other.children.append(Node(Move.parse("g8"), second.colour))
    second.children.append(other)
    path = tmp_path / "tree.sgf"
    records.write([record], path)
    return path


def test_a_loaded_tree_is_kept(tmp_path: Path) -> None:
    path = tree(tmp_path)
    before = records.read(path)
    at = TerminalGame(RecordedGame.load(path), autosave=path)
    talk(
        at,
        """
        > undo
        < old
        <! \x1b
        > g7
        < 3. black g7.
        > redo
        < 4. white g8.
        > undo 2
        > j10
        < 3. black j10.
        """,
    )
    assert records.read(path) == before, "walking about changes nothing"
    play(at, "a1 undo undo b2 c3")
    (record,) = records.read(path)
    assert names(record.moves) == "h8 i9 b2 c3"
    assert record.result == ""
    second = record.root.children[0].children[0]
    assert [str(child.move) for child in second.children] == ["b2", "j10", "g7"]
    assert (record.black, record.white) == ("Ada", "Bo")
    play(at, "undo undo")
    assert records.read(path) == before, "what was taken back is gone"


def test_a_file_that_breaks_the_rule_is_played_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "broken.sgf"
    path.write_text("(;GM[4]SZ[15]RU[renju];B[hh];W[hh];B[aa])", encoding="utf-8")
    at = terminal_game()
    talk(at, f"> load {path}\n< The game was not played to its end.\n< 1. black h8. White to move.")
    talk(at, "> i9\n< 2. white i9.\n> undo 2\n< Black to move.")


def test_set_up_stones_stay(tmp_path: Path) -> None:
    path = tmp_path / "study.sgf"
    path.write_text("(;GM[4]SZ[15]AB[hh][jj]AW[ii];W[aa];B[bb])", encoding="utf-8")
    at = terminal_game()
    talk(
        at, f"> load {path}\n< 2. black\n> undo 2\n< White to move.\n> undo\n< no move to take back"
    )
    assert len(at.game.board.stones()) == 3


def test_several_games_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "many.sgf"
    records.write([Record.from_moves([Move(7, 7)]), Record.from_moves([Move(0, 0)])], path)
    talk(
        terminal_game(),
        f"> load {path}\n< The file has 2 games: this is the first.\n< 1. black h8.",
    )


def test_a_redo_that_breaks_a_rule_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[15]RU[caro];B[hh];W[ii](;B[jj])(;B[kk];W[kk]))", encoding="utf-8")
    at = TerminalGame(RecordedGame.load(path), autosave=tmp_path / "saved.sgf")
    talk(
        at,
        """
        > undo
        > k5
        < 3. black k5. White to move.
        > redo
        < move 4: k5
        > board
        < 3. black k5. White to move.
        > a1
        < 4. white a1.
        > undo 2
        < 2. white i7. Black to move.
        > redo 2
        < 4. white a1.
        > undo
        """,
    )
    assert records.read(tmp_path / "saved.sgf") == records.read(path)
    assert not any("not played to its end" in note for note in at.game.notes)


def test_an_unknown_rule_stays_in_the_file(tmp_path: Path) -> None:
    path, saved = tmp_path / "game.sgf", tmp_path / "saved.sgf"
    path.write_text("(;GM[4]SZ[15]RU[Soosorv-8];B[hh])", encoding="utf-8")
    reported = "> a1\n< 2. white a1.\n"
    at = terminal_game()
    talk(at, f"> load {path}\n< names an unknown rule, Soosorv-8: playing freestyle.")
    talk(at, f"{reported}> save {saved}\n< Saved to {saved}.")
    assert "RU[Soosorv-8]" in saved.read_text()
    given = TerminalGame(RecordedGame.load(path, Rule.RENJU))
    talk(given, f"{reported}> save! {saved}\n< Saved to {saved}.")
    assert "RU[renju]" in saved.read_text()
    assert given.game.notes == []


def test_moves_out_of_turn_are_shown_with_their_colour(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[4]SZ[15];B[hh];B[jj];B[aa])", encoding="utf-8")
    at = terminal_game()
    talk(at, f"> load {path}\n< 3. black a15. White to move.")
    talk(at, "> undo\n< 2. black j6. Black to move.\n> a1\n< 3. black a1. White to move.")


def test_control_characters_of_a_file_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2J.sgf"
    path.write_text("(;GM[4]SZ[15];B[\x1b[2J])", encoding="utf-8")
    talk(terminal_game(), f"> load {path}\n< is no point\n<! \x1b")


def test_the_autosave_file_can_be_saved_to(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    at = terminal_game(autosave=path)
    play(at, "h8")
    talk(at, f"> save {path}\n< Saved to {path}.")
