// SPDX-License-Identifier: MIT
// The two long lists, of games and of openings: filtered, sorted, and drawn a page at a time.
"use strict";

const ROWS = 12; // games on a page
const CARDS = 12; // openings on a page

/** Buttons that turn pages, and where one is. Calls `show` with the first and the end of a page. */
class Pager {
  constructor(name, size, show) {
    this.box = document.querySelector(`[data-pager="${name}"]`);
    this.size = size;
    this.show = show;
    this.first = 0;
    this.total = 0;
    this.status = make("span", { "aria-live": "polite" });
    this.buttons = ["«", "‹", "›", "»"].map((sign, i) => {
      const names = ["First page", "Page before", "Next page", "Last page"];
      const button = make("button", { type: "button", "aria-label": names[i] }, sign);
      button.addEventListener("click", () => this.turn(i));
      return button;
    });
    const [start, back, next, end] = this.buttons;
    this.box.append(start, back, this.status, next, end);
  }

  turn(which) {
    const last = this.lastPage();
    this.first = [0, Math.max(0, this.first - this.size), Math.min(last, this.first + this.size),
      last][which];
    this.update();
  }

  lastPage() {
    return Math.max(0, Math.floor((this.total - 1) / this.size) * this.size);
  }

  reset(total, at = 0) {
    this.total = total;
    this.first = Math.floor(Math.max(0, at) / this.size) * this.size;
    this.update();
  }

  update() {
    const end = Math.min(this.total, this.first + this.size);
    this.status.textContent = this.total
      ? `${thousands(this.first + 1)}–${thousands(end)} of ${thousands(this.total)}` : "none";
    const [start, back, next, last] = this.buttons;
    start.disabled = back.disabled = this.first === 0;
    next.disabled = last.disabled = end >= this.total;
    this.show(this.first, end);
  }
}

const SORTS = {
  number: (game) => game.number,
  black: (game) => DATA.players[game.black],
  white: (game) => DATA.players[game.white],
  result: (game) => [1, 2, 0][game.winner],
  reason: (game) => DATA.reasons[game.reason],
  opening: (game) => game.opening,
  length: (game) => game.moves.length,
};
const list = { games: [], sort: "number", down: false, pager: null };

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b);
  return a - b;
}

/** Whether a game passes the filters. */
function passes(game, want) {
  const { player, opponent } = want;
  const plays = (n) => game.black === n || game.white === n;
  if (player !== null && !plays(player)) return false;
  if (opponent !== null && !plays(opponent)) return false;
  if (player !== null && player === opponent) return false;
  if (want.reason !== null && game.reason !== want.reason) return false;
  if (want.opening !== null && game.opening !== want.opening - 1) return false;
  const length = game.moves.length / 2;
  if (want.minMoves !== null && length < want.minMoves) return false;
  if (want.maxMoves !== null && length > want.maxMoves) return false;
  return hasResult(game, want.result, player);
}

function hasResult(game, wanted, player) {
  if (!wanted) return true;
  if (wanted === "draw") return game.winner === 0;
  if (wanted === "black") return game.winner === 1;
  if (wanted === "white") return game.winner === 2;
  if (game.winner === 0) return false;
  const winner = game.winner === 1 ? game.black : game.white;
  return player === null || (winner === player) === (wanted === "won");
}

function filterGames() {
  const form = new FormData(document.getElementById("filters"));
  const number = (name) => (form.get(name) === "" ? null : Number(form.get(name)));
  const want = { result: form.get("result") };
  for (const name of ["player", "opponent", "reason", "opening", "minMoves", "maxMoves"]) {
    want[name] = number(name);
  }
  for (const option of document.querySelectorAll('[name="result"] option')) {
    option.disabled = ["won", "lost"].includes(option.value) && want.player === null;
  }
  list.games = GAMES.filter((game) => passes(game, want));
  sortGames();
}

function sortGames() {
  const key = SORTS[list.sort];
  const sign = list.down ? -1 : 1;
  list.games.sort((a, b) => sign * compare(key(a), key(b)) || a.number - b.number);
  for (const button of document.querySelectorAll("[data-sort]")) {
    const head = button.closest("th");
    if (button.dataset.sort !== list.sort) head.removeAttribute("aria-sort");
    else head.setAttribute("aria-sort", list.down ? "descending" : "ascending");
  }
  list.pager.reset(list.games.length);
}

