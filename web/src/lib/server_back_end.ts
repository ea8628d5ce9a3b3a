// SPDX-License-Identifier: MIT
// The back end of `tengen play`: a WebSocket to the server. Sends `hello`, reconnects after every
// loss, passes engine events on, and stores games and studies in the server's database.
import { decoded } from "./link";
import { ofTab, permanent } from "./storage";
import type {
  BackEnd,
  BackEndListener,
  BackEndState,
  EngineEvent,
  EngineRequest,
  ErrorEvent,
  HelloRequest,
  StorageEvent,
  StorageRequest,
  WelcomeEvent,
  WithoutId,
} from "./protocol";

export type StorageRequestBody = WithoutId<StorageRequest>;

const MIN_DELAY = 300; // ms before the first reconnection; doubles up to MAX_DELAY
const MAX_DELAY = 4000;
const TIMEOUT = 20_000; // ms that a storage request waits for its event
const DENIED = 4401; // close code: wrong or missing token
const FIRST_ID = 2 ** 30; // of storage requests; engine requests have smaller ids
const SESSION = "tengen-session";
const TOKEN = "tengen-token";

/** A back end rejected a request. */
export class RequestRejected extends Error {
  constructor(readonly event: ErrorEvent) {
    super(event.text);
  }
}

interface Pending {
  resolve: (event: StorageEvent) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** Moves the token from the address to the storage of the tab; returns whether there was one. */
export function takeToken(): boolean {
  const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (!token) return false;
  ofTab.set(TOKEN, decoded(token));
  history.replaceState(null, "", location.pathname);
  return true;
}

export class ServerBackEnd implements BackEnd {
  readonly kind = "server";
  welcome: WelcomeEvent | null = null; // of the current or the last connection
  private socket: WebSocket | null = null;
  private listener: BackEndListener | null = null;
  private delay = MIN_DELAY;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastId = FIRST_ID;
  private readonly pending = new Map<number, Pending>();
  private isReady = false;

  start(listener: BackEndListener): void {
    this.listener = listener;
    takeToken();
    this.open();
  }

  /** Reconnects with another token. */
  setToken(token: string): void {
    ofTab.set(TOKEN, token);
    this.open();
  }

  /** Connects, or reconnects with the token of the storage. */
  open(): void {
    this.close();
    const address = new URL("./ws", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => {
      const session = permanent.get(SESSION);
      const hello: HelloRequest = { type: "hello", session, token: ofTab.get(TOKEN) };
      socket.send(JSON.stringify(hello));
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      this.receive(JSON.parse(String(data)) as WelcomeEvent | EngineEvent | StorageEvent);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.closed(event.code === DENIED);
    };
  }

  close(): void {
    clearTimeout(this.timer);
    const { socket } = this;
    this.socket = null;
    this.isReady = false;
    socket?.close();
    this.rejectAll();
  }

  private receive(event: WelcomeEvent | EngineEvent | StorageEvent): void {
    if (event.type === "welcome") {
      permanent.set(SESSION, event.session);
      this.welcome = event;
      this.isReady = true;
      this.delay = MIN_DELAY;
      this.report("ready");
      return;
    }
    const request = event.id === null ? undefined : this.pending.get(event.id);
    if (request && event.id !== null) {
      clearTimeout(request.timer);
      this.pending.delete(event.id);
      if (event.type === "error") request.reject(new RequestRejected(event));
      else request.resolve(event as StorageEvent);
    } else this.listener?.event(event as EngineEvent);
  }

  private closed(isDenied: boolean): void {
    this.close();
    this.report(isDenied ? "denied" : "lost");
    if (isDenied) return;
    this.timer = setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(MAX_DELAY, 2 * this.delay);
  }

  private rejectAll(): void {
    for (const request of this.pending.values()) {
      clearTimeout(request.timer);
      request.reject(new Error("connection"));
    }
    this.pending.clear();
  }

  private report(connection: BackEndState["connection"]): void {
    this.listener?.state({ connection, loading: null });
  }

  send(request: EngineRequest): void {
    this.write(request);
  }

  stop(id: number): void {
    this.write({ type: "stop", id });
  }

  /** Without a connection, `closed` has already informed the listener. */
  private write(request: object): boolean {
    if (!this.isReady || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  /** Sends a storage request. Rejects with RequestRejected, or Error `connection` or `timeout`. */
  store(body: StorageRequestBody): Promise<StorageEvent> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      if (!this.write({ ...body, id })) {
        reject(new Error("connection"));
        return;
      }
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error("timeout"));
      }, TIMEOUT);
      this.pending.set(id, { resolve, reject, timer });
    });
  }
}
