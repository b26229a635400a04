// Compresses the files of a build once at the highest level, so that the server only has to send them (ADR 0027).
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Plugin } from "vite";

const dist = join(import.meta.dirname, "dist");
/** Extensions to compress. Font files are compressed already. */
const texts = /\.(html|m?js|css|svg|txt|json)$/;
/** In bytes. Compressing smaller files saves little, because headers make up most of the response. */
const leastBytes = 1000;

const gzip = promisify(zlib.gzip);
const forms = { br: promisify(zlib.brotliCompress), gz: (bytes: Buffer) => gzip(bytes, { level: 9 }) };

/** Vite plugin: puts `<file>.br` and `<file>.gz` beside every text file of a build. */
export function compression(): Plugin {
  /** Compressed assets of the previous build. They can be reused, because their names contain a hash of the content. */
  const known = new Map<string, Buffer>();
  return {
    name: "compressed",
    apply: "build",
    async buildStart() {
      const files = await readdir(join(dist, "assets")).catch(() => []);
      for (const file of files.filter((name) => /\.(br|gz)$/.test(name)))
        known.set(join("assets", file), await readFile(join(dist, "assets", file)));
    },
    writeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const files = (await readdir(dist, { recursive: true })).filter((file) => texts.test(file));
        await Promise.all(files.map((file) => compressFile(file, known)));
      },
    },
  };
}

async function compressFile(file: string, known: ReadonlyMap<string, Buffer>): Promise<void> {
  const bytes = await readFile(join(dist, file));
  if (bytes.length < leastBytes) return;
  for (const [ending, compress] of Object.entries(forms)) {
    const name = `${file}.${ending}`;
    await writeAtomically(join(dist, name), known.get(name) ?? (await compress(bytes)));
  }
}

/** Writes atomically, because a build may be killed. */
export async function writeAtomically(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
}
