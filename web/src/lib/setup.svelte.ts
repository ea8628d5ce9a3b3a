// SPDX-License-Identifier: MIT
// Set-up of stones: a draft that becomes the start of a new tree once the engine accepts it.
import { app } from "./app.svelte";
import type { PositionView } from "./protocol";
import { indexOf, nameOf } from "./points";
import { study } from "./study.svelte";

class SetupDraft {
  get on(): boolean {
    return study.settingUp;
  }
  turn = $state<"black" | "white">("black");
  stones = $state<Record<string, "b" | "w">>({});

  start(): void {
    const view = study.tree.view;
    this.stones = view ? stonesOf(view, study.tree.start.size) : {};
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
    try {
      await study.tree.reset({ ...study.tree.start, setup, moves: [] });
      this.leave();
      study.clearResults();
      study.tree.save();
    } catch (error) {
      app.failed(error);
    }
  }
}

function stonesOf(view: PositionView, size: number): Record<string, "b" | "w"> {
  const stones: Record<string, "b" | "w"> = {};
  [...view.stones].forEach((stone, n) => {
    if (stone === "b" || stone === "w") stones[nameOf(n % size, Math.floor(n / size))] = stone;
  });
  return stones;
}

export const setup = new SetupDraft();
