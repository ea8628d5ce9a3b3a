// SPDX-License-Identifier: MIT
// The replay: a board, its buttons and keys, the graph of the values and the list of moves.
"use strict";

/** Where the lines of a drawn board are. */
function geometry(board) {
  const grid = board.querySelector(".grid rect");
  const [left, top, width] = ["x", "y", "width"].map((name) => Number(grid.getAttribute(name)));
  return { left, bottom: top + width, cell: width / (DATA.size - 1) };
}

function stone(place, point, black) {
  return draw("circle", {
    cx: place.left + point.x * place.cell, cy: place.bottom - point.y * place.cell,
    r: 0.47 * place.cell, fill: `url(#tengen-wood-${black ? "black" : "white"})`,
    stroke: black ? "#000" : "#8f8778", "stroke-width": 0.9,
  });
}

function label(place, point, text, black) {
  return draw("text", {
    x: place.left + point.x * place.cell, y: place.bottom - point.y * place.cell, dy: ".35em",
    class: black ? "on-black" : "on-white", "text-anchor": "middle",
    "font-size": text.length > 2 ? 14 : 17,
  }, text);
}

const replay = { game: null, points: [], reports: [], ply: 0 };
const board = document.getElementById("board");
const graph = document.getElementById("graph");
const GRAPH = { left: 36, right: 552, top: 6, bottom: 124 };

function showGame(game) {
  replay.game = game;
  replay.points = points(game.moves);
  replay.reports = parseReports(game);
  replay.ply = replay.points.length;
  const [black, white] = [DATA.players[game.black], DATA.players[game.white]];
  document.getElementById("game-title").replaceChildren(
    `Game ${game.number}: `, make("span", { class: "stone black" }), `${black} – `,
    make("span", { class: "stone" }), `${white}  ${resultText(game)}`);
  const opening = game.opening < 0 ? "opening made by the players" : `opening ${game.opening + 1}`;
  const ended = [DATA.reasons[game.reason], game.detail].filter(Boolean).join(": ");
  document.getElementById("game-end").textContent =
    `${replay.points.length} moves, ${opening}. End: ${ended}.`;
  document.getElementById("black-name").textContent = black;
  document.getElementById("white-name").textContent = white;
  fillMoves();
  fillGraph();
  showPly();
}

/** The report of a move, counted from 1; null within the opening. */
function reportAt(ply) {
  return replay.reports[ply - 1 - replay.game.openingMoves] || null;
}

function go(ply) {
  if (!replay.game) return;
  const wanted = Math.max(0, Math.min(replay.points.length, ply));
  if (wanted === replay.ply) return;
  replay.ply = wanted;
  showPly();
}

function showPly() {
  drawStones();
  const total = replay.points.length;
  document.getElementById("ply").textContent = `${replay.ply} / ${total}`;
  document.getElementById("now").textContent = moveText();
  for (const button of document.querySelectorAll("[data-step]")) {
    const back = button.dataset.step === "first" || button.dataset.step === "back";
    button.disabled = back ? replay.ply === 0 : replay.ply === total;
  }
  const at = graph.querySelector(".graph-at");
  at.setAttribute("x1", graphX(replay.ply));
  at.setAttribute("x2", graphX(replay.ply));
  markMove();
}

function drawStones() {
  const place = geometry(board);
  const layer = draw("g", { id: "stones" });
  const shown = replay.points.slice(0, replay.ply);
  const numbers = document.getElementById("numbers").checked;
  const ended = replay.ply === replay.points.length;
  const runs = ended ? replay.game.lines.map(points) : [];
  for (const run of runs) layer.append(band(place, run));
  shown.forEach((point, i) => { if (point) layer.append(stone(place, point, i % 2 === 0)); });
  shown.forEach((point, i) => {
    if (point && numbers) layer.append(label(place, point, String(i + 1), i % 2 === 0));
  });
  const last = shown[shown.length - 1];
  if (last) {
    layer.append(draw("circle", {
      cx: place.left + last.x * place.cell, cy: place.bottom - last.y * place.cell,
      r: 0.5 * place.cell, class: "last-move",
    }));
  }
  const old = document.getElementById("stones");
  if (old) old.replaceWith(layer); else board.append(layer);
  const names = shown.map(pointName).join(" ");
  board.setAttribute("aria-label", shown.length ? `Board after ${names}` : "Empty board");
}

/** The glow under a run that won. */
function band(place, run) {
  const at = run.map((p) => `${place.left + p.x * place.cell} ${place.bottom - p.y * place.cell}`);
  return draw("path", { d: "M" + at.join("L") + "h0", class: "winning" });
}

