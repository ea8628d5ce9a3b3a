// SPDX-License-Identifier: MIT
// The text of a study, as it is stored.
import type { ReviewEvent } from "./protocol";
import type { Finished, Tree } from "./tree.svelte";
import type { Estimate, TreeSource } from "./tree_node.svelte";

/** Version 0.1.0 wrote `tell` for `review`. */
interface SavedStudy extends TreeSource {
  at: number; // index in `nodes`, from 1; 0 is the root
  estimates?: (Estimate | null)[]; // the root's first
  finished?: (Omit<Finished, "review"> & { review?: ReviewEvent; tell?: ReviewEvent }) | null;
}

const MAX_SAVED = 8_000_000; // characters of a stored study

/** A tree as `restoreStudy` reads it; undefined if it is too large. */
export function studyText(tree: Tree): string | undefined {
  const nodes = [tree.nodes[0]!, ...tree.order()];
  const places = new Map(nodes.map((entry, place) => [entry.id, place]));
  const { notes: _, ...game } = tree.toGame();
  const base: SavedStudy = { ...game, at: places.get(tree.at) ?? 0 };
  const line = tree.finished?.line.map((id) => places.get(id) ?? -1) ?? [];
  const isComplete = tree.finished && !line.includes(-1); // no node was deleted
  const full: SavedStudy = {
    ...base,
    estimates: nodes.map((entry) => entry.estimate),
    finished: isComplete ? { review: tree.finished!.review, line } : null,
  };
  return [full, base].map((saved) => JSON.stringify(saved)).find((t) => t.length < MAX_SAVED);
}

/** Loads a stored study, with `finished` if its review was stored. Goes to the end of the moves
 * `place`, if they are in the tree, else to the node that was current when it was stored. */
export async function restoreStudy(tree: Tree, text: string, place?: string[]): Promise<void> {
  const saved = JSON.parse(text) as SavedStudy;
  if (!(await tree.load(saved))) return;
  saved.estimates?.forEach((estimate, id) => {
    if (tree.nodes[id]) tree.nodes[id].estimate = estimate;
  });
  const review = saved.finished?.review ?? saved.finished?.tell;
  tree.finished = saved.finished && review ? { review, line: saved.finished.line } : null;
  let at = place && tree.nodes[0];
  for (const move of place ?? []) at = at && tree.nodes[tree.childOf(at, move) ?? -1];
  await tree.go(at?.id ?? saved.at);
}
