# SPDX-License-Identifier: MIT
"""Boards as SVG: well-formed, complete, escaped, reproducible; invalid arguments."""

from __future__ import annotations

import math
import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen import BadPosition, Colour, Move
from tengen.game.render import theme
from tengen.game.render.layout import star_points
from tengen.game.render.svg import board_svg

BLACK, WHITE = Colour.BLACK, Colour.WHITE
SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "desc", "defs", "linearGradient", "radialGradient", "stop"}
TAGS |= {"rect", "g", "path", "circle", "text"}
H8, I9, J10 = (Move.parse(name) for name in ("h8", "i9", "j10"))


def parse(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def group(picture: str, name: str) -> list[ElementTree.Element]:
    """The elements of the layer with this class; empty where there is none."""
    return [
        child
        for result in parse(picture).iter()
        if result.get("class") == name
        for child in (list(result) or [result])
    ]


def texts(picture: str, name: str) -> list[str | None]:
    return [element.text for element in group(picture, name) if element.tag == SVG + "text"]


def centre(element: ElementTree.Element) -> tuple[float, float]:
    return float(element.get("cx", "nan")), float(element.get("cy", "nan"))


def names(moves: tuple[Move, ...]) -> str:
    return " ".join(move.name for move in moves)


# The frame


@pytest.mark.parametrize("size", range(tengen.MIN_SIZE, tengen.MAX_SIZE + 1))
def test_every_size_is_a_picture(size: int) -> None:
    root = parse(board_svg(size, {}))
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    assert (root.get("width"), root.get("height")) == ("480", "480")
    left, top, width, height = (float(word) for word in root.get("viewBox", "").split())
    assert (left, top) == (0, 0)
    assert width == height > 0
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]


