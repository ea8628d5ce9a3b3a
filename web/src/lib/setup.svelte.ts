// SPDX-License-Identifier: MIT
// Set-up of stones: a draft that becomes the start of a new tree once the engine accepts it.
import { indexOf, stonesOn } from "./points";
import { study } from "./study.svelte";

class SetupDraft {
  turn = $state<"black" | "white">("black");
  stones = $state<Record<string, "b" | "w">>({});

  start(): void {
    const view = study.tree.view;
    const placed = view ? stonesOn(view.stones, study.tree.start.size) : [];
    this.stones = Object.fromEntries(placed.map(({ name, stone }) => [name, stone]));
    this.turn = view?.turn ?? "black";
    study.settingUp = true;
    study.tool = "black";
    if (study.on) study.toggle();
  }

  leave(): void {
    study.settingUp = false;
    study.tool = "move";
  }

  clear(): void {
    this.stones = {};
  }

  place(point: string): void {
    const stone = study.tool === "black" ? "b" : study.tool === "white" ? "w" : null;
    if (stone === null || this.stones[point] === stone) delete this.stones[point];
    else this.stones[point] = stone;
  }

  /** The draft as the board draws it. */
  get drawn(): string {
    const size = study.tree.start.size;
    const cells = Array<string>(size * size).fill(".");
    for (const [point, stone] of Object.entries(this.stones)) cells[indexOf(point, size)] = stone;
    return cells.join("");
  }

  async finish(): Promise<void> {
    const of = (colour: string) =>
      Object.entries(this.stones).flatMap(([point, stone]) => (stone === colour ? [point] : []));
    const setup = { black: of("b"), white: of("w"), turn: this.turn };
    await study.newBoard({ ...study.tree.start, setup, moves: [] }, false);
  }
}

export const setup = new SetupDraft();
