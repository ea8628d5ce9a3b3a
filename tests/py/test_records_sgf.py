# SPDX-License-Identifier: MIT
"""SGF: points, header, trees, text, charsets, positions of errors, and records that cannot be
written.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.game import PASS, BadRecord, Colour, Move, Rule
from tengen.game.records import Node, Record, sgf
from tengen.game.records.record import normal_result
from tengen.game.records.text import escape, unescape

B, W = Colour.BLACK, Colour.WHITE


def one(text: str | bytes) -> Record:
    (record,) = sgf.loads(text)
    return record


def names(text: str | bytes) -> list[str]:
    return [str(move) for move in one(text).moves]


# --- points -------------------------------------------------------------------------------------


def test_rows_count_from_the_top() -> None:
    assert names("(;SZ[15];B[aa];W[oo];B[hh];W[ao];B[oa])") == ["a15", "o1", "h8", "a1", "o15"]
    assert names("(;SZ[20];B[aa];W[tt])") == ["a20", "t1"]


def test_points_by_name() -> None:
    assert names("(;SZ[15];B[h8];W[H9];B[a1];W[O15];B[k10])") == ["h8", "h9", "a1", "o15", "k10"]
    assert "B[hh];W[hg]" in sgf.dumps(sgf.loads("(;SZ[15];B[h8];W[H9])"))


def test_pass() -> None:
    assert one("(;SZ[19];B[];W[tt];B[ ])").moves == [PASS, PASS, PASS]
    assert sgf.dumps([one("(;SZ[15];B[tt])")]).strip().endswith(";B[])")


@pytest.mark.parametrize("point", ["pp", "p1", "h16", "h0", "HH", "h", "hhh", "8h", "7,7", "h08"])
def test_no_point(point: str) -> None:
    with pytest.raises(BadRecord, match="no point of the 15x15 board"):
        sgf.loads(f"(;B[hh];W[{point}])")


# --- header -------------------------------------------------------------------------------------


def test_header() -> None:
    record = one(
        "(;FF[4]GM[4]CA[UTF-8]AP[x:1]SZ[19]PB[Ann]PW[Bob \\] C]RE[B+Resign]"
        "DT[2026-01-02]EV[Cup]RU[Renju];B[jj])"
    )
    assert (record.size, record.rule, record.black, record.white) == (
        19,
        Rule.RENJU,
        "Ann",
        "Bob ] C",
    )
    assert (record.result, record.date, record.event) == ("B+", "2026-01-02", "Cup")
    assert record.format == "sgf"
    # Spellings that are not ours come back as they were.
    text = sgf.dumps([record])
    assert "RE[B+Resign]" in text
    assert "RU[Renju]" in text
    assert "AP[x:1]" in text
    record.rule, record.result = Rule.CARO, "W+"
    text = sgf.dumps([record])
    assert "RE[W+]" in text
    assert "RU[caro]" in text


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("freestyle", Rule.FREESTYLE),
        ("Freestyle", Rule.FREESTYLE),
        ("Standard", Rule.STANDARD),
        ("Gomoku", Rule.STANDARD),
        ("Standard Gomoku", Rule.STANDARD),
        ("RENJU", Rule.RENJU),
        ("Caro", Rule.CARO),
        ("caro6", Rule.CARO6),
        ("4", Rule.RENJU),
        ("9", Rule.CARO),
        ("Renju, Soosorv-8", Rule.RENJU),
        ("Gomoku (swap2)", Rule.STANDARD),
        ("Soosorv-8", None),
        ("7", None),
        ("Japanese", None),
    ],
)
def test_rule_names(text: str, rule: Rule | None) -> None:
    record = one(f"(;RU[{text}])")
    assert record.rule == rule
    assert f"RU[{text}]" in sgf.dumps([record])
    assert one(sgf.dumps([record])) == record


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+", "B+"),
        ("b+5", "B+"),
        ("Black wins", "B+"),
        ("1-0", "B+"),
        ("W+R", "W+"),
        ("White+Time", "W+"),
        ("0-1", "W+"),
        ("0", "Draw"),
        ("draw", "Draw"),
        ("1/2-1/2", "Draw"),
        ("?", ""),
        ("", ""),
        ("Void", "Void"),
        ("Both lost", "Both lost"),
        ("B" + " " * 200 + "+", "B" + " " * 200 + "+"),
    ],
)
def test_results(text: str, result: str) -> None:
    assert normal_result(text) == result


def test_sizes() -> None:
    assert one("(;SZ[15:15])").size == 15
    assert one("(;)").size == 15
    assert sgf.loads("(;)", size=19)[0].size == 19
    for text, fault in [
        ("15:16", "15x16"),
        ("4", "board size 4"),
        ("23", "5 to 22"),
        ("x", "no board size"),
    ]:
        with pytest.raises(BadRecord, match=fault):
            sgf.loads(f"(;SZ[{text}])")


def test_other_games_are_rejected() -> None:
    with pytest.raises(BadRecord, match=r"GM\[1\] is another game, go"):
        sgf.loads("(;GM[1]SZ[19])")


def test_a_header_in_the_second_node() -> None:
    record = one("(;FF[4];GM[4]SZ[20]RU[renju]PB[Ann]RE[B+R];B[tt])")
    assert (record.size, record.rule, record.black) == (20, Rule.RENJU, "Ann")
    assert (record.result, record.moves) == ("B+", [Move(19, 0)])
    assert one(sgf.dumps([record])) == record
    assert one("(;RU[Renju]PB[A];SZ[9]RU[caro]PB[B])").root.children[0].properties == {
        "RU": ["caro"],
        "PB": ["B"],
    }
    assert one("(;SZ[15];B[hh];SZ[15]GM[4])").size == 15
    assert [game.size for game in sgf.loads("(;;SZ[9];B[aa])(;B[oo])")] == [9, 15]


# --- trees --------------------------------------------------------------------------------------


def test_variations() -> None:
    record = one("(;C[root];B[hh](;W[hg];B[ii](;W[aa])(;W[bb]))(;W[gg]C[also]))")
    assert [str(move) for move in record.moves] == ["h8", "h9", "i7", "a15"]
    assert [node.comment for node in record.nodes()] == ["root", "", "", "", "", "", "also"]
    assert [str(n.move) for n in record.line({2: 2})] == ["None", "h8", "g9"]
    assert [str(n.move) for n in record.line({4: 2})][-1] == "b14"
    for choices in ({2: 3}, {1: 2}, {9: 2}, {2: 0}):
        with pytest.raises(BadRecord, match="no alternative"):
            record.line(choices)
    assert one(sgf.dumps([record])) == record


def test_collection_and_text_around_the_games() -> None:
    games = sgf.loads("From: me\n:-) (not a game)\n(;B[hh])\n-- \n(;SZ[9]C[(;])  bye")
    assert [game.size for game in games] == [15, 9]
    assert games[1].root.comment == "(;"


def test_set_up() -> None:
    record = one("(;SZ[9]AB[aa:bc][ii]AW[e5]PL[W];AE[aa]PL[B];W[cc]PL[?])")
    root, second, third = record.main_line()
    assert root.black == tuple(map(Move.parse, ["a7", "b7", "a8", "b8", "a9", "b9", "i1"]))
    assert root.white == (Move.parse("e5"),)
    assert (root.move, root.colour) == (None, W)
    assert (second.empty, second.colour) == ((Move.parse("a9"),), B)
    assert (third.colour, third.properties) == (W, {"PL": ["?"]})
    assert one(sgf.dumps([record])) == record
    with pytest.raises(BadRecord, match="a1 is both in AB and in AW"):
        sgf.loads("(;AB[a1:b2]AW[a1])")
    with pytest.raises(BadRecord, match="cannot pass"):
        sgf.loads("(;AB[])")


def test_old_property_names() -> None:
    record = one("(;GaMe[4]SiZe[9]Comment[c]Black[ee];White[ef];b[eg])")
    assert record.size == 9
    assert record.root.comment == "c"
    assert [str(move) for move in record.moves] == ["e5", "e4", "e3"]


def test_unknown_properties_are_kept_verbatim() -> None:
    text = "(;XX[a\\:b][c\\]d]  [ e\\\n f];B[hh]KO[]BL[12.5])"
    record = one(text)
    assert record.root.properties == {"XX": ["a\\:b", "c\\]d", " e\\\n f"]}
    assert record.moves == [Move(7, 7)]
    assert record.main_line()[1].properties == {"KO": [""], "BL": ["12.5"]}
    written = sgf.dumps([record])
    assert "XX[a\\:b][c\\]d][ e\\\n f]" in written
    assert one(written) == record


def test_times() -> None:
    record = one("(;;B[hh]EMT[1.25];W[hg]EMT[3];B[aa]EMT[soon])")
    assert [node.time_ms for node in record.main_line()] == [None, 1250, 3000, None]
    assert record.main_line()[-1].properties == {"EMT": ["soon"]}
    assert one(sgf.dumps([record])) == record


# --- text ---------------------------------------------------------------------------------------


def test_escapes_and_line_breaks() -> None:
    record = one("(;C[a\\]b\\\\c\\:d\\e\r\nf\\\r\ng\rh\n\ri])")
    assert record.root.comment == "a]b\\c:de\nfg\nh\ni"


def normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")


@given(st.text())
def test_escaping_any_text(text: str) -> None:
    assert unescape(escape(text)) == unescape(escape(unescape(escape(text))))
    if "\r" not in text:
        assert unescape(escape(text)) == text


@given(st.text(alphabet="\\]\n\r[:;() a"))
def test_escaping_of_special_characters(text: str) -> None:
    record = Record(root=Node(comment=text), black=text)
    read = one(sgf.dumps([record]))
    assert read.root.comment == read.black == unescape(escape(text))
    assert "\r" in text or read == record


@given(st.text(), st.text(), st.text())
def test_any_text_in_a_record(comment: str, name: str, event: str) -> None:
    record = Record(black=normal(name), event=normal(event), root=Node(comment=normal(comment)))
    if "\r" not in record.black + record.event + record.root.comment:
        assert one(sgf.dumps([record])) == record
        assert one(sgf.dumps([record]).encode()) == record


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("UTF-8", "五子棋 Łódź"),
        ("gb2312", "五子棋"),
        ("GBK", "連珠 五子棋"),
        ("Big5", "五子棋 功能 許"),  # some of these have a second byte that is a backslash
        ("Shift_JIS", "連珠 ソ表"),
        ("EUC-KR", "오목"),
        ("windows-1251", "рэндзю"),
        ("KOI8-R", "рэндзю"),
        ("ISO-8859-1", "Åke Löf"),
    ],
)
def test_charsets(charset: str, text: str) -> None:
    data = f"(;GM[4]CA[{charset}]PB[{text}]C[{text}])".encode(charset)
    # A backslash inside a character is no escape: the text is decoded before it is read.
    assert (one(data).black, one(data).root.comment) == (text, text)


def test_bytes_without_a_good_charset() -> None:
    assert one("\ufeff(;PB[Å])".encode()).black == "Å"
    assert one(b"\xff\xfe" + "(;PB[Å])".encode("utf-16-le")).black == "Å"
    assert one(b"\xfe\xff" + "(;PB[Å])".encode("utf-16-be")).black == "Å"
    late = "(;GM[4]SZ[15]C[" + "x" * 5000 + "]CA[windows-1251]PB[рэндзю])"
    assert one(late.encode("windows-1251")).black == "рэндзю"
    assert one("(;PB[Å])".encode()).black == "Å"
    assert one("(;PB[Å])".encode("latin-1")).black == "Å"
    for charset in ("nonsense", "zlib", "punycode", "ascii", "utf-8", "gbk", ""):
        assert one(f"(;CA[{charset}]PB[Å])".encode("latin-1") + b"\xff").black == "Å"


# --- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "begins with"),
        ("nothing here", 1, 1, "begins with"),
        ("(;B[hh]", 1, 8, "no end"),
        ("x\n(;B[hh]\n;W[zz])", 3, 3, "no point"),
        ("(;\r\n;B[hh]\r\n  W[hg]W[hi])", 3, 9, "two moves"),
        ("(;B[hh]W[hg])", 1, 9, "two moves"),
        ("(;B[hh][hg])", 1, 8, "two moves"),
        ("(;B[hh](;W[hg]);B[aa])", 1, 16, "a node after a variation"),
        ("(;B[hh](W[hg]))", 1, 9, "expected"),
        ("(;B[hh]())", 1, 9, "begins with"),
        ("(;B)", 1, 3, "expected"),
        ("(;\n\n  C[never", 3, 4, "']' is missing"),
        ("(;B[hh] ? )", 1, 9, "not '?'"),
        ("(;)\n(;SZ[7:8])", 2, 5, "7x8"),
        ("(;FF[4];GM[1]SZ[19])", 1, 11, "another game"),
        ("(;SZ[9];SZ[15])", 1, 11, "cannot change"),
        ("(;;B[hh]\n;SZ[19])", 2, 4, "cannot change"),
        ("(;AB[hh];SZ[19])", 1, 12, "cannot change"),
        ("(;B[hh];GM[3])", 1, 11, "chess"),
        ("(;SZ[\x1b[2J\n])", 1, 5, "SZ[\\x1b[2J]"),
        ("(;B[\n\x1b])", 1, 4, "B[\\x1b]"),
        ("(;GM[\x1b])", 1, 5, "GM[\\x1b]"),
        ("(;AB[\x1b:aa])", 1, 5, "AB[\\x1b]"),
    ],
)
def test_positions_of_errors(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        sgf.loads(text, "games.sgf")
    error = caught.value
    assert (error.source, error.line, error.column) == ("games.sgf", line, column), str(error)
    assert message in error.fault


@pytest.mark.parametrize(
    "record",
    [
        Record(size=4),
        Record(root=Node(Move(0, 0))),
        Record(root=Node(Move(15, 0), B)),
        Record(root=Node(black=(PASS, Move(20, 20)))),
        Record(root=Node(properties={"x": ["a"]})),
        Record(root=Node(properties={"B": ["aa"]})),
        Record(root=Node(properties={"PB": ["me"]})),
        Record(root=Node(properties={"XX": ["]"]})),
        Record(root=Node(properties={"XX": ["\\"]})),
        Record(root=Node(Move(0, 0), B, time_ms=-1)),
        Record(root=Node(Move(0, 0), B, time_ms=5, properties={"EMT": ["1.000"]})),
        Record(root=Node(colour=B, properties={"PL": ["W"]})),
        Record(root=Node(children=[Node(properties={"SZ": ["9"]})])),
    ],
)
def test_records_that_sgf_cannot_express(record: Record) -> None:
    with pytest.raises(BadRecord):
        sgf.dumps([record])
