// SPDX-License-Identifier: MIT
// Reads a text as games: SGF, a plain list of moves, a link of Tengen; other formats are converted
// by the server. Without DOM; the page calls `readRecord` of records.ts.
import { decodeGame, fragmentOf } from "./link";
import { isPlain, parsePlain } from "./plain";
import type { Rule } from "./protocol";
import { isSgf, parseSgf, parseSgfInSteps } from "./sgf";
import { BadRecord, type SgfGame } from "./sgf_model";

export const MAX_FILE = 4_000_000; // bytes

/** How `readGames` reads. */
interface RecordOptions {
  rule?: Rule; // of games that do not name theirs
  /** Converts a record to SGF texts, one per game; null: there is no server. */
  convert?: ((text: string, name: string) => Promise<string[]>) | null;
}

/** A record in a format that only the server reads, and there is no server. */
export class NeedsServer extends BadRecord {
  constructor() {
    super("only Tengen's server reads this format; this page reads SGF, lists of moves and links");
  }
}

/** All games of a text. `name` is that of its file, or empty. Throws BadRecord. */
export async function readGames(
  text: string,
  name: string,
  { rule = "freestyle", convert = null }: RecordOptions = {},
): Promise<SgfGame[]> {
  const clean = text.replace(/^\ufeff/, "");
  if (!clean.trim()) throw new BadRecord("there is no game in it");
  const fragment = isSgf(clean) ? null : fragmentOf(clean); // an SGF may have a link in a comment
  if (fragment) return [decodeGame(fragment).game];
  if (isForServer(clean, name)) {
    if (!convert) throw new NeedsServer();
    const games = (await convert(clean, name)).flatMap((sgf) => parseSgf(sgf, rule));
    if (!games.length) throw new BadRecord("there is no game in it");
    return games;
  }
  if (isSgf(clean) && !isNamed(name, "moves")) return parseSgfInSteps(clean, rule);
  if (isPlain(clean) || isNamed(name, "txt|moves")) return [parsePlain(clean, rule)];
  if (isNamed(name, "sgf")) return parseSgf(clean, rule); // its fault has the place
  if (!convert || !name)
    throw new BadRecord("unknown kind of game record; known are SGF and moves");
  return (await convert(clean, name)).flatMap((sgf) => parseSgf(sgf, rule));
}

/** Piskvork's records, and openings, which are offsets from the centre. */
function isForServer(text: string, name: string): boolean {
  if (isNamed(name, "psq|openings") || /^\s*Piskvorky\b/i.test(text)) return true;
  const head = text.slice(0, 4096).replace(/#[^\r\n]*/g, "");
  return /^[-+\d\s]*,[-+\d,\s]*$/.test(head) && /-\d/.test(head);
}

function isNamed(name: string, extensions: string): boolean {
  return new RegExp(`\\.(?:${extensions})$`, "i").test(name);
}

// --- encodings ---

const CHARSET = /(?<![A-Za-z])CA\s{0,9}\[([^\]\\]{1,40})\]/;
const HEAD = 65_536; // bytes in which a file names its encoding
// Names that files use and browsers do not know.
const LABELS: Record<string, string> = {
  cp1250: "windows-1250",
  cp1251: "windows-1251",
  cp1252: "windows-1252",
  cp1253: "windows-1253",
  cp1254: "windows-1254",
  cp1257: "windows-1257",
  cp1258: "windows-1258",
  cp866: "ibm866",
  cp932: "shift_jis",
  ms932: "shift_jis",
  windows31j: "shift_jis",
  sjis: "shift_jis",
  cp936: "gbk",
  ms936: "gbk",
  cp949: "euc-kr",
  uhc: "euc-kr",
  ms949: "euc-kr",
  cp950: "big5",
  big5hkscs: "big5",
  eucjp: "euc-jp",
  euckr: "euc-kr",
  eucgb2312cn: "gbk",
  koi8r: "koi8-r",
  koi8u: "koi8-u",
  latin1: "iso-8859-1",
  macroman: "macintosh",
  maccyrillic: "x-mac-cyrillic",
};

/** The text of a file: by its byte-order mark, by the encoding that an SGF names, as UTF-8, else as
 * Western European. */
export function decodeText(bytes: Uint8Array): string {
  const [one, two, three] = bytes;
  if (one === 0xef && two === 0xbb && three === 0xbf) return new TextDecoder().decode(bytes);
  if (one === 0xff && two === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (one === 0xfe && two === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, HEAD));
  const charset = CHARSET.exec(head)?.[1];
  for (const label of charset ? [labelOf(charset), "utf-8"] : ["utf-8"]) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      continue; // unknown, or it does not fit the bytes
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

function labelOf(charset: string): string {
  const name = charset.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (name === "ascii" || name === "usascii") return "utf-8";
  return Object.hasOwn(LABELS, name) ? LABELS[name]! : charset.trim();
}