function moveText() {
  if (replay.ply === 0) return "Before the first move.";
  const black = replay.ply % 2 === 1;
  const name = DATA.players[black ? replay.game.black : replay.game.white];
  const point = pointName(replay.points[replay.ply - 1]);
  const move = `${replay.ply}. ${black ? "Black" : "White"} ${point}`;
  const report = reportAt(replay.ply);
  if (!report) return `${move}, of the opening.`;
  const parts = [`${move} by ${name} in ${timeText(report.ms)}`];
  const share = expected(report);
  if (share !== null) parts.push(`value ${valueText(report)} (${(100 * share).toFixed(0)}%)`);
  if (report.depth) parts.push(`depth ${report.depth}`);
  if (report.nodes) parts.push(`${thousands(report.nodes)} nodes`);
  return parts.join(", ") + ".";
}

function fillMoves() {
  const rows = replay.points.map((point, i) => {
    const report = reportAt(i + 1);
    const texts = report
      ? [valueText(report), report.depth || "", report.nodes ? thousands(report.nodes) : "",
        timeText(report.ms)]
      : ["", "", "", ""];
    const dot = make("span", { class: i % 2 === 0 ? "stone black" : "stone" });
    const row = make("tr", {}, make("td", { class: "number" }, String(i + 1)),
      make("td", {}, dot, pointName(point)),
      ...texts.map((text) => make("td", { class: "number" }, String(text))));
    row.addEventListener("click", () => go(i + 1));
    return row;
  });
  document.querySelector("#move-list tbody").replaceChildren(...rows);
}

/** Mark the row of the shown move, and bring it into sight without moving the page. */
function markMove() {
  const rows = document.querySelectorAll("#move-list tbody tr");
  rows.forEach((row, i) => row.classList.toggle("chosen", i === replay.ply - 1));
  const box = document.querySelector(".moves");
  const row = rows[replay.ply - 1];
  box.scrollTop = row ? row.offsetTop - box.clientHeight / 2 : 0;
}

function graphX(ply) {
  const total = Math.max(1, replay.points.length);
  return (GRAPH.left + ((GRAPH.right - GRAPH.left) * ply) / total).toFixed(1);
}

function graphY(share) {
  return (GRAPH.bottom - (GRAPH.bottom - GRAPH.top) * share).toFixed(1);
}

function fillGraph() {
  const width = GRAPH.right - GRAPH.left;
  const middle = graphY(0.5);
  const parts = [
    draw("rect", {
      class: "graph-box", x: GRAPH.left, y: GRAPH.top, width, height: GRAPH.bottom - GRAPH.top,
    }),
    draw("rect", {
      class: "graph-opening", x: GRAPH.left, y: GRAPH.top,
      width: graphX(replay.game.openingMoves) - GRAPH.left, height: GRAPH.bottom - GRAPH.top,
    }),
    draw("line", {
      class: "graph-middle", x1: GRAPH.left, x2: GRAPH.right, y1: middle, y2: middle,
    }),
  ];
  for (const [share, text] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
    const y = Number(graphY(share)) + (share === 1 ? 9 : share === 0 ? 0 : 4);
    parts.push(draw("text", { x: GRAPH.left - 4, y, "text-anchor": "end", "font-size": 10 }, text));
  }
  parts.push(...opinions(0, "of-black"), ...opinions(1, "of-white"));
  parts.push(draw("line", { class: "graph-at", y1: GRAPH.top, y2: GRAPH.bottom, x1: 0, x2: 0 }));
  graph.replaceChildren(...parts);
}

/** Black's expected score as the player of one colour saw it, as a line with dots. */
function opinions(parity, style) {
  const seen = [];
  for (let ply = 1; ply <= replay.points.length; ply += 1) {
    const report = reportAt(ply);
    const share = report && (ply - 1) % 2 === parity ? expected(report) : null;
    if (share !== null) seen.push([graphX(ply), graphY(parity ? 1 - share : share)]);
  }
  if (!seen.length) return [];
  const path = draw("path", { class: style, d: "M" + seen.map((at) => at.join(" ")).join("L") });
  return [path, ...seen.map(([cx, cy]) => draw("circle", { class: style, cx, cy, r: 2.2 }))];
}

function jump(event) {
  if (!replay.game) return;
  const box = graph.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * 560;
  go(Math.round(((x - GRAPH.left) / (GRAPH.right - GRAPH.left)) * replay.points.length));
}

function step(name) {
  const { ply, points: { length } } = replay;
  go({ first: 0, back: ply - 1, forward: ply + 1, last: length }[name]);
}

/** Arrows work wherever no field wants them, while the board can be seen. */
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.matches("input, select, textarea")) return;
  const inside = document.getElementById("viewer").contains(event.target);
  const name = { ArrowLeft: "back", ArrowRight: "forward" }[event.key]
    || (inside && { Home: "first", End: "last" }[event.key]);
  const box = board.getBoundingClientRect();
  if (!name || box.bottom < 0 || box.top > window.innerHeight) return;
  event.preventDefault();
  step(name);
}
