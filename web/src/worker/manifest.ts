// SPDX-License-Identifier: MIT
// engine/manifest.json, which scripts/static_site.py writes: the files of the engine that the page
// can load, and which nets belong to which rule.
import type { Rule } from "../lib/protocol";

export interface EngineFile {
  bytes: number; // that are sent
  sha256: string; // of these, in base64
  gzip: boolean; // they are compressed, and the file's name ends with `.gzip`
}

/** The nets of a rule for boards of `from` to `to` lines, by the side to move. */
export interface NetUse {
  rule: Rule;
  from: number;
  to: number;
  black: string;
  white: string;
}

export interface EngineManifest {
  format: 1;
  version: string;
  offline: boolean; // the static edition: there is no server, and a service worker keeps the page
  files: Record<string, EngineFile>;
  nets: NetUse[];
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

export function netUseOf(manifest: EngineManifest, rule: Rule, size: number): NetUse | null {
  const isFor = (use: NetUse) => use.rule === rule && use.from <= size && size <= use.to;
  return manifest.nets.find(isFor) ?? null;
}

/** The names of its nets, each once. */
export function netsOf(use: NetUse): string[] {
  return use.black === use.white ? [use.black] : [use.black, use.white];
}

/** The address of a file. The checksum makes a new version a new address, so that no cache between
 * the page and the server gives an old one. */
export function addressOf(manifest: EngineManifest, base: string, name: string): string {
  const file = manifest.files[name];
  if (!file) throw new Error(`the engine has no file ${name}`);
  const end = file.gzip ? ".gzip" : "";
  return `${base}${name}${end}?${file.sha256.replace(/[^A-Za-z0-9]/g, "").slice(0, 12)}`;
}

/** Reads the manifest beside the page; null where no engine is offered. */
export async function fetchManifest(base: string): Promise<EngineManifest | null> {
  try {
    const response = await fetch(`${base}manifest.json`, { cache: "no-cache" });
    if (response.status !== 200) return null;
    const manifest = (await response.json()) as EngineManifest | null;
    return manifest?.format === 1 ? manifest : null;
  } catch {
    return null;
  }
}
