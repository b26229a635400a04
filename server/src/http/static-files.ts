// Serves texts and files that do not change while the process runs, from memory and compressed in advance.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import type { Metrics } from "../kit/metrics.ts";
import { chooseCoding, type Coding } from "./accept-encoding.ts";
import { compress, minBytesToCompress, varyByCoding } from "./compress.ts";
import { resolveRange } from "./send-bytes.ts";

/** Files of other types, such as source maps, are not served (T-29). */
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".woff2": "font/woff2",
  ".png": "image/png",
};
/** File name extensions by coding, in order of preference. */
const extensions = { br: ".br", gzip: ".gz", identity: "" } as const;
const codings = Object.keys(extensions) as Coding[];

/** Headers that browsers read on documents and workers only; they would add a kilobyte to each chunk. */
const documentHeaders = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "origin-agent-cluster",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
];

/** `etag` is computed on demand, because hashing all files would delay the start of a process. */
type Variant = { bytes: Buffer; etag: () => string };
type Variants = ReadonlyMap<Coding, Variant>;
export type StaticFile = { path: string; type: string; variants: Variants };

/**
 * The files of a built console by path; none if it was not built. They are read once, so that a page and its chunks always come
 * from the same build: a later build is served after a restart.
 */
export async function readStaticFiles(dist: string): Promise<ReadonlyMap<string, StaticFile>> {
  const found = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = new Set(
    found.filter((entry) => entry.isFile()).map((entry) => relative(dist, join(entry.parentPath, entry.name))),
  );
  const files = [...names].map(async (name): Promise<[string, StaticFile] | null> => {
    const type = types[extname(name)];
    if (type === undefined) return null;
    const bytes = new Map<Coding, Buffer>();
    for (const coding of codings)
      if (names.has(name + extensions[coding]))
        bytes.set(coding, await readFile(join(dist, name + extensions[coding])));
    const path = `/${name.split(sep).join("/")}`;
    return [path, { path, type, variants: variantsOf(bytes) }];
  });
  return new Map((await Promise.all(files)).filter((file) => file !== null));
}

/** Compresses a text once for all clients; short texts stay plain. */
export async function compressOnce(text: string, { compressed }: Pick<Metrics, "compressed">): Promise<Variants> {
  const plain = Buffer.from(text);
  const bytes = new Map<Coding, Buffer>();
  if (plain.length >= minBytesToCompress)
    for (const coding of ["br", "gzip"] as const)
      bytes.set(coding, await compress(coding, plain, (count) => compressed.inc(count)));
  return variantsOf(bytes.set("identity", plain));
}

function variantsOf(bytes: ReadonlyMap<Coding, Buffer>): Variants {
  let hash: string | undefined;
  const etagOf = (coding: Coding) => {
    hash ??= createHash("sha256")
      .update(bytes.get("identity") ?? "")
      .digest("base64url")
      .slice(0, 27);
    return coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
  };
  return new Map([...bytes].map(([coding, variant]) => [coding, { bytes: variant, etag: () => etagOf(coding) }]));
}

/** Responds 200, 206, 304 or 416, in the coding that the client prefers, or 406 if it accepts none. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, type, variants }: StaticFile,
): FastifyReply {
  const isAsset = path.startsWith("/assets/");
  // Images and fonts have one variant for all clients.
  if (/^(text|application)\/|svg/.test(type)) varyByCoding(reply);
  const coding =
    variants.size > 1 ? chooseCoding(request.headers["accept-encoding"], [...variants.keys()]) : "identity";
  const variant = coding === null ? undefined : variants.get(coding);
  if (variant === undefined)
    throw new AppError(errorCode.invalidArgument, { field: "Accept-Encoding" }, { status: 406 });
  // The names of assets contain a hash of their content.
  reply.header("cache-control", isAsset ? "public, max-age=31536000, immutable" : "no-cache");
  if (isAsset && !path.includes("worker")) for (const name of documentHeaders) reply.removeHeader(name);
  const span = resolveRange(request, reply, variant.etag(), variant.bytes.length);
  if (span === null) return reply;
  if (coding !== "identity") reply.header("content-encoding", coding);
  return reply.type(type).send(variant.bytes.subarray(span.from, span.to + 1));
}