def test_is_self_contained() -> None:
    picture = board_svg(15, {H8: BLACK, I9: WHITE}, heat={J10: 1}, numbers={H8: 1})
    assert re.findall(r"https?://[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"href|<style|<script|@import|font-face", picture)
    used = set(re.findall(r"url\(#([^)]*)\)", picture))
    assert used <= set(re.findall(r'id="([^"]*)"', picture))


def test_title_and_description() -> None:
    picture = board_svg(
        15,
        {H8: BLACK, I9: WHITE},
        last=I9,
        forbidden={J10: "double_four"},
        title="My <game> & more",
    )
    root = parse(picture)
    assert root.findtext(SVG + "title") == "My <game> & more"
    assert root.findtext(SVG + "desc") == (
        "Black: h8. White: i9. Last move: i9. Forbidden: j10 double-four."
    )


def test_width() -> None:
    root = parse(board_svg(15, {}, width=1200))
    assert root.get("width") == root.get("height") == "1200"
    assert root.get("viewBox") == parse(board_svg(15, {})).get("viewBox")


def test_themes_differ_and_do_not_share_identifiers() -> None:
    pictures = [board_svg(15, {H8: BLACK}, theme=theme) for theme in ("wood", "paper", "dark")]
    identifiers = [set(re.findall(r'id="([^"]*)"', picture)) for picture in pictures]
    assert len(set(pictures)) == 3
    assert not identifiers[0] & identifiers[1] | identifiers[1] & identifiers[2]


def test_coordinates_can_be_left_out() -> None:
    shown = texts(board_svg(15, {}), "coordinates")
    assert shown.count("a") == shown.count("o") == shown.count("15") == 2
    assert group(board_svg(15, {}, coordinates=False), "coordinates") == []


def test_star_points() -> None:
    assert names(star_points(15)) == "d4 l4 h8 d12 l12"
    assert names(star_points(19)) == "d4 j4 p4 d10 j10 p10 d16 j16 p16"
    assert names(star_points(13)) == "d4 j4 g7 d10 j10"
    assert names(star_points(9)) == "c3 g3 e5 c7 g7"
    assert names(star_points(5)) == "c3"
    assert star_points(20) == ()
    assert len(group(board_svg(15, {}), "stars")) == 5


# The layers


def test_stones_are_at_their_points() -> None:
    picture = board_svg(15, {Move(0, 0): BLACK, Move(14, 0): WHITE, Move(14, 14): WHITE})
    (a1,) = group(picture, "black")
    o1, o15 = group(picture, "white")
    assert centre(a1)[1] == centre(o1)[1]
    assert centre(o1)[0] == centre(o15)[0]
    assert centre(a1)[0] < centre(o1)[0]
    assert centre(o15)[1] < centre(o1)[1], "row 15 is at the top"
    assert len(group(picture, "shadows")) == 3


def test_numbers_are_readable_on_both_colours_and_in_three_digits() -> None:
    picture = board_svg(15, {H8: BLACK, I9: WHITE}, numbers={H8: 9, I9: 225})
    inks, sizes = {}, {}
    for layer in parse(picture).iter(SVG + "g"):
        if layer.get("class") == "labels":
            for text in layer:
                inks[text.text] = layer.get("fill")
                sizes[text.text] = float(text.get("font-size", "nan"))
    assert inks["9"] != inks["225"]
    assert sizes["225"] < sizes["9"]


def test_last_move_ring() -> None:
    plain = group(board_svg(15, {H8: BLACK}, last=H8), "last")
    numbered = group(board_svg(15, {H8: BLACK}, last=H8, numbers={H8: 1}), "last")
    assert len(plain) == len(numbered) == 1
    assert float(plain[0].get("r", "nan")) < float(numbered[0].get("r", "nan"))
    assert group(board_svg(15, {H8: BLACK}, last=Move.PASS), "last") == []


@pytest.mark.parametrize("symbol", ["x", "o", "triangle", "square"])
def test_symbols_are_drawn_not_written(symbol: str) -> None:
    picture = board_svg(15, {H8: BLACK}, marks={H8: symbol, I9: symbol})
    assert [element.tag for element in group(picture, "labels")] == [SVG + "path"] * 2
    assert texts(picture, "labels") == []


def test_a_text_mark_replaces_the_number() -> None:
    picture = board_svg(15, {H8: BLACK}, numbers={H8: 1}, marks={H8: "A", I9: "long text"})
    assert sorted(map(str, texts(picture, "labels"))) == ["A", "long text"]


def test_forbidden_points_show_their_reason() -> None:
    crosses = group(board_svg(15, {}, forbidden={H8: "double_three", I9: "overline"}), "forbidden")
    assert [cross.findtext(SVG + "title") for cross in crosses] == [
        "h8: forbidden, double-three",
        "i9: forbidden, overline",
    ]
    assert all(cross.find(SVG + "path") is not None for cross in crosses)


def test_lines() -> None:
    run = [Move(x, x) for x in range(5)]
    (path,) = group(board_svg(15, {}, lines=[run, []]), "lines")
    assert path.get("d", "").count("L") == 4
    assert len(group(board_svg(15, {}, lines=iter([run, run[:1]])), "lines")) == 2
    numbered = board_svg(15, {}, lines=[run], numbers={run[2]: 1})
    assert group(numbered, "lines") == [], "a number is not struck out"
    assert len(group(numbered, "bands")) == 1


def test_heat_grows_with_the_value() -> None:
    tiles = group(board_svg(15, {}, heat={H8: 0.1, I9: 0.2, J10: 0.4}), "heat")
    strengths = [float(tile.get("fill-opacity", "nan")) for tile in tiles]
    assert strengths == sorted(strengths)
    assert len({tile.get("fill") for tile in tiles}) == 3
    assert tiles[0].findtext(SVG + "title") == "h8: 0.1"


def test_heat_labels() -> None:
    shares = {H8: 0.25, I9: 0.5, J10: 0.001}
    assert group(board_svg(15, {}, heat=shares), "heat-labels") == []
    assert texts(board_svg(15, {}, heat=shares, heat_labels=True), "heat-labels") == ["25", "50"]
    under_stone = board_svg(15, {H8: BLACK}, heat=shares, heat_labels=True)
    assert texts(under_stone, "heat-labels") == ["50"]
    scores = board_svg(15, {}, heat={H8: -1.5, I9: 2.25}, heat_labels=True)
    assert texts(scores, "heat-labels") == ["\N{MINUS SIGN}1.5", "2.2"]


@given(st.dictionaries(st.builds(Move, st.integers(0, 14), st.integers(0, 14)), st.floats()))
def test_shades_are_parts(values: dict[Move, float]) -> None:
    if not all(math.isfinite(value) for value in values.values()):
        with pytest.raises(ValueError, match="finite"):
            theme.heat_shades(values)
        return
    shades = theme.heat_shades(values)
    assert all(0 <= shade <= 1 for shade in shades.values())
    ordered = sorted(values, key=values.__getitem__)
    assert [shades[move] for move in ordered] == sorted(shades.values())
    parse(board_svg(15, {}, heat=values, heat_labels=True))


def test_shades_of_special_cases() -> None:
    assert theme.heat_shades({}) == {}
    assert theme.heat_shades({H8: 0.0, I9: 0.0}) == {H8: 0.0, I9: 0.0}
    assert theme.heat_shades({H8: 3.0}) == {H8: 1.0}
    assert theme.heat_shades({H8: -3.0}) == {H8: 1.0}
    assert theme.heat_shades({H8: 1.0, I9: 2.0}) == {H8: 0.5, I9: 1.0}
    assert theme.heat_shades({H8: -1.0, I9: 1.0, J10: 0.0}) == {H8: 0.0, I9: 1.0, J10: 0.5}


# Safety


@given(st.text(), st.text(), st.text())
def test_any_text_is_escaped(title: str, mark: str, reason: str) -> None:
    picture = board_svg(15, {}, title=title, marks={H8: mark}, forbidden={I9: reason})
    root = parse(picture)  # raises where a character slipped through
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= TAGS


def test_markup_in_text_stays_text() -> None:
    nasty = "</text><script>alert('x')</script>&\"\x00\ud800"
    root = parse(board_svg(15, {}, marks={H8: nasty}, title=nasty, forbidden={I9: nasty}))
    assert not list(root.iter(SVG + "script"))
    assert root.findtext(SVG + "title") == nasty[:-2] + "\ufffd\ufffd"


def test_the_order_of_the_input_does_not_matter() -> None:
    moves = [Move(x, y) for x in range(15) for y in range(15)]
    options: list[dict[str, Any]] = []
    for seed in (1, 2):
        random.Random(seed).shuffle(moves)
        options.append(
            {
                "stones": {
                    move: Colour(1 + (move.x + move.y) % 2) for move in moves if move.x < 10
                },
                "numbers": {move: 15 * move.x + move.y for move in moves if move.x < 5},
                "marks": {move: "A" for move in moves if move.x == 7},
                "forbidden": {move: "overline" for move in moves if move.x == 12},
                "heat": {move: move.x / 10 for move in moves if move.x > 9},
            }
        )
    assert board_svg(15, **options[0]) == board_svg(15, **options[1])


def test_what_cannot_be_drawn_is_rejected() -> None:
    off = Move(15, 3)
    with pytest.raises(BadPosition, match="23"):
        board_svg(23, {})
    with pytest.raises(BadPosition, match="a stone at p4 is off the 15x15 board"):
        board_svg(15, {off: BLACK})
    options: list[dict[str, Any]] = [
        {"numbers": {off: 1}},
        {"marks": {off: "A"}},
        {"forbidden": {off: "overline"}},
        {"heat": {off: 1.0}},
        {"lines": [[H8, off]]},
        {"last": off},
    ]
    for option in options:
        with pytest.raises(BadPosition, match="p4"):
            board_svg(15, {}, **option)
    with pytest.raises(ValueError, match="no theme 'neon': known are wood, paper, dark"):
        board_svg(15, {}, theme="neon")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="wide"):
        board_svg(15, {}, width=0)


# Board.svg


def test_board_picture() -> None:
    board = tengen.Board(15, "renju")
    for move in ("h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12"):
        board.push(move)
    picture = board.svg(numbers=True, theme="dark")
    assert len(group(picture, "black")) == 5
    assert len(group(picture, "bands")) == 1
    assert sorted(map(int, map(str, texts(picture, "labels")))) == list(range(1, 10))
