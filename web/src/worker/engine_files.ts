// SPDX-License-Identifier: MIT
// The files of the engine in a worker: fetched once, checked by their checksums, and kept in the
// browser's cache where that is allowed, as are baked codebooks.
import { addressOf, netFile, programFiles } from "./manifest";
import type { EngineManifest } from "./manifest";

const CACHE = "tengen-engine"; // also read by sw.js
const CODEBOOKS = "codebooks/";
const MAX_CODEBOOKS = 4; // 102 MB each
const NAME = "x-codebook-name";

export class EngineFiles {
  constructor(
    private readonly manifest: EngineManifest,
    private readonly base: string,
  ) {}

  has(name: string): boolean {
    return name in this.manifest.files;
  }

  address(name: string): string {
    return addressOf(this.manifest, this.base, name);
  }

  /** The contents of a file. Throws if it cannot be fetched or has a wrong checksum. */
  async read(name: string): Promise<Response> {
    const response = await this.fetched(name);
    if (!this.manifest.files[name]?.gzip || !response.body) return response;
    return new Response(response.body.pipeThrough(new DecompressionStream("gzip")));
  }

  private async fetched(name: string): Promise<Response> {
    const address = this.address(name);
    const cache = await openCache();
    const kept = await cache?.match(address).catch(() => undefined);
    if (kept) return kept;
    const integrity = `sha256-${this.manifest.files[name]?.sha256}`;
    const response = await fetch(address, { integrity });
    if (!response.ok) throw new Error(`${name}: status ${response.status}`);
    await cache?.put(address, response.clone()).catch(() => {});
    return response;
  }

  async bytes(name: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.read(name)).arrayBuffer());
  }

  /** An address for importScripts(). */
  async script(name: string): Promise<string> {
    if (!this.manifest.files[name]?.gzip) return this.address(name);
    const text = await (await this.read(name)).text();
    return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  }

  // --- codebooks ---

  /** It depends on the program too, which may bake a net otherwise than the last version. */
  private codebookAddress(net: string): string {
    const names = [programFiles(false).code, netFile(net)]; // that bakes it
    const digests = names.map((name) => this.manifest.files[name]?.sha256 ?? "");
    return `${this.base}${CODEBOOKS}${digests.map(encodeURIComponent).join("/")}`;
  }

  /** The codebooks of a net with their file name, if they are kept. */
  async codebook(net: string): Promise<{ name: string; blob: Blob } | null> {
    const cache = await openCache();
    const kept = await cache?.match(this.codebookAddress(net)).catch(() => undefined);
    const name = kept?.headers.get(NAME);
    if (!kept || !name) return null;
    return kept.blob().then(
      (blob) => ({ name, blob }),
      () => null,
    );
  }

  /** Keeps codebooks for the next visit, instead of the oldest ones. Where that is not possible,
   * the next visit bakes them again. */
  async keepCodebook(net: string, name: string, blob: Blob): Promise<void> {
    const cache = await openCache();
    if (!cache) return;
    try {
      const kept = (await cache.keys()).filter(({ url }) => url.includes(CODEBOOKS));
      for (const old of kept.slice(0, Math.max(0, kept.length + 1 - MAX_CODEBOOKS))) {
        await cache.delete(old);
      }
      await cache.put(this.codebookAddress(net), new Response(blob, { headers: { [NAME]: name } }));
    } catch {
      // no room
    }
  }

  /** Deletes what other versions have kept. */
  async removeOutdated(): Promise<void> {
    const cache = await openCache();
    if (!cache) return;
    const names = Object.keys(this.manifest.files);
    const nets = names.filter((name) => name.endsWith(".net"));
    const current = new Set([
      ...names.map((name) => this.address(name)),
      ...nets.map((name) => this.codebookAddress(name.slice("nets/".length, -".net".length))),
    ]);
    try {
      for (const kept of await cache.keys()) {
        if (kept.url.startsWith(this.base) && !current.has(kept.url)) await cache.delete(kept);
      }
    } catch {
      // they stay
    }
  }
}

/** The cache of the browser; null where it is not allowed. */
async function openCache(): Promise<Cache | null> {
  try {
    return await caches.open(CACHE);
  } catch {
    return null;
  }
}
