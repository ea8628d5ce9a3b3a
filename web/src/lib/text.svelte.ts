// SPDX-License-Identifier: MIT
// The texts of the page in three languages: English, Chinese, Japanese.
import { TEXTS, type Key } from "./translations";

export type Language = "en" | "zh" | "ja";
const COLUMNS: Record<Language, 0 | 1 | 2> = { en: 0, zh: 1, ja: 2 };

let column = $state<0 | 1 | 2>(0);

export function detectLanguage(): Language {
  for (const tag of navigator.languages) {
    const short = tag.slice(0, 2);
    if (short === "zh" || short === "ja" || short === "en") return short;
  }
  return "en";
}

export function setLanguage(language: Language): void {
  column = COLUMNS[language];
}

export function isEnglish(): boolean {
  return column === 0;
}

/** Replaces `{0}`, `{1}`, … by the values. */
export function fill(text: string, ...values: (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (place, n: string) => String(values[Number(n)] ?? place));
}

/** The text of a key; the values replace `{0}`, `{1}`, … */
export function t(key: Key, ...values: (string | number)[]): string {
  return fill(TEXTS[key][column], ...values);
}
