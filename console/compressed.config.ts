// Compresses the files of a build once at the highest level, so that the server only has to send them (ADR 0027).
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Plugin } from "vite";

const cache = resolve(import.meta.dirname, "../.cache/compressed");
/** Fonts are compressed already. */
const texts = /\.(html|m?js|css|svg|txt|json)$/;
/** Smaller files gain nothing: headers make up most of the response. */
const leastBytes = 1000;
/** Size of Node's thread pool, which does the compression. */
const atOnce = 4;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_MAX_QUALITY, Z_BEST_COMPRESSION } = zlib.constants;
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const forms: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, { params: { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => gzip(bytes, { level: Z_BEST_COMPRESSION }),
};

/** Vite plugin: puts `<file>.br` and `<file>.gz` beside every text file of a build. */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle: {
      order: "post",
      sequential: true,
      async handler({ dir }) {
        if (dir === undefined) return;
        const before = new Set(await readdir(cache).catch(() => []));
        const used = new Set<string>();
        const found = await readdir(dir, { recursive: true, withFileTypes: true });
        const files = found.filter((one) => one.isFile() && texts.test(one.name));
        const work = files.map((one) => join(one.parentPath, one.name)).values();
        await mkdir(cache, { recursive: true });
        const worker = async () => {
          for (const file of work) for (const name of await compressFile(file, before)) used.add(name);
        };
        await Promise.all(Array.from({ length: atOnce }, worker));
        // Keeps only files that the next build can reuse.
        for (const name of before) if (!used.has(name)) await rm(join(cache, name), { force: true });
      },
    },
  };
}

/** Writes atomically, because a build may be killed. */
export async function keep(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
}

/** Returns the names of the compressed files in the cache. */
async function compressFile(file: string, cached: ReadonlySet<string>): Promise<string[]> {
  const bytes = await readFile(file);
  if (bytes.length < leastBytes) return [];
  const hash = createHash("sha256").update(bytes).digest("hex");
  return Promise.all(
    Object.entries(forms).map(async ([ending, compress]) => {
      const name = `${hash}.${ending}`;
      const known = cached.has(name) ? await readFile(join(cache, name)) : null;
      const form = known ?? (await compress(bytes));
      if (known === null) await keep(join(cache, name), form);
      await writeFile(`${file}.${ending}`, form);
      return name;
    }),
  );
}
