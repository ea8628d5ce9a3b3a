// SPDX-License-Identifier: MIT
// Reads and writes SGF (docs/formats/sgf.md) as trees of moves that keep every property. It knows
// points and whose turn it is, and no rules: a move that breaks them is found when the tree is
// loaded.
//
// No library: those that exist lose what the page must keep (spellings of escapes and of property
// names), fail as a whole on one damaged game, or recurse into variations, which a deep file
// overflows.
import type { Rule } from "./protocol";
import { BadRecord, faultAt, type RecordNote, type SgfGame } from "./sgf_model";
import { GameReader } from "./sgf_reader";
import { ScanFault, scanGame, skipDamaged } from "./sgf_scan";

const MAX_GAMES = 10_000; // that are read of a text
const MAX_DAMAGED = 1000; // games that are skipped before the reader gives up
const MAX_REREAD = 4; // times the length of a text that is read for damaged games
const MAX_NOTES = 8;
const PAUSE = 12; // ms of work between two pauses
// A game within a damaged one is recognized by the properties of a first node.
const FIRST_NODE = /\(\s*;\s*(?:AP|CA|DT|EV|FF|GM|PB|PW|SZ)\s*\[/g;

/** Whether a text looks like SGF. */
export function isSgf(text: string): boolean {
  return /\(\s*;/.test(text);
}

/** The games of a text, at most `MAX_GAMES`. A damaged game is left out, and the others have a note
 * that says why. Throws BadRecord if no game is left. `rule` is that of games that do not name
 * theirs. */
export function parseSgf(text: string, rule: Rule = "freestyle"): SgfGame[] {
  const reading = readGames(text, rule);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** As `parseSgf`, with pauses, so that a large file does not block the page. */
export async function parseSgfInSteps(text: string, rule: Rule = "freestyle"): Promise<SgfGame[]> {
  const reading = readGames(text, rule);
  for (let begin = performance.now(); ; ) {
    const step = reading.next();
    if (step.done) return step.value;
    if (performance.now() - begin < PAUSE) continue;
    await new Promise((done) => setTimeout(done));
    begin = performance.now();
  }
}

function* readGames(text: string, rule: Rule): Generator<void, SgfGame[]> {
  const games: SgfGame[] = [];
  const faults: { game: number; fault: ScanFault }[] = [];
  let reread = 0;
  let next = gameStart(text, 0);
  if (!next) throw new BadRecord("no game: in SGF a game begins with '(;'", 1, 1);
  for (let number = 1; next && games.length < MAX_GAMES; number += 1) {
    const [begin, at]: [number, number] = next;
    let end = -1;
    try {
      const scanned = yield* scanGame(text, begin, at);
      end = scanned.end;
      games.push(yield* new GameReader(text, scanned, rule).read());
    } catch (fault) {
      if (!(fault instanceof ScanFault)) throw fault;
      faults.push({ game: number, fault });
      if (end < 0) reread += text.length - begin;
      if (faults.length > MAX_DAMAGED || reread > MAX_REREAD * text.length) break;
      if (end < 0) {
        next = startAfter(text, begin, fault);
        continue;
      }
    }
    next = gameStart(text, end);
    yield;
  }
  const bad = faults.slice(0, MAX_NOTES).map(({ game, fault }) => {
    return { game, error: faultAt(text, fault.offset, fault.message) };
  });
  if (!games.length) throw bad[0]!.error;
  const notes = bad.map(({ game, error }): RecordNote => {
    const text = `Game ${game} cannot be read: ${error.message}`;
    return { code: "skipped", number: game, text, reason: error.message };
  });
  if (next && games.length === MAX_GAMES) {
    const text = `Only the first ${MAX_GAMES.toLocaleString("en")} games are read.`;
    notes.push({ code: "max_games", number: MAX_GAMES, text });
  }
  for (const game of games) game.notes.push(...notes);
  return games;
}

type Start = [begin: number, at: number]; // of `(;`, and after it

function gameStart(text: string, from: number, pattern = /\(\s*;/g): Start | null {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found && [found.index, text.indexOf(";", found.index) + 1];
}

/** The next game after one whose structure is damaged: after its end, if that can be found, and not
 * later than the next that looks like the first node of a game. */
function startAfter(text: string, begin: number, fault: ScanFault): Start | null {
  const end = skipDamaged(text, fault.offset, fault.depth);
  const after = end < 0 ? null : gameStart(text, end);
  const inside = gameStart(text, begin + 1, FIRST_NODE);
  if (!after || !inside) return after ?? inside;
  return after[0] < inside[0] ? after : inside;
}
