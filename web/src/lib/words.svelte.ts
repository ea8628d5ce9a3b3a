// SPDX-License-Identifier: MIT
// The texts of the page in three languages: English, Chinese, Japanese.
import { WORDS, type Key } from "./dictionary";

export type Language = "en" | "zh" | "ja";
const PLACES: Record<Language, 0 | 1 | 2> = { en: 0, zh: 1, ja: 2 };

let place = $state<0 | 1 | 2>(0);

export function detectLanguage(): Language {
  for (const wanted of navigator.languages) {
    const short = wanted.slice(0, 2);
    if (short === "zh" || short === "ja" || short === "en") return short;
  }
  return "en";
}

export function setLanguage(language: Language): void {
  place = PLACES[language];
}

export function isEnglish(): boolean {
  return place === 0;
}

/** The text of a key; `{0}`, `{1}` are filled in. */
export function t(key: Key, ...values: (string | number)[]): string {
  const text = WORDS[key][place];
  return values.reduce<string>((told, value, n) => told.replace(`{${n}}`, String(value)), text);
}

export type { Key };
