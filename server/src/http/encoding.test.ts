// Tests the compression of responses: negotiation, headers for caches, and streams without delay (ADR 0027).
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import zlib from "node:zlib";
import fastify from "fastify";
import { afterAll, expect, test } from "vitest";
import { chooseCoding, type Coding } from "./accept-encoding.ts";
import type { Metrics } from "../kit/metrics.ts";
import { whilePoolIsFull } from "../testing/full-thread-pool.ts";
import { compressResponses } from "./compress.ts";
import { readStaticFiles, sendFile } from "./static-files.ts";

const all: readonly Coding[] = ["br", "gzip", "identity"];

test.each<[string | undefined, Coding | null]>([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0.000,gzip;q=0", "identity"],
  ["br;q=0.5, gzip;q=0.8", "gzip"],
  ["gzip;q=0.5, identity", "identity"],
  ["*", "br"],
  ["*;q=0.1, gzip", "gzip"],
  ["br;q=0, *", "gzip"],
  ["deflate", "identity"],
  ["identity;q=0", null],
  ["*;q=0", null],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["*;q=0, identity", "identity"],
  ["br;q=nonsense, gzip;q=2", "identity"],
])("T-26 Accept-Encoding %s means %s", (header, coding) => {
  expect(chooseCoding(header, all)).toBe(coding);
});

const long = JSON.stringify({ text: "people ".repeat(500) });
const huge = "people ".repeat(600_000);
let compressed = 0;
const source = new PassThrough();
const broken = new PassThrough();
const app = fastify();
compressResponses(app, { compressed: { inc: (bytes: number) => void (compressed += bytes) } as Metrics["compressed"] });
let asked = 0;
app.get("/huge", async (_, reply) => {
  asked += 1;
  return reply.type("text/plain").send(huge);
});
app.get("/long", async (_, reply) => reply.header("vary", "Origin").type("application/json").send(long));
app.get("/short", async (_, reply) => reply.type("application/json").send("{}"));
app.get("/secret", { config: { secret: true } }, async (_, reply) => reply.type("application/json").send(long));
app.get("/picture", async (_, reply) => reply.type("image/png").send(Buffer.alloc(5000)));
app.get("/stream", (_, reply) => void reply.type("text/csv; charset=utf-8").send(source));
app.get("/broken", (_, reply) => void reply.type("text/csv").send(broken));
const folder = await mkdtemp(join(tmpdir(), "psp-encoding-"));
const script = `export const text = ${long};`;
await mkdir(join(folder, "assets"));
await writeFile(join(folder, "assets/a-1234.js"), script);
await writeFile(join(folder, "assets/a-1234.js.br"), zlib.brotliCompressSync(script));
await writeFile(join(folder, "assets/a-1234.js.gz"), zlib.gzipSync(script));
await writeFile(join(folder, "assets/a-1234.js.map"), "{}");
await writeFile(join(folder, "index.html"), "<p>");
const files = await readStaticFiles(folder);
app.get("/*", (request, reply) => {
  const file = files.get(request.url);
  return file === undefined ? reply.code(404).send() : sendFile(request, reply, file);
});
const base = await app.listen({ port: 0, host: "127.0.0.1" });
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** Returns the bytes as sent; fetch would decompress them. */
const ask = async (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") => {
  const reply = await app.inject({ method, url, headers });
  return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload };
};

test("T-26 long texts are compressed by Accept-Encoding and keep their own Vary", async () => {
  const plain = await ask("/long");
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.headers.vary).toBe("Origin, Accept-Encoding");
  const br = await ask("/long", { "accept-encoding": "gzip, br" });
  expect(br.headers).toMatchObject({ "content-encoding": "br", "content-length": String(br.bytes.length) });
  expect(zlib.brotliDecompressSync(br.bytes).toString()).toBe(long);
  const gzip = await ask("/long", { "accept-encoding": "gzip, br;q=0" });
  expect(gzip.headers).toMatchObject({ "content-encoding": "gzip", vary: "Origin, Accept-Encoding" });
  expect(zlib.gunzipSync(gzip.bytes).toString()).toBe(long);
  const head = await ask("/long", { "accept-encoding": "br" }, "HEAD");
  expect(head.bytes).toHaveLength(0);
  expect(head.headers["content-length"]).toBe(br.headers["content-length"]);
});

test("T-26 tiny or secret responses and pictures are not compressed", async () => {
  const accept = { "accept-encoding": "br" };
  expect((await ask("/short", accept)).headers).toMatchObject({ vary: "Accept-Encoding", "content-length": "2" });
  for (const path of ["/secret", "/picture"]) {
    const { headers } = await ask(path, accept);
    expect(headers["content-encoding"], path).toBeUndefined();
    expect(headers.vary, path).toBeUndefined();
  }
  // The call has been executed, so a client that accepts no coding gets the plain response.
  expect(await ask("/long", { "accept-encoding": "*;q=0" })).toMatchObject({ status: 200, bytes: Buffer.from(long) });
});

