// SPDX-License-Identifier: MIT
// Messages between the tabs of one browser that show the same game. The tab that acted last owns
// the game: its engine plays and its clock counts.
import type { PositionView } from "./protocol";

export type TabMessage =
  // The owner's game, as stored; `acted` is the time of its last change, Unix time in ms.
  | { type: "game"; state: string; views: PositionView[] | null; acted?: number } // 0.1.0: no time
  | { type: "query" } // a new tab: the owner answers with its game
  | { type: "move_now" } // to the owner
  | { type: "leave" }; // the owner is closed

type Sent = TabMessage & { from: string };
export type GameMessage = Extract<Sent, { type: "game" }>;

export class Tabs {
  readonly id = Math.random().toString(36).slice(2);
  private readonly channel = new BroadcastChannel("tengen-game");

  constructor(onMessage: (message: Sent) => void) {
    this.channel.onmessage = ({ data }: MessageEvent<Sent>) => onMessage(data);
  }

  post(message: TabMessage): void {
    this.channel.postMessage({ ...message, from: this.id });
  }
}
