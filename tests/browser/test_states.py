# SPDX-License-Identifier: MIT
"""What the page says and when: languages, ends of games and reviews, undoing, no jumps."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, WebSocketRoute, expect

from browser.table import Table
from web_server import Served

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"


def _in_japanese(table: Table) -> None:
    table.page.evaluate(
        """localStorage.setItem("tengen-settings", JSON.stringify({ language: "ja" }))"""
    )
    table.page.reload()
    expect(table.page.get_by_role("button", name="開始", exact=True)).to_be_enabled()


def test_the_words_of_the_server_are_translated(table: Table) -> None:
    _in_japanese(table)
    page = table.page
    page.locator("nav .tab").nth(3).click()
    expect(page.locator(".said.none")).to_be_visible()
    table.click("a1")
    expect(page.locator(".said.wrong .why")).to_have_text("受ける必要のある手ではありません。")
    page.locator("nav .tab").nth(2).click()
    page.locator("textarea").fill("h8 i9 h8")
    page.locator(".drop .button").last.click()
    expect(page.locator(".notice").first).to_contain_text("として読みました")
    expect(page.locator(".notice").last).to_have_text("3 手目は打てないため、手順はここまでです。")


def test_a_review_that_was_stopped_says_so_and_can_be_begun_again(table: Table) -> None:
    table.tab("Review")
    table.page.get_by_placeholder("h8").fill(MOVES)
    table.page.get_by_role("button", name="Load", exact=True).click()
    table.page.get_by_role("button", name="Review this game").click()
    table.page.get_by_role("button", name="Stop").click()
    table.said("Stopped")
    expect(table.page.get_by_text("No mistakes found")).to_have_count(0)
    expect(table.page.get_by_role("button", name="Review this game")).to_be_visible()


def test_a_finished_position_says_who_won(table: Table) -> None:
    table.tab("Analyse")
    table.line("h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12")
    table.said("Black wins")
    expect(table.page.get_by_role("button", name="Find VCF")).to_be_disabled()


def test_another_rule_keeps_the_moves_and_a_new_board_can_be_undone(table: Table) -> None:
    page = table.page
    table.tab("Analyse")
    table.line("h8", "i9", "h9")
    page.get_by_label("Rule").select_option("freestyle")
    expect(page.get_by_label("Rule")).to_have_value("freestyle")
    table.stones(3)
    page.get_by_role("button", name="New board").click()
    table.stones(0)
    page.get_by_role("button", name="Bring the old one back").click()
    table.stones(3)
    page.get_by_role("button", name="Delete from here").click()
    table.stones(2)
    page.get_by_role("button", name="Bring the moves back").click()
    table.stones(3)


def test_swap2_says_which_stones_are_still_to_be_put(table: Table) -> None:
    page = table.page
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("swap2_you")
    page.get_by_role("button", name="Start").click()
    table.said("Black, White, Black.")
    table.click("h8")
    table.stones(1)
    expect(page.locator(".state")).to_contain_text("board: White, Black.")


def test_a_click_on_a_stone_is_no_fault(table: Table) -> None:
    table.page.get_by_role("button", name="Start").click()
    table.click("h8")
    table.stones(2)
    table.click("h8")
    table.click("a1")  # what the server says comes in order
    table.stones(4)
    expect(table.page.locator(".notice")).to_have_count(0)


def test_a_click_before_the_game_has_come_is_played(
    context: BrowserContext, server: Served
) -> None:
    page = context.new_page()
    held: list[str | bytes] = []
    links: list[WebSocketRoute] = []
    is_held = False

    def between(link: WebSocketRoute) -> None:
        links.append(link)
        link.connect_to_server().on_message(
            lambda text: held.append(text) if is_held else link.send(text)
        )

    page.route_web_socket("**/ws", between)
    table = Table(page, server.url)
    table.open()
    is_held = True
    page.get_by_role("button", name="Start").click()
    table.click("h8")
    page.wait_for_timeout(100)
    table.stones(0)
    is_held = False
    for text in held:
        links[-1].send(text)
    table.stones(2)
    assert table.faults == []


def test_the_list_of_games_follows_the_games(table: Table) -> None:
    page = table.page
    page.get_by_role("button", name="Start").click()
    table.click("h8")
    table.stones(2)
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".past .entry")).to_contain_text("unfinished")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".past .entry")).to_contain_text("Tengen wins")


def test_nothing_jumps_while_the_engine_thinks(table: Table) -> None:
    page = table.page
    table.tab("Analyse")
    table.line("h8", "i9", "h9")
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("#board .candidate")).to_have_count(3)
    places = page.evaluate(
        """async () => {
          const found = new Set();
          const key = { key: "ArrowLeft", bubbles: true };
          for (let n = 0; n < 60; n += 1) {
            if (n % 20 === 0) document.body.dispatchEvent(new KeyboardEvent("keydown", key));
            found.add(document.querySelector(".stepper").getBoundingClientRect().top);
            await new Promise(requestAnimationFrame);
          }
          return [...found];
        }"""
    )
    assert len(places) == 1


def test_the_way_past_the_head_stays_in_its_tab(table: Table) -> None:
    table.tab("Analyse")
    table.page.get_by_role("link", name="Skip to the board").press("Enter")
    expect(table.page.locator("#board")).to_be_focused()
    expect(table.page.locator("nav [aria-current]")).to_have_text("Analyse")


def test_only_the_gif_says_that_it_is_being_made(table: Table) -> None:
    table.tab("Analyse")
    table.line("h8", "i9")
    button = table.page.get_by_role("button", name="Game as GIF")
    button.evaluate(
        """(node) => {
          window.changes = 0;
          const watch = { childList: true, characterData: true, subtree: true };
          new MutationObserver(() => (window.changes += 1)).observe(node, watch);
        }"""
    )
    with table.page.expect_download():
        table.page.get_by_role("button", name="Save as SGF").click()
    assert table.page.evaluate("window.changes") == 0
    with table.page.expect_download():
        button.click()
    assert table.page.evaluate("window.changes") > 0
