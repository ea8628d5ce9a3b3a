// SPDX-License-Identifier: MIT
// The connection to the server: says hello, comes back after every loss, matches answers with
// questions. Knows nothing of what the messages are about.
import type { Ask, Fault, Tell } from "./messages";
import { lasting, ofTab } from "./storage";

type OmitId<T> = T extends { id: number } ? Omit<T, "id"> : never;
export type Question = OmitId<Ask>;

const FIRST_WAIT = 300; // ms before the first try to come back; doubled up to the last
const LAST_WAIT = 4000;
const ANSWER_TIME = 20_000; // ms that a question waits for its answer
const DENIED = 4401; // the server wants a token
const SESSION = "tengen-session";
const TOKEN = "tengen-token";

interface Waiting {
  done: (tell: Tell) => void;
  failed: (fault: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** What stands in an address; as it is, where somebody has cut it in two. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A refusal of the server, in its words. */
export class Refusal extends Error {
  constructor(readonly fault: Fault) {
    super(fault.words);
  }
}

export interface Listener {
  heard(tell: Tell): void;
  state(connected: boolean, denied: boolean): void;
}

export class Link {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private lastId = 0;
  private readonly waiting = new Map<number, Waiting>();
  private ready = false;

  constructor(private readonly listener: Listener) {
    this.takeToken();
  }

  /** Take the token out of the address; whether there was one. */
  takeToken(): boolean {
    const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
    if (!given) return false;
    ofTab.set(TOKEN, unescaped(given));
    history.replaceState(null, "", location.pathname);
    return true;
  }

  /** Use another token, and try again. */
  setToken(token: string): void {
    ofTab.set(TOKEN, token);
    this.open();
  }

  open(): void {
    this.socket?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => {
      const session = lasting.get(SESSION);
      const token = ofTab.get(TOKEN);
      socket.send(JSON.stringify({ type: "hello", session, token }));
    };
    socket.onmessage = (event) => this.heard(JSON.parse(String(event.data)) as Tell);
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(event.code === DENIED);
    };
  }

  private heard(tell: Tell): void {
    if (tell.type === "welcome") {
      lasting.set(SESSION, tell.session);
      this.ready = true;
      this.wait = FIRST_WAIT;
      this.listener.state(true, false);
    }
    const id = "id" in tell ? tell.id : null;
    const asked = id === null ? undefined : this.waiting.get(id);
    if (asked && id !== null) {
      clearTimeout(asked.timer);
      this.waiting.delete(id);
      if (tell.type === "fault") asked.failed(new Refusal(tell));
      else asked.done(tell);
      return;
    }
    this.listener.heard(tell);
  }

  private lost(denied: boolean): void {
    this.ready = false;
    for (const asked of this.waiting.values()) {
      clearTimeout(asked.timer);
      asked.failed(new Error("connection"));
    }
    this.waiting.clear();
    this.listener.state(false, denied);
    if (denied) return;
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(LAST_WAIT, 2 * this.wait);
  }

  /** Send a message without an answer of its own; whether it could be sent. */
  send(ask: Ask): boolean {
    if (!this.ready || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(ask));
    return true;
  }

  /** A number for a question whose answers come one after the other. */
  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Ask something that has one answer. */
  ask<T extends Tell["type"]>(question: Question, answer: T): Promise<Extract<Tell, { type: T }>> {
    const id = this.newId();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error("timeout"));
      }, ANSWER_TIME);
      const done = (tell: Tell) => {
        if (tell.type === answer) resolve(tell as Extract<Tell, { type: T }>);
        else reject(new Error(tell.type));
      };
      this.waiting.set(id, { done, failed: reject, timer });
      if (!this.send({ ...question, id } as Ask)) {
        clearTimeout(timer);
        this.waiting.delete(id);
        reject(new Error("connection"));
      }
    });
  }
}
