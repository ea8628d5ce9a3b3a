// SPDX-License-Identifier: MIT
// A reviewed game as a record: verdicts and win rates as comments, marks of bad moves, better lines
// as variations. The texts are those of `tengen review --out`.
import type { MoveReview, ReviewEvent } from "./protocol";
import { lineThrough, type RecordNode, type SgfData, type SgfGame } from "./sgf_model";

type Review = Pick<ReviewEvent, "moves" | "accuracy_black" | "accuracy_white">;

const VERDICTS: Record<MoveReview["verdict"], string> = {
  best: "Best move",
  good: "Good move",
  forced: "Forced",
  inaccuracy: "Inaccuracy",
  mistake: "Mistake",
  blunder: "Blunder",
  missed_win: "Missed win",
};
const MARKS: Partial<Record<MoveReview["verdict"], [name: string, value: string]>> = {
  inaccuracy: ["DO", ""],
  mistake: ["BM", "1"],
  missed_win: ["BM", "1"],
  blunder: ["BM", "2"],
};
const MARK_NAMES = ["BM", "DO", "IT", "TE"];

/** The game with the review on its main line. Its comments stay. */
export function annotated(game: SgfGame, review: Review): SgfGame {
  const nodes = game.nodes.map((node) => ({ ...node }));
  const line = lineThrough(game);
  for (const move of review.moves) {
    const node = nodes[line[move.ply - 1] ?? -1];
    if (node?.move !== move.move) continue;
    node.comment = joined(node.comment, moveComment(move));
    node.data = marked(node.data, move);
    addLine(nodes, node.parent, move.better);
  }
  const rootComment = joined(game.rootComment, summary(review));
  return { ...game, nodes: depthFirst(nodes), rootComment };
}

function percent(value: number): string {
  return (100 * value).toFixed(0);
}

function moveComment(move: MoveReview): string {
  const text = `${VERDICTS[move.verdict]}. Black's win rate: ${percent(move.win_rate)}%.`;
  if (!move.better.length) return text;
  return `${text} It gives away ${percent(move.loss)}%; better was ${move.better.join(" ")}.`;
}

function summary(review: Review): string {
  const parts = ["Reviewed by Tengen."];
  const [black, white] = [review.accuracy_black, review.accuracy_white];
  if (black !== null) parts.push(`Black's accuracy: ${black.toFixed(0)}%.`);
  if (white !== null) parts.push(`White's accuracy: ${white.toFixed(0)}%.`);
  return parts.join(" ");
}

/** The properties with the mark of the verdict instead of other marks. */
function marked(data: SgfData | null, move: MoveReview): SgfData | null {
  const mark = MARKS[move.verdict];
  if (!data && !mark) return null;
  const others = Object.entries(data ?? { C: [] }).filter(([name]) => !MARK_NAMES.includes(name));
  return Object.fromEntries(mark ? [...others, [mark[0], [mark[1]]]] : others);
}

/** Adds a line below a node, unless one begins with the same move. */
function addLine(nodes: RecordNode[], parent: number, moves: string[]): void {
  if (!moves.length) return;
  if (nodes.some((node) => node.parent === parent && node.move === moves[0])) return;
  for (const move of moves) {
    nodes.push({ parent, move, comment: "", data: null });
    parent = nodes.length - 1;
  }
}

/** The nodes with the added lines at their places. */
function depthFirst(nodes: RecordNode[]): RecordNode[] {
  const children: number[][] = [[], ...nodes.map(() => [])];
  nodes.forEach(({ parent }, n) => children[parent + 1]!.push(n));
  const places = new Array<number>(nodes.length);
  const ordered: RecordNode[] = [];
  const waiting = [...children[0]!].reverse();
  for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
    const node = nodes[n]!;
    places[n] = ordered.length;
    ordered.push({ ...node, parent: node.parent < 0 ? -1 : places[node.parent]! });
    for (const child of [...children[n + 1]!].reverse()) waiting.push(child);
  }
  return ordered;
}

function joined(...parts: string[]): string {
  return parts.filter(Boolean).join("\n");
}
