// SPDX-License-Identifier: MIT
// The last event of a request that ends before the engine could answer it.
import type { EngineEvent, EngineRequest } from "../lib/protocol";

/** The end of a stopped request after its event `known`; null: only the engine can end it. */
export function endOf(request: EngineRequest, known: EngineEvent | null): EngineEvent | null {
  const { id } = request;
  if (request.type === "analyse") {
    if (known?.type === "analysis") return { ...known, state: "done" };
    return {
      ...{ type: "analysis", id, state: "done", depth: 0, seldepth: 0, nodes: 0, nps: 0 },
      ...{ lines: [], policy: [], evaluation: "" },
    };
  }
  if (request.type === "review") {
    if (known?.type === "review") return { ...known, state: "stopped" };
    return {
      ...{ type: "review", id, state: "stopped", done: 0, total: 0, start: 0.5, moves: [] },
      ...{ accuracy_black: null, accuracy_white: null, turning_point: null },
    };
  }
  if (request.type === "solve") {
    if (known?.type === "solution") return { ...known, state: "unknown" };
    const attacker = request.side ?? "black";
    return { type: "solution", id, state: "unknown", attacker, line: [], depth: 0 };
  }
  return null;
}
