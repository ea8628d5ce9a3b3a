# SPDX-License-Identifier: MIT
"""Analysis, review and problems in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Download, expect

from browser.page_driver import PageDriver, server_only
from tengen.game import records

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7 o13 g4 o11 c4"
FILES = [
    ("Save as SGF", "sgf", b"(;FF[4]"),
    ("Picture (SVG)", "svg", b"<svg"),
    ("Picture (PNG)", "png", b"\x89PNG"),
    ("Game as GIF", "gif", b"GIF89a"),
]
OPENING = ("h8", "i9", "h9", "h10", "g8")


def test_analysis_follows_the_position(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line(*OPENING)
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("#board .candidate")).to_have_count(3)
    expect(page.locator("#board .candidate.best")).to_have_count(1)
    expect(page.locator("#board .heat")).not_to_have_count(0)
    expect(page.locator("#board .labels .share").first).to_have_text(re.compile(r"^\d{1,2}$"))
    nodes = page.locator(".head .grow")
    expect(nodes).to_contain_text(re.compile(r"depth \d+/\d+"))
    page.locator("ol .rate").first.hover()
    expect(page.locator("#board .ghost")).not_to_have_count(0)
    first = page.locator("ol .pv").first.locator("button")
    first.nth(1).click()  # steps into the line
    driver.stones(len(OPENING) + 2)
    page.keyboard.press("ArrowLeft")
    driver.stones(len(OPENING) + 1)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#board .candidate")).to_have_count(0)


def test_variations_comments_and_the_graph(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    page.keyboard.press("ArrowLeft")
    driver.stones(2)
    driver.line("g9")
    expect(page.locator(".moves .bracket")).to_have_count(2)
    page.get_by_role("button", name="Make main line").click()
    page.get_by_role("textbox", name="Comment").fill("a better idea")
    page.get_by_role("textbox", name="Comment").blur()
    graph = page.get_by_role("slider", name="Win rate graph")
    graph.click(position={"x": 3, "y": 30})
    driver.stones(0)
    page.keyboard.press("End")
    driver.stones(3)
    page.get_by_role("button", name="Delete from here").click()
    expect(page.locator(".moves .bracket")).to_have_count(0)


def test_excluded_moves(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8")
    page.get_by_role("button", name="Exclude moves").click()
    driver.click("i9")
    expect(page.locator("#board .mark")).to_have_count(1)
    driver.stones(1)


@server_only
def test_excluding_a_move_restarts_the_analysis(driver: PageDriver) -> None:
    page, sent = driver.page, list[str]()
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(str(data))))
    page.reload()
    driver.tab("Analyse")
    driver.line("h8")
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("#board .candidate")).to_have_count(3)
    page.get_by_role("button", name="Exclude moves").click()
    driver.click("i9")
    expect(page.locator("#board .mark")).to_have_count(1)
    for _ in range(50):
        if any('"analyse"' in data and '"exclude":["i9"]' in data for data in sent):
            return
        page.wait_for_timeout(100)
    raise AssertionError("the page asks for no analysis without i9")


def test_a_proof_move_by_move(driver: PageDriver) -> None:
    page = driver.page
    setup = "g8h8i9i10/a1c1a15o1/black"
    page.goto(f"{driver.url}#p=freestyle/15//{setup}")
    page.reload()
    driver.stones(8)
    page.get_by_role("button", name="Find VCT", exact=True).click()
    driver.sees("Black wins in 3 moves")
    page.get_by_role("button", name="Black plays i8").click()
    driver.stones(9)
    driver.sees("Defences")
    page.get_by_role("button", name="i6", exact=True).last.click()
    driver.stones(10)
    expect(page.get_by_role("button", name="Black plays")).to_be_visible()


def test_a_review_fits_a_phone(browser: Browser, address: str) -> None:
    """Nothing is cut off, down to the smallest phones."""
    context = browser.new_context(locale="en-US", viewport={"width": 320, "height": 640})
    driver = PageDriver(context.new_page(), address)
    driver.open()
    driver.paste(MOVES)
    driver.page.get_by_role("button", name="Review this game").click()
    driver.reviewed()
    cut = driver.page.evaluate(
        """() => [...document.querySelectorAll(".panel *")].filter((part) => {
          const box = part.getBoundingClientRect();
          const parent = part.closest(".card")?.getBoundingClientRect();
          return box.width > 0 && parent && !part.closest(".hidden")
            && (box.right > parent.right + 1 || box.left < parent.left - 1);
        }).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert cut == []
    context.close()


def test_pasted_moves_and_broken_files(driver: PageDriver, tmp_path: Path) -> None:
    page = driver.page
    driver.tab("Review")
    page.get_by_label("h8 i9 g7").fill("h8 i9 h9")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("button", name="Review this game")).to_be_visible()
    page.keyboard.press("End")
    driver.stones(3)
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[4", encoding="utf-8")
    page.locator("summary", has_text="Load a game").click()
    page.locator("input[type=file]").set_input_files(broken)
    expect(page.locator(".notice.error")).to_be_visible()
    driver.stones(3)


def test_files(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8", "i9")
    for button, extension, magic in FILES:
        with driver.page.expect_download() as waiting:
            driver.page.get_by_role("button", name=button).click()
        name = rf"tengen-renju-\d{{4}}-\d\d-\d\d-2moves\.{extension}"
        assert re.fullmatch(name, waiting.value.suggested_filename)
        assert Path(waiting.value.path()).read_bytes().startswith(magic), button


def test_variations_keep_their_order(driver: PageDriver) -> None:
    """The main line stays the first one, in a saved file and after a reload."""
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    for other in ("g9", "g8"):
        page.keyboard.press("ArrowLeft")
        driver.stones(2)
        driver.line(other)
    page.get_by_role("button", name="Make main line").click()
    expected = ["h8", "i9", "g8", "h9", "g9"]
    moves = page.locator(".moves .move[data-id]")
    expect(moves).to_contain_text(expected)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as SGF").click()
    saved = records.loads(_text(waiting.value), "sgf")[0]
    children = saved.main_line()[2].children
    assert [child.move and child.move.name for child in children] == expected[2:]
    page.wait_for_timeout(1200)  # saved after a pause
    page.reload()
    driver.tab("Analyse")
    driver.stones(3)
    expect(moves).to_contain_text(expected)


def test_a_problem_hint_wrong_and_solution(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Learn")
    driver.sees("to move wins in")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#board .hint")).to_have_count(1)
    page.get_by_role("button", name="Show the solution").click()
    expect(page.locator(".verdict.solved")).to_be_visible()
    page.get_by_role("button", name="Next problem").click()
    expect(page.locator(".verdict.none")).to_be_visible()


def _text(download: Download) -> str:
    return Path(download.path()).read_text(encoding="utf-8")
