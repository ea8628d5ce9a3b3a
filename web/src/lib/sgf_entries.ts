// SPDX-License-Identifier: MIT
// The properties of an SGF node under construction, for the writer.
import type { Colour, GamePosition, SetupStones } from "./protocol";
import {
  AFTER,
  BEFORE,
  HIDDEN,
  IMPLIED,
  JOINED,
  firstTurn,
  listPoints,
  pointLetters,
  ruleOf,
  valuesText,
  type SgfData,
} from "./sgf_model";
import { SETUP, sideOf } from "./sgf_nodes";
import { properties } from "./sgf_scan";

const KEPT = new Set([AFTER, BEFORE, HIDDEN, IMPLIED, JOINED]);

/** A property: its name as it is spelled, and its values. */
export type Entry = [name: string, values: string[]];
/** The properties of a node by name in capital letters. */
export type Entries = Map<string, Entry>;

export function entriesOf(data: SgfData | null): Entries {
  const entries: Entries = new Map();
  for (const [name, values] of Object.entries(data ?? {})) {
    if (!KEPT.has(name)) entries.set(keyOf(name), [name, values]);
  }
  return entries;
}

export function entriesOfText(text: string): Entries {
  const entries: Entries = new Map();
  for (const { key, name, values } of properties(text, 0, text.length).values())
    entries.set(key, [name, values]);
  return entries;
}

function keyOf(name: string): string {
  if (!/[a-z]/.test(name)) return name;
  const [key] = properties(`${name}[]`, 0, name.length + 2).keys();
  return key ?? name;
}

export function textOf(entries: Entries): string {
  let text = "";
  for (const [name, values] of entries.values()) {
    if (values.length) text += `${name}[${values.join("][")}]`;
  }
  return text;
}

export function withoutComment(text: string): string {
  const entries = entriesOfText(text);
  entries.delete("C");
  return textOf(entries);
}

/** Sets the values of a property; a new one comes last. */
export function set(entries: Entries, key: string, values: string[]): void {
  entries.set(key, [entries.get(key)?.[0] ?? key, values]);
}

export function prepend(entries: Entries, key: string, entry: Entry): void {
  const others = [...entries];
  entries.clear();
  entries.set(key, entry);
  for (const [other, value] of others) entries.set(other, value);
}

/** Replaces a property at its place, under another key. */
export function replace(entries: Entries, old: string, key: string, entry: Entry): void {
  const all = [...entries];
  entries.clear();
  for (const [other, value] of all) {
    if (other === old) entries.set(key, entry);
    else entries.set(other, value);
  }
}

/** A value of the header as the reader reads it from the first nodes. */
export function readHeader(key: string, found: (string[] | undefined)[]): string | undefined {
  for (const values of found) {
    if (!values?.length) continue;
    if (key === "SZ") return String(parseInt(values[0]!, 10));
    if (key === "RU") return ruleOf(values[0]!) ?? undefined;
    const text = valuesText(values);
    if (text) return text;
  }
  return undefined;
}

export function addSetup(entries: Entries, { setup, size }: GamePosition): void {
  if (!setup) return;
  const letters = (names: string[]) => names.map((name) => pointLetters(name, size));
  set(entries, "PL", [firstTurn(setup) === "black" ? "B" : "W"]);
  if (setup.black.length) set(entries, "AB", letters(setup.black));
  if (setup.white.length) set(entries, "AW", letters(setup.white));
}

export function removeSetup(entries: Entries): void {
  for (const key of [...SETUP, "PL"]) entries.delete(key);
}

/** Whether the properties of the first nodes still are the set-up of the position. */
export function isSameSetup(all: Entries[], position: GamePosition, hasMoves: boolean): boolean {
  const { setup, size } = position;
  const stones = new Map<string, Colour>();
  let turn: Colour | null = null;
  for (const entries of all) {
    for (const point of points(entries, "AB", size)) stones.set(point, "black");
    for (const point of points(entries, "AW", size)) stones.set(point, "white");
    for (const point of points(entries, "AE", size)) stones.delete(point);
    turn = sideOf(entries.get("PL")?.[1]) ?? turn;
  }
  const of = (colour: Colour) =>
    [...stones].filter(([, stone]) => stone === colour).map(([point]) => point);
  const read: SetupStones = { black: of("black"), white: of("white"), turn };
  const sorted = (points: string[]) => [...points].sort().join();
  const isTurn = (hasMoves && !turn) || firstTurn(read) === firstTurn(setup);
  return (
    isTurn &&
    sorted(read.black) === sorted(setup?.black ?? []) &&
    sorted(read.white) === sorted(setup?.white ?? [])
  );
}

function points(entries: Entries, key: string, size: number): string[] {
  return (entries.get(key)?.[1] ?? []).flatMap((value) => listPoints(value, size) ?? []);
}
