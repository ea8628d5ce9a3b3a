// SPDX-License-Identifier: MIT
// The messages between the page and a worker of the engine.
import type { EngineEvent, EngineRequest } from "../lib/protocol";
import type { EngineManifest, NetEntry } from "./manifest";

/** A net as the page passes it from the worker that loaded it to those that search. */
export interface LoadedNet {
  name: string;
  net: Blob;
  lazyTables: Blob | null;
  codebook: Blob;
  codebookName: string; // in the cache folder of the engine
}

export interface OpenMessage {
  kind: "open";
  manifest: EngineManifest;
  base: string; // address of the folder of the engine
  threads: number; // of a search; more than one: in the program with threads
  compiled: WebAssembly.Module | null; // null: the worker compiles it and sends it back
  options: Record<string, string> | null; // of the engine; null: this worker only loads a net
  /** Holds the id of the request that is to end; null: HandleMessage.stopAddress is used. */
  flag: SharedArrayBuffer | null;
}

/** Loads a net and its codebooks, from the cache or by baking. */
export interface LoadMessage {
  kind: "load";
  net: string;
}

export interface InstallMessage {
  kind: "install";
  entry: NetEntry;
  nets: LoadedNet[];
}

export interface HandleMessage {
  kind: "handle";
  request: EngineRequest;
  /** Of a blob: the request is to end when it cannot be read any more. Null: OpenMessage.flag. */
  stopAddress: string | null;
  /** Why no net plays, if there is one; shown as the evaluation of an analysis. */
  note: string | null;
}

export type ToWorker = OpenMessage | LoadMessage | InstallMessage | HandleMessage;

export type FromWorker =
  | { kind: "opened"; compiled: WebAssembly.Module; canStop: boolean }
  | { kind: "event"; event: EngineEvent }
  | { kind: "done" } // the request was handled
  | { kind: "progress"; fraction: number } // of LoadMessage
  | { kind: "loaded"; net: LoadedNet }
  /** Nothing more can be done. `isFinal`: it would fail again. */
  | { kind: "failed"; text: string; isFinal: boolean };
