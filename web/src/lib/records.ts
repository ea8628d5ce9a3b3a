// SPDX-License-Identifier: MIT
// Reads records for the page, with errors in its language.
import { engine } from "./engine.svelte";
import type { Rule } from "./protocol";
import { NeedsServer, readGames } from "./record_formats";
import { BadRecord, type SgfGame } from "./sgf_model";
import { isEnglish, t } from "./text.svelte";

const MAX_CONVERTED = 500_000; // bytes of a record as JSON; the server takes messages of 512 KiB

/** All games of a text; `name` is that of its file, or empty, and `rule` that of games that do not
 * name theirs. Throws BadRecord; RequestRejected if the server cannot convert it; Error if it is
 * too large for that. */
export async function readRecord(
  text: string,
  name: string,
  rule: Rule = "freestyle",
): Promise<SgfGame[]> {
  const { server } = engine;
  const convert = server ? (record: string, file: string) => converted(record, file) : null;
  try {
    return await readGames(text, name, { rule, convert });
  } catch (error) {
    if (error instanceof NeedsServer) throw new BadRecord(t("needsServer"));
    if (error instanceof BadRecord && !isEnglish())
      throw new BadRecord(t("errorRecord", error.message));
    throw error;
  }
}

async function converted(text: string, name: string): Promise<string[]> {
  const { length } = new TextEncoder().encode(JSON.stringify(text));
  if (length > MAX_CONVERTED)
    throw new Error(t("tooLarge", Math.ceil(length / 1000), MAX_CONVERTED / 1000));
  const event = await engine.server!.store({ type: "convert_record", text, name });
  return event.type === "converted" ? event.games : [];
}
