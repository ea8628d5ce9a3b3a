# SPDX-License-Identifier: MIT
"""PSQ files: orientation, header, names, trailer, times, positions of errors, and records that
cannot be written without loss.
"""

from __future__ import annotations

import random

import pytest

from fuzz.mutate import random_record
from tengen.game import BadRecord, Move, records
from tengen.game.records import Record, psq, sgf

GAME = (
    "Piskvorky 15x15, 11:11, 0\n1,1,0\n8,8,1250\n15,1,33\n"
    "alpha.zip\nbeta.zip\n-1\n0,Freestyle15_1\n"
)


def one(text: str | bytes) -> Record:
    (record,) = psq.loads(text)
    return record


def test_game() -> None:
    record = one(GAME)
    assert (record.size, record.rule, record.format, record.result) == (15, None, "psq", "")
    assert [str(move) for move in record.moves] == ["a1", "h8", "o1"]
    assert [node.time_ms for node in record.main_line()] == [None, None, 1250, 33]
    assert (record.black, record.white) == ("alpha.zip", "beta.zip")
    assert record.root.properties == {"PSQL": ["11:11"], "PSQT": ["-1", "0,Freestyle15_1"]}


def test_same_points_as_gomocup_pairs() -> None:
    move = one("Piskvorky 20x20\n4,17\n").moves[0]
    assert move == Move.parse("3,16") == Move.parse("d17")


@pytest.mark.parametrize(
    "text",
    [
        GAME,
        "Piskvorky 20x20, 0:0, 0\n",
        "Piskvorky 20x20, 0:0, 0\n20,20,0\n",
        "Piskvorky 20x20, 3:0, 1\n20,20,0\nA\nB\n15\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\n-1\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\nonly one\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\none\n1,2\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\n0,Freestyle15_1\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\nPiskvorky\nPiskvorky 8\n-1\n",
        "Piskvorky 15x15, 0:0, 0\n8,8,0\nC:\\a]b\\x.exe\nD\n0\n\n  odd [text]; 1,2\n3,4,5\n",
    ],
)
def test_reading_and_writing_is_the_identity(text: str) -> None:
    record = one(text)
    assert psq.dumps([record]) == text
    assert one(text.replace("\n", "\r\n").encode()) == record
    # Through SGF nothing is lost either.
    through = sgf.loads(sgf.dumps([record]))
    assert through == [record]
    assert one(psq.dumps(through)).moves == record.moves


def test_lenient_forms() -> None:
    record = one("\n piskvorky 15 x 15 , 1:2,0\n\n 8 , 8 \n9,9,\n 9, 8, 12 \n")
    assert [str(move) for move in record.moves] == ["h8", "i9", "i8"]
    assert [node.time_ms for node in record.main_line()[1:]] == [None, None, 12]


