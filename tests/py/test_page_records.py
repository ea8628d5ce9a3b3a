# SPDX-License-Identifier: MIT
"""The SGF of the page: what its TypeScript reads and writes, against `tengen.game.records`.

Runs in node; skipped where it or esbuild is missing.
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

from page_records import WHOLE, Ask, PageFault, check_equal, corpus, start_page
from tengen.game import BadRecord, Colour, Rule
from tengen.game.records import plain, sgf
from tengen.game.records.text import decode

# A node of a file: its properties in order, and the nodes below it.
RawNode: TypeAlias = tuple[list[tuple[str, tuple[str, ...]]], list[Any]]

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    yield from start_page(tmp_path_factory.mktemp("page"))


# --- reading ---


@pytest.mark.parametrize("name", WHOLE)
def test_games_are_those_of_python(ask: Ask, name: str) -> None:
    text = corpus(name)
    games = ask("parse", text=text, rule="caro")
    for game, record in zip(games, sgf.loads(text), strict=True):
        check_equal(game, record)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("plain", []),
        ("setup_later", ["setup", "setup"]),
        ("white_first", ["move"]),
        ("textbook", ["hidden"]),
        ("unknown", ["rule"]),
    ],
)
def test_notes(ask: Ask, name: str, codes: list[str]) -> None:
    (game,) = ask("parse", text=corpus(name))
    assert [note["code"] for note in game["notes"]] == codes


def test_a_damaged_game_is_skipped(ask: Ask) -> None:
    text = corpus("damaged")
    with pytest.raises(BadRecord):
        sgf.loads(text)
    games = ask("parse", text=text)
    assert [game["names"]["white"] for game in games] == ["First", "Second", "Third"]
    for game in games:
        notes = [note for note in game["notes"] if note["code"] == "skipped"]
        assert [note["number"] for note in notes] == [2, 3, 4, 7]
        reasons = "no point", "another game, go", "is missing", "']' is missing"
        for note, reason in zip(notes, reasons, strict=True):
            assert reason in note["reason"]


def test_a_collection_without_end(ask: Ask) -> None:
    games = ask("parse", text="(;)" * 10_001)
    assert len(games) == 10_000
    assert "max_games" in [note["code"] for note in games[0]["notes"]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing here",
        "(;B[hh]",
        "x\n(;B[hh]\n;W[zz])",
        "(;\r\n;B[hh]\r\n  W[hg]W[hi])",
        "(;B[hh][hg])",
        "(;B[hh](;W[hg]);B[aa])",
        "(;B[hh](W[hg]))",
        "(;B[hh]())",
        "(;B)",
        "(;\n\n  C[never",
        "(;B[hh] ? )",
        "(;)\n(;SZ[7:8])",
        "(;FF[4];GM[1]SZ[19])",
        "(;SZ[9];SZ[15])",
        "(;;B[hh]\n;SZ[19])",
        "(;AB[hh];SZ[19])",
        "(;B[hh];GM[3])",
        "(;SZ[4])",
        "(;AB[a1:b2]AW[a1])",
        "(;AB[])",
        "(;B[hh];W[h08])",
    ],
)
def test_faults_are_those_of_python(ask: Ask, text: str) -> None:
    """A single damaged game is an error in both, in the same line."""
    with pytest.raises(BadRecord) as theirs:
        sgf.loads(text)
    single = text.replace("(;)", "")
    if single != text:
        assert len(ask("parse", text=text)) == 1  # the other game is there
    with pytest.raises(PageFault) as ours:
        ask("parse", text=single)
    assert ours.value.args[1] == theirs.value.line


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("UTF-8", "五子棋 Łódź"),
        ("gb2312", "五子棋"),
        ("GBK", "連珠 五子棋"),
        ("Big5", "五子棋 功能 許"),
        ("Shift_JIS", "連珠 ソ表"),
        ("CP932", "連珠 ソ表"),
        ("EUC-KR", "오목"),
        ("euc_jp", "連珠"),
        ("windows-1251", "рэндзю"),
        ("cp1251", "рэндзю"),
        ("KOI8-R", "рэндзю"),
        ("ISO-8859-1", "Åke Löf"),
        ("ISO-8859-2", "Łódź"),
        ("macroman", "Åke"),
    ],
)
def test_charsets(ask: Ask, charset: str, text: str) -> None:
    data = f"(;GM[4]CA[{charset}]SZ[15]RU[renju]PB[{text}]C[{text}])".encode(charset)
    read = ask("decode", bytes=base64.b64encode(data).decode())
    assert read == decode(data, "", charset)
    (written,) = ask("rewrite", text=read)
    assert f"PB[{text}]C[{text}]" in written
    expected = charset if charset == "UTF-8" else "UTF-8"
    assert f"CA[{expected}]" in written


def test_bytes_without_a_good_charset(ask: Ask) -> None:
    def read(data: bytes) -> str:
        return str(ask("decode", bytes=base64.b64encode(data).decode()))

    for data in (
        "\ufeff(;PB[Å])".encode(),
        b"\xff\xfe" + "(;PB[Å])".encode("utf-16-le"),
        b"\xfe\xff" + "(;PB[Å])".encode("utf-16-be"),
        "(;PB[Å])".encode(),
        "(;PB[Å])".encode("latin-1"),
        b"(;CA[nonsense]PB[\xc5])\xff",
        b"(;CA[ascii]PB[\xc5])",
    ):
        assert "PB[Å]" in read(data)


# --- writing --------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*(?:([A-Za-z0-9]+)\s*(?=\[)|([;()]))")
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\s*", re.DOTALL)


def raw_games(text: str) -> list[RawNode]:
    """Every property of every node of a text that begins with its first game. The values of a
    property that a node has twice are joined.
    """
    games: list[RawNode] = []
    stack: list[RawNode] = []
    depths: list[int] = []
    position = text.index("(;")
    while token := _TOKEN.match(text, position):
        position = token.end()
        if token[1]:
            values = []
            while value := _VALUE.match(text, position):
                values.append(value[1])
                position = value.end()
            properties = stack[-1][0]
            for n, (name, known) in enumerate(properties):
                if name == token[1]:
                    properties[n] = (name, (*known, *values))
                    break
            else:
                properties.append((token[1], tuple(values)))
        elif token[2] == ";":
            node: RawNode = ([], [])
            (stack[-1][1] if stack else games).append(node)
            stack.append(node)
        elif token[2] == "(":
            depths.append(len(stack))
        else:
            del stack[depths.pop() :]
            if not depths:
                start = text.find("(;", position)
                position = start if start >= 0 else len(text)
    return games


def without_charset(game: RawNode) -> RawNode:
    properties = [entry for entry in game[0] if entry[0] != "CA"]
    return properties, game[1]


def all_nodes(game: RawNode) -> Iterator[RawNode]:
    waiting = [game]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node[1]))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_saving_keeps_every_property(ask: Ask, name: str, ends: str) -> None:
    text = corpus(name).replace("\n", ends)
    written = ask("rewrite", text=text)
    for before, after in zip(raw_games(text), written, strict=True):
        assert [without_charset(before)] == list(map(without_charset, raw_games(after)))
        # A file of other than ASCII characters names its charset, which is UTF-8.
        assert after.isascii() or re.search(r"CA\[utf-8\]", after, re.IGNORECASE)
    # Python reads the same from both.
    assert sgf.loads("\n".join(written)) == sgf.loads(text)


@pytest.mark.parametrize("name", WHOLE)
def test_a_changed_comment_changes_nothing_else(ask: Ask, name: str) -> None:
    text = corpus(name)
    for game, before in zip(ask("parse", text=text), raw_games(text), strict=True):
        # A comment on the start needs a separate node if the first node of the file has a move.
        first = 0 if game["nodes"] and "+" in (game["nodes"][0]["data"] or {}) else -1
        for n in range(first, len(game["nodes"])):
            changed = json.loads(json.dumps(game))
            if n < 0:
                changed["rootComment"] = "new [x] \\"
            else:
                changed["nodes"][n]["comment"] = "new [x] \\"
            (after,) = raw_games(ask("write", game=changed))
            kept, found = (
                [entry for node in all_nodes(raw) for entry in node[0] if entry[0] not in CHANGED]
                for raw in (before, after)
            )
            assert found == kept
            values = [entry[1] for node in all_nodes(after) for entry in node[0]]
            assert values.count((r"new [x\] \\",)) == 1
            (again,) = ask("parse", text=ask("write", game=changed))
            ours = again["rootComment"] if n < 0 else again["nodes"][n]["comment"]
            assert ours == "new [x] \\"


# The spellings of C in the corpus, and what names the charset.
CHANGED = {"C", "Comment", "c", "CA"}


def random_game(rng: random.Random) -> str:
    """A file with everything that a file may have, in the letters of a small board."""
    text = "(;GM[4]SZ[9]" + rng.choice(["", "RU[renju]", "RU[?]PB[A\\]]", "AB[aa][bb:cc]PL[W]"])
    depth, is_node = 1, True
    for _ in range(rng.randrange(1, 40)):
        point = rng.choice("abcdefghi") + rng.choice("abcdefghi")
        choice = rng.randrange(12)
        if choice < 6 and is_node:
            text += f";{rng.choice('BW')}[{point}]" + rng.choice(
                ["", "C[x]", "N[y]C[z\\:]", "BM[1]"]
            )
        elif choice < 8 and is_node:
            text += rng.choice([";", ";C[bare]", ";N[a]", ";AB[dd]", ";PL[B]", ";AE[aa]C[s]"])
        elif choice < 10:
            text += "(" + rng.choice([";", ";C[bare]", ";B[ee]", ";W[ff]C[v]", ";AW[gg]"])
            depth, is_node = depth + 1, True
        elif depth > 1:
            text += ")"
            depth, is_node = depth - 1, False
    return text + ")" * depth + "\n"


@pytest.mark.parametrize("seed", range(4))
def test_random_files_keep_every_property(ask: Ask, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(250):
        text = random_game(rng)
        (record,) = sgf.loads(text)
        (game,) = ask("parse", text=text, rule="caro")
        check_equal(game, record)
        written = ask("write", game=game)
        assert raw_games(written) == raw_games(text), text
        assert sgf.loads(written) == [record], text


@pytest.mark.parametrize("side", ["blue", "W", " black "])
def test_spellings_of_the_side_to_move_stay(ask: Ask, side: str) -> None:
    text = f"(;PL[{side}];W[hh])"
    (written,) = ask("rewrite", text=text)
    assert raw_games(written) == raw_games(text)


def test_hidden_moves_stay_in_the_file(ask: Ask) -> None:
    text = corpus("variations")
    (game,) = ask("parse", text=text)
    for hidden in ([0], [1], [5], [2, 9], list(range(len(game["nodes"])))):
        fewer = ask("hide", game=game, hidden=hidden)
        assert len(fewer["nodes"]) < len(game["nodes"])
        assert raw_games(ask("write", game=fewer)) == raw_games(text)
    for name in ("textbook", "setup_later", "collection"):
        for other in ask("parse", text=corpus(name)):
            everything = ask("hide", game=other, hidden=list(range(len(other["nodes"]))))
            assert everything["nodes"] == []
            same = raw_games(ask("write", game=other))
            assert raw_games(ask("write", game=everything)) == same


def test_a_game_of_the_page_is_written_as_by_python(ask: Ask) -> None:
    moves = ["h8", "h9", "i8", "pass", "j8", "k8"]
    record = sgf.loads("(;SZ[15]RU[renju])")[0]
    record.root.extend(plain.loads(" ".join(moves))[0].moves, Colour.BLACK)
    record.black, record.white, record.result, record.event = "Ann ]", "Bob", "B+", "Cup"
    record.root.comment = "start"
    nodes = [
        {"parent": n - 1, "move": move, "comment": "", "data": None} for n, move in enumerate(moves)
    ]
    nodes[2]["comment"] = record.main_line()[3].comment = "a\\b"
    game: dict[str, Any] = {
        "position": {"rule": "renju", "size": 15, "setup": None, "moves": []},
        "nodes": nodes,
        "names": {"black": "Ann ]", "white": "Bob", "result": "B+", "event": "Cup"},
        "rootData": None,
        "rootComment": "start",
        "notes": [],
    }
    assert ask("write", game=game) == sgf.dumps([record])


def test_a_changed_header(ask: Ask) -> None:
    (game,) = ask("parse", text=corpus("properties"))
    game["names"]["result"] = "W+"
    game["names"]["event"] = ""
    game["position"]["rule"] = "caro"
    game["position"]["setup"] = {"black": ["a1"], "white": [], "turn": "black"}
    (record,) = sgf.loads(ask("write", game=game))
    (before,) = sgf.loads(corpus("properties"))
    assert (record.rule, record.result, record.event) == (Rule.CARO, "W+", "")
    assert [point.name for point in record.root.black] == ["a1"]
    assert record.root.colour is Colour.BLACK
    changed = {"RE", "RU"}
    assert {n: v for n, v in record.root.properties.items() if n not in changed} == {
        n: v for n, v in before.root.properties.items() if n not in changed
    }
