// SPDX-License-Identifier: MIT
// The nodes of a variation tree, and the check of a line by the engine.
import { engine } from "./engine.svelte";
import type { GamePosition, MoveReview, PositionView } from "./protocol";
import { RequestRejected } from "./server_back_end";
import type { RecordNode, SgfData, SgfGame } from "./sgf_model";

export interface Estimate {
  winRate: number; // black's
  mate: number | null;
  depth: number;
}

export class TreeNode {
  children = $state.raw<number[]>([]);
  comment = $state("");
  estimate = $state.raw<Estimate | null>(null);
  reviewed = $state.raw<MoveReview | null>(null);

  constructor(
    readonly id: number,
    readonly parent: number,
    readonly move: string, // "" at the root
    comment = "",
    public data: SgfData | null = null, // other properties of its record
  ) {
    this.comment = comment;
  }
}

/** What `load` reads: parents come before their children. */
export type TreeSource = Pick<SgfGame, "position"> & { nodes: SavedNode[] } & Partial<
    Pick<SgfGame, "names" | "rootData" | "rootComment">
  >;
type SavedNode = Pick<RecordNode, "parent" | "move"> & Partial<RecordNode>;

/** The nodes of a source after a root; their ids are their places in it, from 1. */
export function readNodes({ nodes, rootComment }: TreeSource): TreeNode[] {
  const read = [new TreeNode(0, -1, "", rootComment)];
  const children: number[][] = [[]];
  nodes.forEach(({ parent, move, comment, data }, index) => {
    read.push(new TreeNode(index + 1, parent + 1, move, comment, data));
    children.push([]);
    children[parent + 1]?.push(index + 1);
  });
  children.forEach((ids, id) => (read[id]!.children = ids));
  return read;
}

/** The views of the longest legal beginning of a line, and why the next move is not legal.
 * Rejects if the start is invalid, or `isStrict` and a move is not legal. */
export async function legalViews(
  line: GamePosition,
  isStrict = false,
): Promise<[PositionView[], string]> {
  const { moves } = line;
  try {
    return [await engine.views(line), ""];
  } catch (error) {
    if (isStrict || !(error instanceof RequestRejected) || !moves.length) throw error;
    let views = await engine.views({ ...line, moves: [] }); // rejected: the start is invalid
    let reason = error.message;
    let illegal = moves.length;
    for (let legal = 0; illegal - legal > 1; ) {
      const middle = Math.floor((legal + illegal) / 2);
      try {
        views = await engine.views({ ...line, moves: moves.slice(0, middle) });
        legal = middle;
      } catch (rejected) {
        if (!(rejected instanceof RequestRejected)) throw rejected;
        reason = rejected.message;
        illegal = middle;
      }
    }
    return [views, reason];
  }
}