def test_second_player_moves_first() -> None:
    record = one("Piskvorky 15x15, 0:0, 1\n8,8,0\nfirst\nsecond\n")
    assert (record.black, record.white) == ("second", "first")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected a line like"),
        ("8,8,0\n", 1, 1, "expected a line like"),
        ("Piskvorky 15x16, 0:0, 0", 1, 1, "15x16"),
        ("Piskvorky 4x4, 0:0, 0", 1, 1, "board size 4"),
        ("Piskvorky 15x15, 0:0, 2", 1, 23, "0 or 1"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n 16,8,0\n", 3, 2, "16 is off"),
        ("Piskvorky 15x15, 0:0, 0\r\n8,8,0\r\n8,0,0\r\n", 3, 3, "0 is off"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,99999999999999\n", 2, 5, "no time"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,-4\n", 2, 5, "no time"),
        ("Piskvorky 15x15, 0:0, 0\n8,,8\n", 2, 1, "expected a move"),
        ("Piskvorky 15x15, 0:0, 0\n1,2,3,4\n", 2, 1, "expected a move"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n10,10,1.5\n9,9,0\n", 3, 1, "expected a move"),
        ("Piskvorky 15x15, 0:0, 0\n 8, 8;0\n9,9,0\n", 2, 1, "expected a move"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n-1\nPiskvorky 20x20, 0:0, 0\n", 4, 1, "another game"),
        ("Piskvorky 15x15, 0:0, 0\r8,8,0\r-1\r piskvorky 20 x", 4, 1, "another game"),
    ],
)
def test_positions_of_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        psq.loads(text, "game.psq")
    error = caught.value
    assert (error.source, error.line, error.column) == ("game.psq", line, column), str(error)
    assert message in error.fault


@pytest.mark.integration
def test_main_lines_of_random_games() -> None:
    rng = random.Random(20260102)
    for _ in range(1000):
        record = random_record(rng, bare=True)
        record.rule = None
        again = one(psq.dumps([record]))
        assert again.moves == record.moves
        assert (again.size, again.black, again.white) == (record.size, record.black, record.white)
        assert one(psq.dumps([again])) == again


@pytest.mark.integration
def test_random_games_with_comments_and_variations() -> None:
    rng = random.Random(20260103)
    kept = 0
    while kept < 1000:
        record = random_record(rng)
        try:
            text = psq.dumps([record])
        except BadRecord:  # a pass, or a move out of turn
            continue
        kept += 1
        assert one(text) == record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;C[hello];B[hh]C[again])", "2 comments"),
        ("(;B[hh](;W[aa])(;W[bb]))", "1 variation"),
        ("(;RU[renju])", "the rule 'renju'"),
        ("(;RE[B+])", "the result 'B+'"),
        ("(;DT[2026]EV[Cup])", "the date '2026', the event 'Cup'"),
        ("(;B[hh]TR[aa]LB[bb:1])", "the properties TR, LB"),
        ("(;PB[12]PW[x])", "the exact name of black"),
    ],
)
def test_extra_data_follow_as_sgf(text: str, message: str) -> None:
    games = sgf.loads(text)
    assert message in ", ".join(psq.losses(games[0]))
    whole = psq.dumps(games)
    assert whole.startswith(psq.dumps(games, lossy=True) + "[SGF]\n(;")
    assert psq.loads(whole) == games
    assert psq.loads(whole.replace("\n", "\r\n").encode()) == games
    assert one(whole).format == "psq"
    bare = one(psq.dumps(games, lossy=True))
    assert bare.moves == games[0].moves
    assert psq.losses(bare) == []


@pytest.mark.parametrize(
    ("part", "place", "message"),
    [
        ("(;SZ[15]C[x];B[hh])", (5, 6), "has another game than the moves before it"),
        ("(;SZ[15]C[x];B[hh];W[gg])(;SZ[15];B[hh];W[gg])", (5, 6), "has another game"),
        ("(;SZ[19]C[x];B[hl];W[gm])", (5, 6), "has another game"),
        ("(;SZ[15]C[x];B[hh];W[zz])", (6, 21), "no point"),
    ],
)
def test_a_wrong_sgf_part(part: str, place: tuple[int, int], message: str) -> None:
    text = "Piskvorky 15x15, 0:0, 0\n8,8,0\n7,9,0\n-1\n[SGF]\n"
    with pytest.raises(BadRecord, match=message) as caught:
        psq.loads(text + part + "\n", "game.psq")
    assert caught.value.source == "game.psq"
    assert (caught.value.line, caught.value.column) == place


def test_records_that_psq_cannot_express() -> None:
    for text, message in [
        ("(;B[hh];W[])", "pass"),
        ("(;W[hh])", "white's"),
        ("(;B[hh];B[aa])", "move 2"),
        ("(;AB[aa];B[hh])", "set-up"),
        ("(;PL[W];W[hh])", "set-up"),
    ]:
        with pytest.raises(BadRecord, match=message):
            psq.dumps(sgf.loads(text), lossy=True)
    with pytest.raises(BadRecord, match="one game, not 2"):
        psq.dumps(sgf.loads("(;)(;)"))
    with pytest.raises(BadRecord, match="levels"):
        psq.dumps(sgf.loads("(;PSQL[x])"))


def test_one_player_without_a_name() -> None:
    text = psq.dumps(sgf.loads("(;PW[Bob];B[hh])"))
    assert text == "Piskvorky 15x15, 0:0, 0\n8,8,0\nhomo-1\nBob\n-1\n"


def test_format_detection() -> None:
    assert records.loads(GAME)[0].format == "psq"
    assert records.losses(records.loads(GAME)[0], "plain") == [
        "2 times of a move",
        "the properties PSQL, PSQT",
    ]
    assert records.losses(records.loads(GAME)[0], "sgf") == []
