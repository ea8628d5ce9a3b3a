# SPDX-License-Identifier: MIT
"""Messages and states of the page: languages, ends of games and reviews, undo, stable layout."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, WebSocketRoute, expect

from browser.page_driver import PageDriver
from web_server import SESSION_0_1_0, RunningServer, database_0_1_0, run_server

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"


def _in_japanese(driver: PageDriver) -> None:
    driver.page.evaluate(
        """localStorage.setItem("tengen-settings", JSON.stringify({ language: "ja" }))"""
    )
    driver.page.reload()
    expect(driver.page.get_by_role("button", name="開始", exact=True)).to_be_enabled()


def test_texts_of_the_engine_are_translated(driver: PageDriver) -> None:
    _in_japanese(driver)
    page = driver.page
    page.locator("nav .tab").nth(3).click()
    expect(page.locator(".verdict.none")).to_be_visible()
    driver.click("a1")
    expect(page.locator(".verdict.wrong .why")).to_have_text("受ける必要のある手ではありません。")
    page.locator("nav .tab").nth(2).click()
    page.locator("textarea").fill("h8 i9 h8")
    page.locator(".drop .button").last.click()
    expect(page.locator(".notice").first).to_contain_text("として読みました")
    expect(page.locator(".notice").last).to_have_text("3 手目は打てないため、手順はここまでです。")


def test_a_stopped_review_is_marked_and_can_be_restarted(driver: PageDriver) -> None:
    driver.paste(MOVES)
    driver.page.get_by_role("button", name="Review this game").click()
    driver.page.get_by_role("button", name="Stop").click()
    driver.sees("Stopped")
    expect(driver.page.get_by_text("No mistakes found")).to_have_count(0)
    expect(driver.page.get_by_role("button", name="Review this game")).to_be_visible()


def test_an_analysis_waits_until_it_gets_its_own_event(
    context: BrowserContext, server: RunningServer
) -> None:
    page = context.new_page()
    analyses: list[int] = []
    end = {"type": "analysis", "state": "done", "depth": 1, "seldepth": 1, "nodes": 1, "nps": 1}
    end |= {"lines": [], "policy": [], "evaluation": "classical"}

    def between(link: WebSocketRoute) -> None:
        behind = link.connect_to_server()

        def answer(text: str | bytes) -> None:
            request = json.loads(text)
            if request["type"] == "analyse":
                link.send(json.dumps({"type": "queued", "id": request["id"]}))
                if analyses:
                    link.send(json.dumps({**end, "id": analyses[-1]}))
                analyses.append(request["id"])
            elif request["type"] != "stop":
                behind.send(text)

        link.on_message(answer)

    page.route_web_socket("**/ws", between)
    driver = PageDriver(page, server.url)
    driver.open()
    driver.tab("Analyse")
    page.get_by_role("button", name="Analysis").click()
    driver.line("h8")
    while len(analyses) < 2:
        page.wait_for_timeout(50)
    expect(page.locator(".head .grow")).not_to_be_empty()


def test_a_finished_position_shows_the_winner(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8", "a1", "h9", "a3", "h10", "a5", "h11", "a7", "h12")
    driver.sees("Black wins")
    expect(driver.page.get_by_role("button", name="Find VCF")).to_be_disabled()


def test_another_rule_keeps_the_moves_and_a_new_board_can_be_undone(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    page.get_by_label("Rule").select_option("freestyle")
    expect(page.get_by_label("Rule")).to_have_value("freestyle")
    driver.stones(3)
    page.get_by_role("button", name="New board").click()
    driver.stones(0)
    page.get_by_role("button", name="Board cleared. Undo").click()
    driver.stones(3)
    page.get_by_role("button", name="Delete from here").click()
    driver.stones(2)
    page.get_by_role("button", name="Moves deleted. Undo").click()
    driver.stones(3)


def test_swap2_shows_which_stones_are_left_to_place(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_text("More options").click()
    page.get_by_label("Opening").select_option("swap2_you")
    page.get_by_role("button", name="Start").click()
    driver.sees("Black, White, Black.")
    driver.click("h8")
    driver.stones(1)
    expect(page.locator(".state")).to_contain_text("stones: White, Black.")


def test_a_click_on_a_stone_is_ignored(driver: PageDriver) -> None:
    driver.page.get_by_role("button", name="Start").click()
    driver.click("h8")
    driver.stones(2)
    driver.click("h8")
    driver.click("a1")  # events arrive in order
    driver.stones(4)
    expect(driver.page.locator(".notice")).to_have_count(0)


def test_a_click_before_the_game_arrives_is_played(
    context: BrowserContext, server: RunningServer
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
    driver = PageDriver(page, server.url)
    driver.open()
    is_held = True
    page.get_by_role("button", name="Start").click()
    driver.click("h8")
    page.wait_for_timeout(100)
    driver.stones(0)
    is_held = False
    for text in held:
        links[-1].send(text)
    driver.stones(2)
    assert driver.errors == []


def test_the_list_of_games_follows_the_games(driver: PageDriver) -> None:
    page = driver.page
    page.get_by_role("button", name="Start").click()
    driver.click("h8")
    driver.stones(2)
    page.get_by_role("button", name="Your games").click()
    expect(page.locator(".past .entry")).to_contain_text("unfinished")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".past .entry")).to_contain_text("Tengen wins")


def test_nothing_jumps_while_the_engine_thinks(driver: PageDriver) -> None:
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
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


def test_the_skip_link_keeps_the_tab(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.page.get_by_role("link", name="Skip to the board").press("Enter")
    expect(driver.page.locator("#board")).to_be_focused()
    expect(driver.page.locator("nav [aria-current]")).to_have_text("Analyse")


def test_only_the_gif_button_shows_progress(driver: PageDriver) -> None:
    driver.tab("Analyse")
    driver.line("h8", "i9")
    button = driver.page.get_by_role("button", name="Game as GIF")
    button.evaluate(
        """(node) => {
          window.changes = 0;
          const watch = { childList: true, characterData: true, subtree: true };
          new MutationObserver(() => (window.changes += 1)).observe(node, watch);
        }"""
    )
    with driver.page.expect_download():
        driver.page.get_by_role("button", name="Save as SGF").click()
    assert driver.page.evaluate("window.changes") == 0
    with driver.page.expect_download():
        button.click()
    assert driver.page.evaluate("window.changes") > 0


def test_leaving_while_a_link_loads_keeps_the_stored_study(
    context: BrowserContext, server: RunningServer
) -> None:
    page = context.new_page()
    sent: list[str] = []

    def between(link: WebSocketRoute) -> None:
        upstream = link.connect_to_server()

        def forward(text: str | bytes) -> None:
            sent.append(str(text))
            if '"whole_line":true' not in str(text):  # the views of the line never arrive
                upstream.send(text)

        link.on_message(forward)

    page.route_web_socket("**/ws", between)
    page.goto(f"{server.url}#p=renju/15/h8i9h9")
    expect(page.locator(".moves .move")).to_have_count(4)
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    assert any("whole_line" in text for text in sent)
    assert not any("save_study" in text for text in sent)


def test_a_study_of_version_0_1_0_still_opens(browser: Browser, tmp_path: Path) -> None:
    with run_server(database_0_1_0(tmp_path)) as old:
        context = browser.new_context(locale="en-US")
        page = context.new_page()
        page.add_init_script(f"localStorage.setItem('tengen-session', '{SESSION_0_1_0}')")
        driver = PageDriver(page, old.url)
        page.goto(old.url)
        driver.stones(2)  # the game
        driver.tab("Review")
        driver.stones(8)  # the study, at the position before the mistake
        expect(page.locator(".entry.missed_win")).to_have_count(1)
        expect(page.get_by_role("button", name="Save SGF with analysis")).to_be_visible()
        assert driver.errors == []
        context.close()
