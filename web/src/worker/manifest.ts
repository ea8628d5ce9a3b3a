// SPDX-License-Identifier: MIT
// engine/manifest.json, which scripts/static_site.py writes: the files of the engine that the page
// can load, and which nets belong to which rule.
import type { Rule } from "../lib/protocol";

interface EngineFile {
  sha256: string; // of the bytes that are sent, in base64
  gzip: boolean; // they are compressed, and the file's name ends with `.gzip`
}

/** The nets of a rule for boards of `from` to `to` lines, by the side to move. */
export interface NetEntry {
  rule: Rule;
  from: number;
  to: number;
  black: string;
  white: string;
}

export interface EngineManifest {
  format: 1;
  offline: boolean; // the static edition: there is no server, and a service worker keeps the page
  files: Record<string, EngineFile>;
  nets: NetEntry[];
}

/** The files of a program of the engine: with threads, or without. */
export function programFiles(hasThreads: boolean): { glue: string; code: string; thread: string } {
  const name = hasThreads ? "page-engine-threads" : "page-engine";
  return { glue: `${name}.js`, code: `${name}.wasm`, thread: `${name}.worker.js` };
}

export function tablesOf(rule: Rule): string {
  return `classical-${rule}.tables`;
}

export function netFile(net: string): string {
  return `nets/${net}.net`;
}

export function lazyTablesFile(net: string): string {
  return `nets/${net}.guess`;
}

/** The nets that play on such a board. */
export function netEntry(manifest: EngineManifest, rule: Rule, size: number): NetEntry | null {
  const isFor = (entry: NetEntry) =>
    entry.rule === rule && entry.from <= size && size <= entry.to;
  return manifest.nets.find(isFor) ?? null;
}

/** The names of its nets, each once. */
export function netNames(entry: NetEntry): string[] {
  return entry.black === entry.white ? [entry.black] : [entry.black, entry.white];
}

/** The address of a file. The checksum makes a new version a new address, so that no cache between
 * the page and the server gives an old one. */
export function addressOf(manifest: EngineManifest, base: string, name: string): string {
  const file = manifest.files[name];
  if (!file) throw new Error(`the engine has no file ${name}`);
  const end = file.gzip ? ".gzip" : "";
  return `${base}${name}${end}?${file.sha256.replace(/[^A-Za-z0-9]/g, "").slice(0, 12)}`;
}

/** Reads the manifest beside the page; null: no engine is offered, or one of another version.
 * Throws if the manifest cannot be fetched. */
export async function fetchManifest(base: string): Promise<EngineManifest | null> {
  const response = await fetch(`${base}manifest.json`, { cache: "no-cache" });
  if (response.status === 404) return null;
  if (response.status !== 200) throw new Error(`manifest.json: status ${response.status}`);
  const manifest = (await response.json()) as EngineManifest | null;
  return manifest?.format === 1 ? manifest : null;
}