function sortBy(name) {
  list.down = list.sort === name && !list.down;
  list.sort = name;
  sortGames();
}

function showRows(first, end) {
  const rows = list.games.slice(first, end).map((game) => {
    const open = make("button", { type: "button", "aria-label": `Replay game ${game.number}` },
      String(game.number));
    const name = (player, colour) => make("td",
      { title: DATA.players[player], class: game.winner === colour ? "winner" : "loser" },
      DATA.players[player]);
    const opening = game.opening < 0 ? "–" : String(game.opening + 1);
    const row = make("tr", { "data-game": game.number },
      make("td", {}, open),
      name(game.black, 1),
      name(game.white, 2),
      make("td", {}, resultText(game)),
      make("td", { title: game.detail }, DATA.reasons[game.reason]),
      make("td", { class: "number" }, opening),
      make("td", { class: "number" }, String(game.moves.length / 2)));
    row.addEventListener("click", () => openGame(game, false));
    return row;
  });
  if (!rows.length) rows.push(make("tr", {}, make("td", { colspan: 7 }, "No such game.")));
  document.querySelector("#game-list tbody").replaceChildren(...rows);
  markGame();
}

function markGame() {
  for (const row of document.querySelectorAll("#game-list [data-game]")) {
    const chosen = replay.game && Number(row.dataset.game) === replay.game.number;
    row.classList.toggle("chosen", Boolean(chosen));
  }
}

/** Show a game on the board; `scroll`: always scroll to it. */
function openGame(game, scroll) {
  showGame(game);
  markGame();
  const viewer = document.getElementById("viewer");
  viewer.focus({ preventScroll: true });
  const box = board.getBoundingClientRect();
  if (scroll || box.top > window.innerHeight - 200) viewer.scrollIntoView({ block: "start" });
}

const openings = { list: [], pager: null };

/** The openings that were played, with their games and the points of black. */
function collectOpenings() {
  const found = new Map();
  for (const game of GAMES) {
    if (game.opening < 0) continue;
    const entry = found.get(game.opening) || { opening: game.opening, games: 0, points: 0 };
    entry.games += 1;
    entry.points += [0.5, 1, 0][game.winner];
    found.set(game.opening, entry);
  }
  openings.list = [...found.values()];
}

function sortOpenings() {
  const off = (entry) => Math.abs(entry.points / entry.games - 0.5);
  const keys = {
    opening: () => 0,
    uneven: (entry) => -off(entry),
    even: off,
    games: (entry) => -entry.games,
  };
  const key = keys[document.getElementById("opening-order").value];
  openings.list.sort((a, b) => key(a) - key(b) || a.opening - b.opening);
  openings.pager.reset(openings.list.length);
}

function showCards(first, end) {
  const cards = openings.list.slice(first, end).map(card);
  document.getElementById("opening-cards").replaceChildren(...cards);
}

function card(entry) {
  const moves = points(DATA.openings[entry.opening] || "");
  const symbol = document.getElementById("mini");
  const [, , side] = symbol.getAttribute("viewBox").split(" ").map(Number);
  const place = geometry(symbol);
  const picture = draw("svg", { viewBox: `0 0 ${side} ${side}`, role: "img",
    "aria-label": `Opening ${moves.map(pointName).join(" ")}` }, draw("use", { href: "#mini" }));
  moves.forEach((p, i) => { if (p) picture.append(stone(place, p, i % 2 === 0)); });
  const share = entry.points / entry.games;
  const bar = draw("svg", { class: "share", viewBox: "0 0 100 6", preserveAspectRatio: "none" },
    draw("rect", { class: "track", width: 100, height: 6 }),
    draw("rect", { class: "c2", width: 100 * share, height: 6 }));
  const number = entry.games === 1 ? "1 game" : `${entry.games} games`;
  const games = make("button", { type: "button" }, number);
  games.addEventListener("click", () => filterByOpening(entry.opening + 1));
  return make("li", {}, picture, bar,
    make("b", {}, `${entry.opening + 1}: ${(100 * share).toFixed(0)}% in `, games),
    make("small", {}, moves.map(pointName).join(" ") || "empty board"));
}

function filterByOpening(number) {
  const form = document.getElementById("filters");
  form.reset();
  form.elements.opening.value = number;
  filterGames();
  document.getElementById("games").scrollIntoView();
}
