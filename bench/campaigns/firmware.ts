// Uploads full-size firmware (T-18): memory must stay constant, twenty concurrent uploads must succeed with the right checksums,
// and aborted or killed uploads must leave nothing behind. `--mb 512 --parallel 20 --parallel-mb 64 --cuts 100 --kills 50`.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";
import { withDatabase } from "../database.ts";
import { createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    mb: { type: "string", default: "512" },
    parallel: { type: "string", default: "20" },
    "parallel-mb": { type: "string", default: "64" },
    cuts: { type: "string", default: "100" },
    kills: { type: "string", default: "50" },
  },
});
const mebibyte = 1024 * 1024;
/** Allowed memory growth, whatever the size of the package. */
const roomMb = 50;

const product = await createProduct({ TEST_CLOCK: "on" });
await product.start();
const failures: string[] = [];
let token = (await signIn(product.url)).token;
const me = (await (await fetch(`${product.url}/api/auth/user`, bearer())).json()) as { _id: string };

function bearer(headers: Record<string, string> = {}) {
  return { headers: { authorization: `Bearer ${token}`, ...headers } };
}

function expect(what: string, holds: boolean, seen: unknown): void {
  console.log(`${holds ? "ok" : "FAILED"}: ${what} (${String(seen)})`);
  if (!holds) failures.push(what);
}

function rssMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${product.pid()}/status`, "utf8"))?.[1]) / 1024;
}

/** Incompressible bytes, generated while sending. */
function* bytesOf(seed: number, length: number): Generator<Buffer> {
  let block = createHash("sha512").update(String(seed)).digest();
  const chunk = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < length; sent += chunk.length) {
    for (let at = 0; at < chunk.length; at += 4096) {
      block = createHash("sha512").update(block).digest();
      for (let copy = 0; copy < 4096; copy += 64) block.copy(chunk, at + copy);
    }
    yield Buffer.from(chunk.subarray(0, Math.min(chunk.length, length - sent)));
  }
}

function sumOf(seed: number, length: number): string {
  const hash = createHash("sha256");
  for (const chunk of bytesOf(seed, length)) hash.update(chunk);
  return hash.digest("hex");
}

type Outcome = { status: number; body: { _id?: string; md5?: string; file?: { size: number; sha256: string } } };

/** Streams the upload form. `cutAt` aborts it after that many bytes of the file. */
function upload(version: string, seed: number, length: number, cutAt = Infinity): Promise<Outcome | null> {
  const field = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = Buffer.from(
    `${field("name", version)}${field("owner", me._id)}${field("type", "APS")}--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n`,
  );
  const tail = Buffer.from("\r\n--b--\r\n");
  return new Promise((resolve) => {
    const { hostname, port } = new URL(product.url);
    const sending = httpRequest(
      {
        hostname,
        port,
        method: "POST",
        path: "/api/artifact",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "multipart/form-data; boundary=b",
          "content-length": head.length + length + tail.length,
        },
      },
      (reply) => {
        let text = "";
        reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
        reply.on("end", () => resolve({ status: reply.statusCode ?? 0, body: JSON.parse(text) as Outcome["body"] }));
      },
    );
    sending.on("error", () => resolve(null));
    function* form() {
      yield head;
      let sent = 0;
      for (const chunk of bytesOf(seed, length)) {
        if (sent >= cutAt) {
          sending.destroy();
          return;
        }
        sent += chunk.length;
        yield chunk;
      }
      yield tail;
    }
    Readable.from(form(), { objectMode: false }).pipe(sending);
  });
}

async function count(): Promise<{ packages: number; chunks: number; firmware: number }> {
  const { rows } = await withDatabase(await product.databaseUrl(), (client) =>
    client.query<{ packages: number; chunks: number; firmware: number }>(
      `select (select count(*)::int from firmware_package) as packages, (select count(*)::int from firmware) as firmware,
      (select count(distinct package_id)::int from firmware_chunk) as chunks`,
    ),
  );
  return rows[0] ?? { packages: -1, chunks: -1, firmware: -1 };
}

async function isRight(id: string, seed: number, length: number): Promise<boolean> {
  const reply = await fetch(`${product.url}/api/artifact/${id}/package`, bearer());
  const hash = createHash("sha256");
  if (reply.body) for await (const chunk of Readable.fromWeb(reply.body as never)) hash.update(chunk as Buffer);
  return hash.digest("hex") === sumOf(seed, length);
}

await upload("0.0.1", 1, 8 * mebibyte);
const calm = rssMb();
let most = calm;
const watch = setInterval(() => (most = Math.max(most, rssMb())), 50);
const size = Number(flags.mb) * mebibyte;
let from = performance.now();
const big = await upload("1.0.0", 2, size);
const upS = (performance.now() - from) / 1000;
expect(`${flags.mb} MB arrive`, big?.status === 200 && big.body.file?.size === size, `${upS.toFixed(1)} s`);
expect("its sum is right", big?.body.file?.sha256 === sumOf(2, size), big?.body.file?.sha256);
expect(
  `the server grows by at most ${roomMb} MB on the way in`,
  most - calm <= roomMb,
  `${calm.toFixed(0)} → ${most.toFixed(0)} MB`,
);
most = rssMb();
const before = most;
from = performance.now();
expect(
  "it comes back whole",
  await isRight(big?.body._id ?? "", 2, size),
  `${((performance.now() - from) / 1000).toFixed(1)} s`,
);
expect(
  `and by at most ${roomMb} MB on the way out`,
  most - before <= roomMb,
  `${before.toFixed(0)} → ${most.toFixed(0)} MB`,
);

const many = Number(flags.parallel);
const each = Number(flags["parallel-mb"]) * mebibyte;
most = rssMb();
const quiet = most;
const all = await Promise.all(Array.from({ length: many }, (_, n) => upload(`2.0.${n}`, 100 + n, each)));
const right = all.filter((one, n) => one?.status === 200 && one.body.file?.sha256 === sumOf(100 + n, each)).length;
expect(`${many} uploads of ${flags["parallel-mb"]} MB at once arrive with right sums`, right === many, right);
console.log(`    memory meanwhile: ${quiet.toFixed(0)} → ${most.toFixed(0)} MB`);
clearInterval(watch);

const cuts = Number(flags.cuts);
const small = 4 * mebibyte;
for (let n = 0; n < cuts; n += 1) await upload(`3.0.${n}`, 3, small, Math.floor((small * (n % 10)) / 10));
let killedWhole = 0;
for (let n = 0; n < Number(flags.kills); n += 1) {
  const running = upload(`4.0.${n}`, 400 + n, small);
  await new Promise((resolve) => void setTimeout(resolve, (n * 37) % 500));
  await product.kill("server");
  const outcome = await running;
  if (outcome?.status === 200) killedWhole += 1;
  await product.start();
}
token = (await signIn(product.url)).token;
const now = Date.now() + 2 * 3_600_000;
await fetch(`${product.url}/dev/clock`, {
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ now }),
});
const after = await count();
expect(
  `after ${cuts} cuts, ${flags.kills} kills and a sweep no package is an orphan`,
  after.packages === after.firmware && after.chunks === after.firmware,
  JSON.stringify(after),
);
const list = (await (await fetch(`${product.url}/api/artifact?name=4.0.`, bearer())).json()) as {
  _id: string;
  name: string;
}[];
let wrong = 0;
for (const { _id, name } of list) if (!(await isRight(_id, 400 + Number(name.split(".")[2]), small))) wrong += 1;
expect(
  `of the killed ones ${list.length} are there, ${killedWhole} were acknowledged, and every one is whole`,
  wrong === 0 && list.length >= killedWhole,
  wrong,
);

await product.end();
console.log(failures.length === 0 ? "All as it should be." : `${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
