// SPDX-License-Identifier: MIT
// Starts the page.
"use strict";

function openFromAddress() {
  const found = /^#game-(\d+)$/.exec(window.location.hash);
  const game = found && GAMES.find((entry) => entry.number === Number(found[1]));
  if (game) openGame(game, true);
  return Boolean(game);
}

function startGames() {
  const form = document.getElementById("filters");
  form.addEventListener("input", filterGames);
  form.addEventListener("reset", () => setTimeout(filterGames));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => sortBy(button.dataset.sort));
  }
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(button.dataset.step));
  }
  graph.addEventListener("pointerdown", jump);
  graph.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
  document.addEventListener("keydown", onKey);
  document.getElementById("numbers").addEventListener("change", drawStones);
  list.pager = new Pager("games", ROWS, showRows);
  filterGames();
  showGame(list.games[0]);
  markGame();
}

function start() {
  if (!GAMES.length) return;
  for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
  startGames();
  collectOpenings();
  openings.pager = new Pager("openings", CARDS, showCards);
  document.getElementById("opening-order").addEventListener("change", sortOpenings);
  document.getElementById("opening-list").hidden = openings.list.length === 0;
  sortOpenings();
  for (const chart of document.querySelectorAll("[data-hover]")) followPointer(chart);
  window.addEventListener("hashchange", openFromAddress);
  openFromAddress();
}

start();
