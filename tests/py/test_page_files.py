# SPDX-License-Identifier: MIT
"""Lists of moves, links, reviews, pictures and file names of the page, and hostile texts.

Runs its TypeScript in node; skipped where it or esbuild is missing.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from page_records import (
    FILES,
    ROOT,
    WHOLE,
    Ask,
    PageFault,
    check_equal,
    corpus,
    page_start,
    page_tree,
    start_page,
)
from tengen.game import BadRecord, Board, Colour, records
from tengen.game.records import plain, sgf

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    yield from start_page(tmp_path_factory.mktemp("page"))


# --- other texts ----------------------------------------------------------------------------------

PLAIN = [
    "h8 i9 g7",
    "H8, I9; G7",
    "h8i9g7",
    "1. h8 i9 2. g7",
    "1) h8\n2) i9",
    "7,7 8,8 6,6",
    "7,7\n8 , 8",
    "pass -- h8",
    "size: 15\nrule: renju\nblack: Ann\nwhite: Bob # 2\nresult: B+\nevent: Cup\n\nh8 pass i9",
    "# a comment\nSIZE: 20 # large\nt20 a1 19,0",
    "rule: caro6",
    "1... h8",
]


@pytest.mark.parametrize("text", PLAIN)
def test_lists_of_moves(ask: Ask, text: str) -> None:
    (record,) = plain.loads(text)
    (game,) = ask("read", text=text, name="", rule="caro")
    check_equal(game, record)
    (again,) = plain.loads(ask("plain", game={**game, "position": {
        **game["position"], "moves": [node["move"] for node in game["nodes"]]}}))  # fmt: skip
    assert again.moves == record.moves


@pytest.mark.parametrize(
    "text", ["h8 x", "h8 p1", "h99", "size: 4\nh8", "rule: go\nh8", "h8\nrule: renju", "7,7,7 h8"]
)
def test_damaged_lists_of_moves(ask: Ask, text: str) -> None:
    with pytest.raises(BadRecord) as theirs:
        plain.loads(text)
    with pytest.raises(PageFault) as ours:
        ask("read", text=text, name="a.moves")
    assert ours.value.args[1:] == (theirs.value.line, theirs.value.column)


def test_formats_of_the_server(ask: Ask) -> None:
    psq = records.dumps(plain.loads("h8 i9")[0], "psq")
    for text, name in ((psq, ""), (psq, "a.psq"), ("1,-1, 2,3", ""), ("1,2", "a.openings")):
        with pytest.raises(PageFault, match="server"):
            ask("read", text=text, name=name)


@pytest.mark.parametrize("name", [*WHOLE, "damaged"])
def test_links(ask: Ask, name: str) -> None:
    for game in ask("parse", text=corpus(name)):
        for at in {-1, 0, len(game["nodes"]) - 1}:
            if at >= len(game["nodes"]):
                continue
            fragment = ask("link", game=game, at=at)
            assert re.fullmatch(r"[\w%/=&!;+.,:~*'()-]*", fragment, re.ASCII)
            for address in (
                f"https://example.org/a/#{fragment}",
                f"#{fragment}",
                f" x#{fragment}\n",
            ):
                linked = ask("open", text=address)
                assert linked["at"] == at
                assert page_tree(linked["game"]) == page_tree(game)
                assert page_start(linked["game"]) == page_start(game)
                for key in ("names", "rootComment"):
                    assert linked["game"][key] == game[key]
            (read,) = ask("read", text=f"http://127.0.0.1:8361/#{fragment}", name="")
            assert page_tree(read) == page_tree(game)


def test_the_link_of_the_documentation(ask: Ask) -> None:
    text = (ROOT / "docs" / "formats" / "link.md").read_text("utf-8")
    address = next(line for line in text.splitlines() if line.startswith("https://"))
    linked = ask("open", text=address)
    assert page_tree(linked["game"]) == [
        ("h8", "", [("i9", "a quiet move", [("j10", "", [])]), ("k7", "", [("g9", "", [])])])
    ]
    assert linked["game"]["names"]["white"] == "Bob"
    assert linked["game"]["nodes"][linked["at"]]["move"] == "j10"
    assert ask("link", game=linked["game"], at=1).endswith("&black=Ann&white=Bob&at=2")


def test_a_long_game_is_linked_by_its_line(ask: Ask) -> None:
    nodes = [
        {"parent": n - 1, "move": "pass", "comment": "long " * 90, "data": None} for n in range(40)
    ]
    nodes.append({"parent": 3, "move": "h8", "comment": "", "data": None})
    game = ask("parse", text=corpus("bare"))[0] | {"nodes": nodes}
    fragment = ask("link", game=game, at=40)
    assert len(fragment) < 8000
    linked = ask("open", text="#" + fragment)
    assert [node["move"] for node in linked["game"]["nodes"]] == ["pass"] * 4 + ["h8"]
    assert linked["at"] == 4
    assert len(ask("open", text="#" + ask("link", game=game, at=39))["game"]["nodes"]) == 40


@pytest.mark.parametrize(
    ("text", "moves", "setup"),
    [
        ("#p=renju/15/h8i9j10pass", ["h8", "i9", "j10", "pass"], None),
        ("http://[::1]:8361/#p=caro6/19/a1t19", ["a1", "t19"], None),
        ("#token=abc&p=renju%2F15%2Fh8", ["h8"], None),
        ("#p%3Drenju%2F15%2Fh8", ["h8"], None),
        (
            "#p=renju/15/k9/h8i9/g7/white",
            ["k9"],
            {"black": ["h8", "i9"], "white": ["g7"], "turn": "white"},
        ),
    ],
)
def test_links_of_the_first_version(
    ask: Ask, text: str, moves: list[str], setup: dict[str, Any] | None
) -> None:
    linked = ask("open", text=text)
    assert [node["move"] for node in linked["game"]["nodes"]] == moves
    assert linked["game"]["position"]["setup"] == setup
    assert linked["at"] == len(moves) - 1


@pytest.mark.parametrize("text", ["#g=", "#p=//", "#p=%zz", "#g=renju/99/h8", "#g=renju/15/h8?i9"])
def test_damaged_links(ask: Ask, text: str) -> None:
    with pytest.raises(PageFault, match="link"):
        ask("open", text=text)


def test_texts_without_a_link(ask: Ask) -> None:
    for text in ("h8 i9", "#analyse", "https://example.org/", "see #p=renju/15/h8 there", ""):
        assert ask("open", text=text) is None


def test_a_link_in_a_comment_of_an_sgf(ask: Ask) -> None:
    (game,) = ask("read", text="(;B[hh]C[https://example.org/#g=renju/15/i9])", name="")
    assert [node["move"] for node in game["nodes"]] == ["h8"]


# --- reviews, pictures, names ---------------------------------------------------------------------


def test_a_review_is_written_as_by_python(ask: Ask) -> None:
    from tengen.engine import review as reviews
    from tengen.engine.score import PovScore, Score

    (record,) = sgf.loads(corpus("annotations"))
    moves = record.moves
    values = [120, -300, 900, -50]
    verdicts = ["best", "missed_win", "inaccuracy", "forced"]
    better = [(), tuple(moves[2:4]), (moves[0], moves[1], moves[2]), ()]
    reviewed = []
    for ply, (move, value, verdict, line) in enumerate(
        zip(moves, values, verdicts, better, strict=False), 1
    ):
        colour = Colour.BLACK if ply % 2 else Colour.WHITE
        score = PovScore(Score(value), colour)
        after = reviews.Assessment(score)
        reviewed.append(
            reviews.ReviewedMove(
                ply, move, colour, reviews.MoveVerdict(verdict), 0.23, after, after, line
            )
        )
    accuracies = {Colour.BLACK: 71.3, Colour.WHITE: None}
    result = reviews.Review(Board(15, "renju"), after, tuple(reviewed), accuracies)
    event = {
        "moves": [
            {
                "ply": move.ply,
                "move": move.move.name,
                "colour": str(move.colour),
                "verdict": str(move.verdict),
                "loss": move.loss,
                "better": [point.name for point in move.better],
                "win_rate": move.after.score.black().win_rate,
                "mate": None,
            }
            for move in reviewed
        ],
        "accuracy_black": 71.3,
        "accuracy_white": None,
    }
    (game,) = ask("parse", text=corpus("annotations"))
    ours = sgf.loads(ask("write", game=ask("annotate", game=game, review=event)))[0]
    assert ours == reviews.annotate_record(record, result)


@pytest.mark.parametrize("size", [5, 12, 15, 19, 22])
@pytest.mark.parametrize("coordinates", [True, False])
def test_pictures_are_those_of_python(ask: Ask, size: int, coordinates: bool) -> None:
    rng = random.Random(size)
    games = {15: "h8 h9 i8 g8 i7 i9 g9 f10 j6 k5 h7", 12: "c3 a1 d3 a2 e3 b1 f3 b2 g3"}
    board = Board(size, "renju")
    for move in games.get(size, "a1 b2 pass c3").split():
        board.push(move)
    if size == 15:
        assert board.forbidden_points() or board.turn is Colour.WHITE
    outcome = board.outcome()
    shown = board.turn is Colour.BLACK and outcome is None
    view = {
        "ply": board.ply,
        "stones": "".join(".bw"[cell] for cell in board._core.cells()),
        "turn": str(board.turn),
        "last": next((m.name for m in reversed(board.moves) if not m.is_pass), None),
        "forbidden": [
            {"point": move.name, "reason": why.value}
            for move, why in (board.forbidden_points() if shown else {}).items()
        ],
        "outcome": outcome
        and {
            "winner": "black",
            "reason": "five",
            "lines": [[point.name for point in line] for line in outcome.lines],
        },
    }
    numbers = {m.name: n for n, m in enumerate(board.moves, 1) if not m.is_pass}
    for shown_numbers in (None, numbers):
        options = {
            "size": size,
            "numbers": shown_numbers,
            "width": rng.randrange(100, 2000),
            "coordinates": coordinates,
        }
        ours = ask("draw", view=view, options=options)
        theirs = board.svg(
            numbers=shown_numbers is not None, width=options["width"], coordinates=coordinates
        )
        assert ours == theirs


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("(;RU[renju];B[hh])", {}, "tengen-renju-2026-11-19-27moves.sgf"),
        ("(;RU[renju];B[hh])", {"isReview": True}, "tengen-renju-2026-11-19-27moves-review.sgf"),
        ("(;RU[caro]PB[Nakamura]PW[Smith]DT[2025-03-01])", {}, "Nakamura-Smith-2025.sgf"),
        ("(;PB[Ann  Lee]PW[../x\\]])", {"isPicture": True}, "Ann_Lee-x-27moves.sgf"),
        ("(;PW[中村 茂])", {}, "black-中村_茂.sgf"),
    ],
)
def test_names_of_files(ask: Ask, text: str, options: dict[str, bool], name: str) -> None:
    (game,) = ask("parse", text=text)
    download = {"extension": "sgf", "moves": 27, "today": "2026-11-19T12:00:00", **options}
    assert ask("name", game=game, download=download) == name


# --- hostile texts --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_damaged_texts_are_rejected(ask: Ask, seed: int) -> None:
    """Any text gives games or BadRecord; games that are read can be written and read again."""
    rng = random.Random(seed)
    seeds = [corpus(name) for name in FILES] + PLAIN + ["#g=renju/15/h8i9-1k7!a+b;&black=x&at=1"]
    letters = ";()[]\\:BWCaAh8-!\n\r \x00é🙂"
    for _ in range(700):
        text = rng.choice(seeds)
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(text) + 1)
            cut = rng.randrange(4)
            if cut == 0:
                text = text[:at]
            elif cut == 1:
                text = text[:at] + text[at + rng.randrange(9) :]
            else:
                text = text[:at] + "".join(rng.choices(letters, k=3)) + text[at:]
        try:
            games = ask("read", text=text, name=rng.choice(["", "a.sgf", "a.txt", "a.moves"]))
        except PageFault:
            continue
        for game in games:
            written = ask("write", game=game)
            (again,) = ask("parse", text=written, rule=game["position"]["rule"])
            assert page_tree(again) == page_tree(game)
            assert again["names"] == {name: value.replace("\r\n", "\n").replace("\r", "\n")
                for name, value in game["names"].items()}  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_random_bytes(ask: Ask, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        data = rng.randbytes(rng.randrange(200))
        text = ask("decode", bytes=base64.b64encode(data).decode())
        for start in ("", "(;", "(;B[hh]C["):
            try:
                ask("read", text=start + text, name="a.sgf")
            except PageFault:
                continue


# Expressions of JavaScript: two megabytes do not travel as JSON.
LARGE = {
    "moves": "'(;SZ[15]' + ';B[hh];W[ii]'.repeat(160000) + ')'",
    "games": "('(;SZ[15]PB[A]' + ';B[hh]C[x];W[ii]'.repeat(40) + ')\\n').repeat(2900)",
    "nested": "'(;'.repeat(100000) + ')'.repeat(100000)",
    "nested moves": "'(;B[hh](;W[aa])(;W[bb](;B[cc])'.repeat(50000) + '))'.repeat(50000)",
    "not closed": "'(;'.repeat(700000)",
    "many not closed": "'(;FF[4]'.repeat(280000)",
    "many values not closed": "'(;FF[4]C[abc'.repeat(150000)",
    "parentheses": "'('.repeat(2000000)",
    "nested remarks": "'(;C[x](;C[y])'.repeat(100000) + ')'.repeat(100000)",
    "variations": "'(;B[hh]' + '(;W[aa])'.repeat(250000) + ')'",
    "damaged games": "'(;SZ[99])'.repeat(200000)",
    "backslashes": "'(;C[' + '\\\\'.repeat(1999998) + '])'",
    "backslashes not closed": "'(;C[' + '\\\\'.repeat(1999999)",
    "properties": "'(;' + Array.from({length: 300000}, (_, n) => `X${n}[]`).join('') + ')'",
    "remarks": "'(;' + ';C[x]'.repeat(400000) + ')'",
    "long remark": "`(;B[hh](;C[${'x'.repeat(100000)}]${'(;W[aa])'.repeat(19000)})(;W[bb]))`",
    "stones": "'(;AB' + '[aa:oo]'.repeat(280000) + ')'",
    "set-ups": "'(;SZ[22]' + ';AB[aa:vv]'.repeat(200000) + ')'",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_texts_take_linear_time(ask: Ask, name: str) -> None:
    """Two megabytes are read and written in seconds of processor time."""
    assert ask("time", text=LARGE[name])["seconds"] < 30
