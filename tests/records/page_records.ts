// SPDX-License-Identifier: MIT
// The records of the page as a process for tests/py/page_records.py: one JSON request per
// line, one JSON answer per line.
import { createInterface } from "node:readline";
import { annotated } from "../../web/src/lib/annotated";
import { downloadName } from "../../web/src/lib/download_name";
import { decodeGame, encodeGame, fragmentOf } from "../../web/src/lib/link";
import { drawBoard } from "../../web/src/lib/picture";
import { writePlain } from "../../web/src/lib/plain";
import type { PositionView, ReviewEvent, Rule } from "../../web/src/lib/protocol";
import { decodeText, readGames } from "../../web/src/lib/record_formats";
import { parseSgf } from "../../web/src/lib/sgf";
import { BadRecord, type SgfGame } from "../../web/src/lib/sgf_model";
import { hideNodes, writeSgf } from "../../web/src/lib/sgf_writer";

interface Request {
  op: string;
  text: string;
  name: string;
  rule?: Rule;
  bytes: string; // base64
  game: SgfGame;
  at: number;
  hidden: number[];
  review: ReviewEvent;
  view: PositionView;
  options: Parameters<typeof drawBoard>[1] & { numbers: Record<string, number> | null };
  download: Parameters<typeof downloadName>[1] & { today: string };
}

const OPERATIONS: Record<string, (request: Request) => unknown> = {
  parse: ({ text, rule }) => parseSgf(text, rule),
  read: ({ text, name, rule }) => readGames(text, name, { rule }),
  decode: ({ bytes }) => decodeText(Buffer.from(bytes, "base64")),
  write: ({ game }) => writeSgf(game),
  rewrite: ({ text, rule }) => parseSgf(text, rule).map(writeSgf),
  hide: ({ game, hidden }) => hideNodes(game, new Set(hidden)),
  plain: ({ game }) => writePlain(game.position),
  link: ({ game, at }) => encodeGame(game, at),
  open: ({ text }) => {
    const fragment = fragmentOf(text);
    return fragment === null ? null : decodeGame(fragment);
  },
  annotate: ({ game, review }) => annotated(game, review),
  draw: ({ view, options }) => {
    const numbers = options.numbers && new Map(Object.entries(options.numbers));
    return drawBoard(view, { ...options, numbers });
  },
  name: ({ game, download }) => {
    return downloadName(game, { ...download, today: new Date(download.today) });
  },
  /** Parses a text that an expression of JavaScript makes, and measures it. */
  time: ({ text }) => {
    const made = String(new Function(`return ${text}`)());
    const begin = process.cpuUsage();
    let games = 0;
    let fault = "";
    try {
      games = parseSgf(made).map(writeSgf).length;
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      fault = error.message;
    }
    const { user, system } = process.cpuUsage(begin);
    return { seconds: (user + system) / 1e6, games, fault };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  let answer: unknown;
  try {
    answer = { result: await OPERATIONS[request.op]!(request) };
  } catch (error) {
    if (!(error instanceof BadRecord)) answer = { crash: String((error as Error).stack) };
    else answer = { fault: error.fault, line: error.line, column: error.column };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
