// SPDX-License-Identifier: MIT
// The connection to the server: sends hello, reconnects after every loss, matches events with
// requests. It does not interpret the messages.
import type { PageRequest, ErrorEvent, ServerEvent } from "./messages";
import { permanent, ofTab } from "./storage";

type OmitId<T> = T extends { id: number } ? Omit<T, "id"> : never;
export type RequestBody = OmitId<PageRequest>;

const MIN_DELAY = 300; // ms before the first reconnection; doubles up to MAX_DELAY
const MAX_DELAY = 4000;
const TIMEOUT = 20_000; // ms that a request waits for its event
const DENIED = 4401; // close code: wrong or missing token
const SESSION = "tengen-session";
const TOKEN = "tengen-token";

interface Pending {
  resolve: (event: ServerEvent) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** Decodes a part of an address; returns it unchanged if it is malformed. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The server rejected a request. */
export class RequestRejected extends Error {
  constructor(readonly event: ErrorEvent) {
    super(event.text);
  }
}

export interface Listener {
  onEvent(event: ServerEvent): void;
  onState(connected: boolean, denied: boolean): void;
}

export class Link {
  private socket: WebSocket | null = null;
  private delay = MIN_DELAY;
  private lastId = 0;
  private readonly pending = new Map<number, Pending>();
  private ready = false;

  constructor(private readonly listener: Listener) {
    this.takeToken();
  }

  /** Moves the token from the address to the storage; returns whether there was one. */
  takeToken(): boolean {
    const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
    if (!token) return false;
    ofTab.set(TOKEN, unescaped(token));
    history.replaceState(null, "", location.pathname);
    return true;
  }

  /** Reconnects with another token. */
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
      const session = permanent.get(SESSION);
      const token = ofTab.get(TOKEN);
      socket.send(JSON.stringify({ type: "hello", session, token }));
    };
    socket.onmessage = ({ data }) => this.receive(JSON.parse(String(data)) as ServerEvent);
    socket.onclose = (event) => {
      if (this.socket === socket) this.onClose(event.code === DENIED);
    };
  }

  private receive(event: ServerEvent): void {
    if (event.type === "welcome") {
      permanent.set(SESSION, event.session);
      this.ready = true;
      this.delay = MIN_DELAY;
      this.listener.onState(true, false);
    }
    const id = "id" in event ? event.id : null;
    const request = id === null ? undefined : this.pending.get(id);
    if (request && id !== null) {
      clearTimeout(request.timer);
      this.pending.delete(id);
      if (event.type === "error") request.reject(new RequestRejected(event));
      else request.resolve(event);
      return;
    }
    this.listener.onEvent(event);
  }

  private onClose(denied: boolean): void {
    this.ready = false;
    for (const request of this.pending.values()) {
      clearTimeout(request.timer);
      request.reject(new Error("connection"));
    }
    this.pending.clear();
    this.listener.onState(false, denied);
    if (denied) return;
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(MAX_DELAY, 2 * this.delay);
  }

  /** Sends a request without waiting for an event; returns whether it was sent. */
  send(request: PageRequest): boolean {
    if (!this.ready || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  /** An id for a request that several events answer. */
  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Sends a request that one event of the given type answers. */
  request<T extends ServerEvent["type"]>(
    body: RequestBody,
    type: T,
  ): Promise<Extract<ServerEvent, { type: T }>> {
    const id = this.newId();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error("timeout"));
      }, TIMEOUT);
      const settle = (event: ServerEvent) => {
        if (event.type === type) resolve(event as Extract<ServerEvent, { type: T }>);
        else reject(new Error(event.type));
      };
      this.pending.set(id, { resolve: settle, reject, timer });
      if (!this.send({ ...body, id } as PageRequest)) {
        clearTimeout(timer);
        this.pending.delete(id);
        reject(new Error("connection"));
      }
    });
  }
}
