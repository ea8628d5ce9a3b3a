# SPDX-License-Identifier: MIT
"""Records and links: what a changed SGF keeps, collections, links between the editions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from browser.page_driver import PageDriver, server_only
from browser.static_server import StaticServer, needs_static

RICH = r"""(;FF[4]GM[4]CA[UTF-8]AP[Other program:2.1]SZ[15]RU[renju]
PB[Ann]BR[3 dan]BT[North]PW[Bob]WR[2 dan]WT[South]EV[Cup]RO[2 (final)]DT[2026-03-01]
PC[Kyoto]GN[The final]RE[B+R]TM[600]OT[30/10]US[Cid]SO[a book]AN[Dan]CP[public]GC[a long
game]XY[of another program][two values]
;B[hh]BL[590.5]C[the centre \[tengen\]]LB[hh:A][ii:B]TR[gg]SQ[gh][hg]N[start]
;W[hi]WL[580]CR[ab]GB[1]V[0.5]
(;B[ij]BM[1]C[a question];W[ji]HO[2])
(;B[jj]DM[1]MA[aa]XZ[kept]))
"""
COLLECTION = "(;GM[4]SZ[15]PB[Ann]PW[Bob]RE[B+];B[hh];W[hi])(;GM[4]SZ[15]PB[Cid];B[aa])"
TOKEN = re.compile(r"[();]|[A-Za-z]+(?=\s*\[)|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
STONES = "#board .stone:not(.ghost)"


def _load(driver: PageDriver, path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    driver.tab("Review")
    driver.page.locator("input[type=file]").set_input_files(path)


def _comment(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Comment")


def _saved(page: Page) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as SGF").click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_a_changed_comment_changes_nothing_else(driver: PageDriver, tmp_path: Path) -> None:
    page = driver.page
    expected = TOKEN.findall(RICH)
    assert len(set(re.findall("[A-Z]{2}", " ".join(expected)))) >= 20  # properties
    _load(driver, tmp_path / "rich.sgf", RICH)
    driver.sees("Ann")
    driver.tab("Analyse")
    assert TOKEN.findall(_saved(page)) == expected
    page.keyboard.press("ArrowRight")
    driver.stones(1)
    comment = _comment(page)
    expect(comment).to_have_value("the centre [tengen]")
    comment.fill("not the centre [yet]")
    comment.blur()
    expected = [r"[not the centre [yet\]]" if "tengen" in token else token for token in expected]
    assert TOKEN.findall(_saved(page)) == expected
    page.wait_for_timeout(1000)  # saved after a pause
    page.reload()
    driver.stones(1)
    expect(comment).to_have_value("not the centre [yet]")
    assert TOKEN.findall(_saved(page)) == expected


def test_a_collection_shows_its_games(driver: PageDriver, tmp_path: Path) -> None:
    page = driver.page
    _load(driver, tmp_path / "two.sgf", COLLECTION)
    driver.sees("2 games in this record")
    games = page.locator("details .entry")
    expect(games).to_have_count(2)
    expect(games.first).to_contain_text("Ann \u2013 Bob")
    expect(games.first).to_contain_text("2 moves")
    games.nth(1).click()
    expect(page.locator(".names")).to_contain_text("Cid")
    page.keyboard.press("End")
    driver.stones(1)
    expect(games.nth(1)).to_have_attribute("aria-current", "true")


@server_only
def test_a_record_too_large_to_convert(driver: PageDriver, tmp_path: Path) -> None:
    """The page rejects it: the server closes a connection that sends such a message."""
    _load(driver, tmp_path / "large.psq", "Piskvorky 15x15, 0:0, 0\n" + "8,8,0\n" * 90_000)
    expect(driver.page.locator(".notice.error")).to_contain_text("500 kB")


def test_a_list_of_moves_that_is_cut(driver: PageDriver) -> None:
    """Its buttons have their own names."""
    points = [f"{x}{y}" for x in "abcdefghijklmno" for y in "abcdefghijklmno"]
    driver.paste(f"(;RU[freestyle]{''.join(f'(;B[{point}])' for point in points)})")
    expect(driver.page.locator(".moves .move", has_text="\u2026")).to_have_count(1)
    expect(driver.page.get_by_role("button", name="Forward", exact=True)).to_have_count(1)


def test_a_damaged_link_is_reported(driver: PageDriver) -> None:
    driver.page.goto(driver.url + "#g=renju/99/h8")
    expect(driver.page.locator(".notice.error")).to_have_count(1)


def _copied_link(driver: PageDriver) -> str:
    driver.page.get_by_role("button", name="Copy link").click()
    driver.sees("Link copied")
    link: str = driver.page.evaluate("navigator.clipboard.readText()")
    return link


def _annotated_game(driver: PageDriver) -> None:
    """A game with a side line, which is shown, and a comment."""
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    page.keyboard.press("ArrowLeft")
    driver.stones(2)
    driver.line("g9")
    _comment(page).fill("weaker, I think")
    _comment(page).blur()


def _has_annotated_game(page: Page) -> None:
    expect(page.locator(STONES)).to_have_count(3)
    expect(page.locator(".moves .move[data-id]")).to_contain_text(["h8", "i9", "h9", "g9"])


def test_a_link_brings_the_game_back(driver: PageDriver) -> None:
    """Opened, and pasted as a text to load."""
    page = driver.page
    _annotated_game(driver)
    link = _copied_link(driver)
    other = page.context.new_page()
    other.goto(link)
    _has_annotated_game(other)
    expect(other.locator(".move.current")).to_contain_text("g9")
    expect(_comment(other)).to_have_value("weaker, I think")
    other.close()
    page.get_by_role("button", name="New board").click()
    driver.stones(0)
    driver.paste(link)
    expect(page.locator(".moves .move[data-id]")).to_contain_text(["h8", "i9", "h9", "g9"])


@pytest.mark.slow
@needs_static
@server_only
def test_a_link_opens_in_the_other_edition(
    driver: PageDriver, static_site: StaticServer, context: BrowserContext
) -> None:
    _annotated_game(driver)
    link = _copied_link(driver)
    other = PageDriver(context.new_page(), static_site.address)
    other.page.goto(static_site.address + link[link.index("#") :])
    _has_annotated_game(other.page)
    back = _copied_link(other)
    assert back.startswith(static_site.address)
    assert back[back.index("#") :] == link[link.index("#") :]
    assert other.errors == []
