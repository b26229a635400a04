// The built console as the server holds it: every file in the forms that its build made, and the answer for one of them.
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import { chooseCoding, type Coding } from "./accept-encoding.ts";
import { type Form, tagOf, variesByCoding } from "./compress.ts";
import { rangeOf } from "./send-bytes.ts";

/** What is not listed does not come out of a build of the console. */
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
const endings: Partial<Record<Coding, string>> = { br: ".br", gzip: ".gz" };
/** In the order in which we like them; the plain form is always there. */
const codings: readonly Coding[] = ["br", "gzip", "identity"];

/** Headers that browsers read on documents and workers only: a kilobyte with every piece. */
const forPages = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "origin-agent-cluster",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
];

export type ConsoleFile = { path: string; type: string; forms: ReadonlyMap<Coding, Form> };

/**
 * All files by their path, with those of one build only: what a later build writes is served after a restart, so that
 * pages and their pieces always fit together. A few megabytes; none when the console was not built.
 */
export async function readConsoleFiles(dist: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const found = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = found.filter((one) => one.isFile()).map((one) => relative(dist, join(one.parentPath, one.name)));
  const all = new Set(names);
  // Source maps may be built, but the product never serves sources (T-29).
  const served = names.filter((name) => types[extname(name)] !== undefined);
  const files = await Promise.all(
    served.map(async (name): Promise<ConsoleFile> => {
      const forms = new Map<Coding, Form>();
      const plain = await readFile(join(dist, name));
      for (const coding of codings) {
        const form = name + (endings[coding] ?? "");
        if (!all.has(form)) continue;
        const bytes = coding === "identity" ? plain : await readFile(join(dist, form));
        forms.set(coding, { bytes, tag: tagOf(plain, coding) });
      }
      return { path: `/${name.split(sep).join("/")}`, type: types[extname(name)] ?? "", forms };
    }),
  );
  return new Map(files.map((file) => [file.path, file]));
}

/** Whole, one range of the form that the client takes, nothing new (304), or 406 when it takes none that there is. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, type, forms }: ConsoleFile,
): FastifyReply {
  // Pictures and fonts come in one form only, for everybody.
  const isNegotiated = /^(text|application)\/|svg/.test(type);
  if (isNegotiated) variesByCoding(reply);
  const coding = forms.size > 1 ? chooseCoding(request.headers["accept-encoding"], [...forms.keys()]) : "identity";
  const form = coding === null ? undefined : forms.get(coding);
  if (form === undefined) throw new AppError(errorCode.invalidArgument, { field: "Accept-Encoding" }, { status: 406 });
  reply.headers({
    etag: form.tag,
    "accept-ranges": "bytes",
    // Names of assets carry their content's hash.
    "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
  // What protects pages says nothing about their pieces; only workers have a policy of their own.
  if (path.startsWith("/assets/") && !path.includes("worker")) for (const name of forPages) reply.removeHeader(name);
  if (isKnown(request.headers["if-none-match"], form.tag)) return reply.code(304).send();
  reply.type(type);
  if (coding !== "identity") reply.header("content-encoding", coding);
  const { length } = form.bytes;
  const condition = request.headers["if-range"];
  const range = condition === undefined || condition === form.tag ? rangeOf(request.headers.range, length) : null;
  if (range === null) return reply.send(form.bytes);
  if (range === "unsatisfiable") {
    reply.removeHeader("content-encoding").removeHeader("etag");
    throw new AppError(
      errorCode.invalidArgument,
      { field: "Range" },
      { status: 416, headers: { "content-range": `bytes */${length}` } },
    );
  }
  reply.code(206).header("content-range", `bytes ${range.from}-${range.to}/${length}`);
  return reply.send(form.bytes.subarray(range.from, range.to + 1));
}

function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