test("DS-01 compressed streams are flushed per chunk and end with either side", async () => {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  socket.write("GET /stream HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n");
  const bodyOf = zlib.createGunzip();
  let seen = "";
  bodyOf.on("data", (chunk: Buffer) => (seen += chunk.toString()));
  let rest = Buffer.alloc(0);
  let inBody = false;
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    const headEnd = rest.indexOf("\r\n\r\n");
    if (!inBody && headEnd >= 0) {
      expect(rest.subarray(0, headEnd).toString().toLowerCase()).toContain("content-encoding: gzip");
      [inBody, rest] = [true, rest.subarray(headEnd + 4)];
    }
    for (;;) {
      const lineEnd = inBody ? rest.indexOf("\r\n") : -1;
      const length = lineEnd < 0 ? 0 : Number.parseInt(rest.subarray(0, lineEnd).toString(), 16);
      if (length === 0 || rest.length < lineEnd + length + 4) return;
      bodyOf.write(rest.subarray(lineEnd + 2, lineEnd + 2 + length));
      rest = rest.subarray(lineEnd + length + 4);
    }
  });
  source.write("time,in\n");
  await expect.poll(() => seen).toBe("time,in\n");
  source.write("2026-01-01,5\n");
  await expect.poll(() => seen).toBe("time,in\n2026-01-01,5\n");
  socket.destroy();
  await expect.poll(() => source.destroyed).toBe(true);

  const failing = ask("/broken", { "accept-encoding": "br" });
  broken.destroy(new Error("the database is gone"));
  const { status, headers } = await failing;
  expect(status).toBe(500);
  expect(headers["content-type"]).toContain("json");
});

test("T-26 compression stops for disconnected clients and is skipped under load", { tags: "prove" }, async () => {
  const port = Number(new URL(base).port);
  const whole = await ask("/huge", { "accept-encoding": "br" });
  expect(zlib.brotliDecompressSync(whole.bytes).toString()).toBe(huge);
  expect(compressed).toBeGreaterThanOrEqual(huge.length);
  [compressed, asked] = [0, 0];
  let plain = "";
  await whilePoolIsFull(async () => {
    const head = "GET /huge HTTP/1.1\r\nhost: x\r\naccept-encoding: br\r\n\r\n";
    const left = Array.from({ length: 102 }, () => connect(port, "127.0.0.1"));
    for (const socket of left) socket.write(head);
    await expect.poll(() => asked).toBe(left.length);
    await ask("/short");
    // Two compressions are running and a hundred are queued. This response is therefore sent plain, without waiting for a free thread.
    const next = await ask("/huge", { "accept-encoding": "br" });
    plain = next.bytes.toString();
    await Promise.all(left.map((socket) => once(socket.destroy(), "close")));
    // A response to a later request proves that the server has seen the disconnects.
    await ask("/short");
  });
  expect(plain).toBe(huge);
  await expect
    .poll(async () => (await ask("/long", { "accept-encoding": "br" })).headers["content-encoding"])
    .toBe("br");
  expect(compressed).toBeLessThan(huge.length);
});

test("T-26 a built file has an ETag per encoding, and ranges of the chosen encoding", async () => {
  const path = "/assets/a-1234.js";
  const forms = await Promise.all(["br", "gzip", "identity"].map((coding) => ask(path, { "accept-encoding": coding })));
  expect(new Set(forms.map(({ headers }) => headers.etag)).size).toBe(3);
  for (const { headers } of forms)
    expect(headers).toMatchObject({
      vary: "Accept-Encoding",
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
    });
  const [br] = forms;
  expect(zlib.brotliDecompressSync(br?.bytes ?? "").toString()).toBe(script);
  const known = await ask(path, { "accept-encoding": "br", "if-none-match": `W/${br?.headers.etag}` });
  expect(known).toMatchObject({ status: 304, headers: { vary: "Accept-Encoding", etag: br?.headers.etag } });
  const other = await ask(path, { "accept-encoding": "gzip", "if-none-match": String(br?.headers.etag) });
  expect(other.status).toBe(200);
  const part = await ask(path, { "accept-encoding": "br", range: "bytes=2-5", "if-range": String(br?.headers.etag) });
  expect(part).toMatchObject({ status: 206, bytes: br?.bytes.subarray(2, 6) });
  expect(part.headers).toMatchObject({
    "content-encoding": "br",
    "content-range": `bytes 2-5/${br?.bytes.length}`,
    vary: "Accept-Encoding",
  });
  const beyond = await ask(path, { "accept-encoding": "br", range: "bytes=99999-" });
  expect(beyond).toMatchObject({ status: 416, headers: { vary: "Accept-Encoding" } });
  expect(beyond.headers["content-encoding"]).toBeUndefined();
  expect(await ask(path, { "accept-encoding": "identity;q=0" })).toMatchObject({ status: 406 });
  expect(await ask(path, { "accept-encoding": "identity;q=0, *;q=0.1" })).toMatchObject({ status: 200 });
  const head = await ask(path, { "accept-encoding": "br" }, "HEAD");
  expect(head.headers).toMatchObject({ "content-encoding": "br", "content-length": String(br?.bytes.length) });
  expect(head.bytes).toHaveLength(0);
  expect((await ask("/index.html")).headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding" });
  for (const hidden of [`${path}.map`, `${path}.br`]) expect((await ask(hidden)).status).toBe(404);
});
