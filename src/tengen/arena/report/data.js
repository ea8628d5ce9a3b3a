// SPDX-License-Identifier: MIT
// The games of the page, and small helpers of the other scripts. The scripts know no rules: they
// put stones where the data says. Foreign text only ever becomes text, never markup.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const GAMES = DATA.games.map(
  (row) => Object.fromEntries(DATA.fields.map((name, i) => [name, row[i]])));
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const EVAL_PER_LOGIT = 200;

/** An element with attributes and children; strings become text. */
function make(name, attributes = {}, ...children) {
  return assemble(document.createElement(name), attributes, children);
}

/** The same for a part of a picture; the name space is that of the board that is in the page. */
function draw(name, attributes = {}, ...children) {
  const space = document.getElementById("board").namespaceURI;
  return assemble(document.createElementNS(space, name), attributes, children);
}

function assemble(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Packed moves as points; a pass is null. */
function points(text) {
  const found = [];
  for (let i = 0; i < text.length; i += 2) {
    const pass = text[i] === ".";
    found.push(pass ? null : { x: parseInt(text[i], 36), y: parseInt(text[i + 1], 36) });
  }
  return found;
}

function pointName(point) {
  return point ? LETTERS[point.x] + (point.y + 1) : "pass";
}

/** The reports of the moves after the opening. */
function parseReports(game) {
  if (!game.reports) return [];
  return game.reports.split(";").map((text) => {
    const [ms, value, mate, depth, nodes] = text.split(",");
    const number = (part) => (part ? Number(part) : null);
    return {
      ms: Number(ms), value: number(value), mate: number(mate), depth: number(depth),
      nodes: number(nodes),
    };
  });
}

/** The value, seen by the player that reported it. */
function valueText(report) {
  if (report.mate !== null) return (report.mate > 0 ? "+M" : "−M") + Math.abs(report.mate);
  if (report.value === null) return "";
  return (report.value < 0 ? "−" : report.value > 0 ? "+" : "") + Math.abs(report.value);
}

/** The expected score of the player, 0 to 1; null without a report. */
function expected(report) {
  if (report.mate !== null) return report.mate > 0 ? 1 : 0;
  return report.value === null ? null : 1 / (1 + Math.exp(-report.value / EVAL_PER_LOGIT));
}

function timeText(ms) {
  if (ms >= 1000) return (ms / 1000).toFixed(ms >= 10000 ? 1 : 2) + " s";
  return (ms >= 10 ? ms.toFixed(0) : ms.toFixed(2)) + " ms";
}

/** 120,000 in every browser and language. */
function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function resultText(game) {
  return ["½–½", "1–0", "0–1"][game.winner];
}
