// Tests uploads and downloads over HTTP, including device links and every way in which an upload can fail.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { downloadUrl } from "./package/download-link.rules.ts";
import { findInstallableFirmware, buildFirmwareManifest } from "./manifest.service.ts";
import { firmwarePublicKey } from "../kit/signing.ts";

const hourMs = 3_600_000;
let world: World;
let maker: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld({ env: { FIRMWARE_MAX_MB: "2", TEST_CLOCK: "on" }, clock: createStillClock() });
  maker = await world.account("Maker", world.root, fullPermissions);
  stranger = await world.account("Stranger", world.root, fullPermissions);
});
afterAll(() => world.stop());

const image = randomBytes(700_001);
const sum = (kind: string, data: Uint8Array) => createHash(kind).update(data).digest("hex");
let patch = 0;
const fresh = () => `1.0.${(patch += 1)}`;
const upload = (fields: Record<string, string> = {}, file: Uint8Array | null = image, who: Person = maker) =>
  world.upload(who, { type: "APS", name: fresh(), ...fields }, file);

async function fetchBytes(path: string, who: Person | null, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(path.startsWith("http") ? path : world.url + path, {
    method,
    headers: { ...(who ? { authorization: `Bearer ${who.token}` } : {}), ...headers },
  });
  return { status: response.status, headers: response.headers, data: Buffer.from(await response.arrayBuffer()) };
}

async function left() {
  const { rows } = await sql<{ packages: number; chunks: number; firmware: number }>`
    select (select count(*) from firmware_package) as packages, (select count(*) from firmware_chunk) as chunks,
      (select count(*) from firmware) as firmware`.execute(world.ctx.db);
  return rows[0];
}

async function moveClock(ms: number): Promise<void> {
  const moved = await world.call(null, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + ms } });
  expect(moved.status).toBe(200);
}

test("FW-02 an upload is hashed while streaming, signed, and downloaded unchanged", async () => {
  const name = fresh();
  const made = await upload({ name, objPerm: '{"childrenCanViewObject":true}' });
  expect(made.status).toBe(200);
  const [md5, sha256] = [sum("md5", image), sum("sha256", image)];
  expect(made.body).toMatchObject({
    name,
    type: "APS",
    owner: { _id: maker.id },
    md5,
    file: { size: image.length, sha256 },
    objPerm: { childrenCanViewObject: true },
    version: 1,
  });
  expect((await world.call(maker, "GET", `/api/artifact/${made.id}`)).body).toEqual(made.body);
  const statement = `{"md5":"${md5}","sha256":"${sha256}","size":${image.length},"type":"APS","v":1}`;
  expect(isSigned(statement, String(made.at("file.signature")))).toBe(true);
  const got = await fetchBytes(`/api/artifact/${made.id}/package`, maker);
  expect([got.status, sum("sha256", got.data)]).toEqual([200, sha256]);
  expect(got.headers.get("content-disposition")).toBe(`attachment; filename="APS-${name}.bin"`);
  expect(got.headers.get("content-type")).toBe("application/octet-stream");
  expect(got.headers.get("etag")).toBe(`"${sha256}"`);
  expect(await world.trail(made.id)).toMatchObject([
    { action: "create", account_id: maker.id, after: { name, sha256, size: image.length } },
  ]);
});

function isSigned(text: string, signature: string): boolean {
  const raw = Buffer.from(firmwarePublicKey(world.ctx.config.secrets.firmware), "base64");
  const key = createPublicKey({ key: raw, format: "raw-public", asymmetricKeyType: "ed25519" });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
}

test("FW-02 the file may come before the fields; refusals have code and field", async () => {
  const form = new FormData();
  form.append("file", new Blob([image]), "../../etc/passwd\r\nx: y");
  for (const [name, value] of Object.entries({ name: fresh(), owner: maker.id, type: "ZOD" })) form.append(name, value);
  const first = await fetch(`${world.url}/api/artifact`, {
    method: "POST",
    headers: { authorization: `Bearer ${maker.token}` },
    body: form,
  });
  expect(first.status).toBe(200);
  const before = await left();
  const cases: [Record<string, string>, Uint8Array | null, number, number][] = [
    [{}, null, 400, 104],
    [{}, new Uint8Array(), 400, 102],
    [{ name: "" }, image, 400, 108],
    [{ name: "v1.0.0" }, image, 400, 102],
    [{ name: "1.0.0/../../x" }, image, 400, 102],
    [{ name: "1.0.0\r\nx-evil: 1" }, image, 400, 102],
    [{ type: "Toaster" }, image, 400, 102],
    [{ owner: "x" }, image, 400, 103],
    [{ owner: stranger.id }, image, 400, 103],
    [{ objPerm: "{" }, image, 400, 102],
    [{ objPerm: "true" }, image, 400, 402],
    [{ objPerm: '{"childrenCanViewObject":"true"}' }, image, 400, 402],
    [{ objPerm: '{"childrenCanViewObject":true,"__proto__":{"x":1}}' }, image, 400, 402],
    [{ objPerm: `{"childrenCanViewObject":true,"x":"${"y".repeat(5000)}"}` }, image, 400, 102],
    [{ md5: sum("md5", image) }, image, 400, 402],
    [{ isDeleted: "true" }, image, 400, 402],
    [{ file: "text" }, null, 400, 402],
  ];
  for (const [fields, file, status, code] of cases) {
    const reply = await upload(fields, file);
    expect([reply.status, reply.code], `${JSON.stringify(fields).slice(0, 80)} ${file?.length}`).toEqual([
      status,
      code,
    ]);
  }
  expect(await left()).toEqual(before);
});

const part = (name: string, value: string, file = "", headers = "") =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${headers}\r\n${value}\r\n`;
const sendForm = (body: string) =>
  world.call(maker, "POST", "/api/artifact", {
    body: body as unknown as object,
    headers: { "content-type": "multipart/form-data; boundary=b" },
  });

test("FW-02 a field that says it is JSON is read like any other", async () => {
  const fields = part("name", fresh()) + part("owner", maker.id) + part("type", "APS");
  const objPerm = part("objPerm", '{"childrenCanViewObject":true}', "", "content-type: application/json\r\n");
  const made = await sendForm(`${fields + objPerm + part("file", "abc", '; filename="a"')}--b--`);
  expect(made.body).toMatchObject({ objPerm: { childrenCanViewObject: true } });
});

test("FW-02 incomplete, duplicate or broken forms are refused, and nothing is stored", async () => {
  const before = await left();
  const fields = part("name", fresh()) + part("owner", maker.id) + part("type", "APS");
  const file = part("file", "abc", '; filename="a"');
  const json = "content-type: application/json\r\n";
  const cases: [string, string, number, number][] = [
    ["name missing", `${part("owner", maker.id) + part("type", "APS") + file}--b--`, 400, 108],
    ["owner missing", `${part("name", fresh()) + part("type", "APS") + file}--b--`, 400, 104],
    ["type missing", `${part("name", fresh()) + part("owner", maker.id) + file}--b--`, 400, 104],
    ["name twice", `${fields + part("name", fresh()) + file}--b--`, 400, 102],
    ["two files", `${fields + file + file}--b--`, 400, 102],
    ["a file in another field", `${fields + part("image", "abc", '; filename="a"')}--b--`, 400, 402],
    ["a field named like a property of every object", `${fields + part("toString", "x") + file}--b--`, 400, 402],
    ["a prototype", `${fields + file + part("__proto__", "x")}--b--`, 400, 402],
    ["JSON with a prototype", `${fields + part("objPerm", '{"__proto__":{}}', "", json) + file}--b--`, 400, 102],
    ["23 parts", `${fields + part("objPerm", "{}").repeat(20)}--b--`, 400, 102],
    ["no end", `${fields}${file.slice(0, -3)}`, 400, 102],
    ["nothing", "", 400, 102],
    ["prose", "just text", 400, 102],
  ];
  for (const [what, body, status, code] of cases) {
    const reply = await sendForm(body);
    expect([reply.status, reply.code], what).toEqual([status, code]);
  }
  for (const type of ["multipart/form-data", "application/json", "application/octet-stream", "text/plain"]) {
    const reply = await world.call(maker, "POST", "/api/artifact", { body: "{}", headers: { "content-type": type } });
    expect([400, 415], type).toContain(reply.status);
    expect(reply.code, type).toBe(102);
  }
  expect((await world.call(maker, "POST", "/api/artifact")).code).toBe(104);
  expect(await left()).toEqual(before);
});

const strange: [string, Buffer][] = [
  ["a gzip bomb", gzipSync(Buffer.alloc(50 * 1024 * 1024))],
  ["a zip whose entry climbs out", Buffer.from("PK\u0003\u0004\u0014\0\0\0\0\0../../../../etc/cron.d/evil", "latin1")],
  [
    "a tar with a symbolic link",
    Buffer.concat([Buffer.from("link\0".padEnd(156, "0") + "2/etc/passwd"), Buffer.alloc(900)]),
  ],
  ["a page that is a picture, too", Buffer.from("GIF89a/*<html><script>alert(1)</script>*/=1;")],
  ["the form's own boundary", Buffer.from('\r\n--b\r\ncontent-disposition: form-data; name="owner"\r\n\r\nx\r\n--b--')],
];

test.each(strange)("T-18 %s is opaque bytes, downloaded so that no browser runs it", async (_what, file) => {
  const made = await upload({}, file);
  expect([made.status, made.at("file.size")]).toEqual([200, file.length]);
  const got = await fetchBytes(`/api/artifact/${made.id}/package`, maker);
  expect(got.data.equals(file)).toBe(true);
  expect(Object.fromEntries(got.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": expect.stringMatching(/^attachment; filename="APS-[\w.]+\.bin"$/) as string,
  });
});

test("FW-02 T-18 109 for an existing version of the type, also for concurrent uploads", async () => {
  const name = fresh();
  expect((await upload({ name })).status).toBe(200);
  const before = await left();
  expect([(await upload({ name })).code, (await upload({ name, type: "ZOD" })).status]).toEqual([109, 200]);
  expect((await upload({ name }, image, stranger)).status).toBe(200);
  const twin = fresh();
  const both = await Promise.all([upload({ name: twin }), upload({ name: twin }), upload({ name: twin })]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  const after = await left();
  expect((after?.packages ?? 0) - (before?.packages ?? 0)).toBe(3);
});

function sendRaw(body: Buffer, options: { cutAt?: number; length?: number } = {}): Promise<{ status: number } | "cut"> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world.url);
    let status = 0;
    const request = httpRequest(
      {
        hostname,
        port,
        method: "POST",
        path: "/api/artifact",
        headers: {
          authorization: `Bearer ${maker.token}`,
          "content-type": "multipart/form-data; boundary=b",
          ...(options.length === undefined ? {} : { "content-length": options.length }),
        },
      },
      (response) => {
        status = response.statusCode ?? 0;
        response.resume();
        response.on("end", () => resolve({ status }));
      },
    );
    request.on("error", (error) => {
      if (options.cutAt !== undefined) resolve("cut");
      // The server may reset the connection after it has refused the upload.
      else if (status === 413) resolve({ status });
      else reject(error);
    });
    if (options.cutAt === undefined) request.end(body);
    else request.write(body.subarray(0, options.cutAt), () => request.destroy());
  });
}

function formOf(name: string, file: Buffer): Buffer {
  const field = (key: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
  return Buffer.concat([
    Buffer.from(field("name", name) + field("owner", maker.id) + field("type", "APS")),
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'),
    file,
    Buffer.from("\r\n--b--\r\n"),
  ]);
}

test("T-18 an interrupted upload leaves nothing; chunked ones work, oversized ones get 413", async () => {
  const name = fresh();
  const body = formOf(name, image);
  const before = await left();
  for (let tenth = 1; tenth < 10; tenth += 1) {
    expect(await sendRaw(body, { cutAt: Math.floor((body.length * tenth) / 10), length: body.length })).toBe("cut");
  }
  const deadline = Date.now() + 60_000;
  for (;;) {
    const now = await left();
    if (JSON.stringify(now) === JSON.stringify(before)) break;
    if (Date.now() > deadline) expect(now).toEqual(before);
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  const tooLarge = formOf(name, Buffer.alloc(2 * 1024 * 1024 + 1));
  expect(await sendRaw(tooLarge)).toEqual({ status: 413 });
  expect(await sendRaw(tooLarge, { length: tooLarge.length })).toEqual({ status: 413 });
  expect(await left()).toEqual(before);
  expect(await sendRaw(body)).toEqual({ status: 200 });
});

test("T-18 nothing is stored for accounts that may create no firmware, wherever the fields are", async () => {
  const clerk = await world.account("Clerk", maker, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
  });
  const send = async (who: Person, owner: string) => {
    const form = new FormData();
    form.append("file", new Blob([Uint8Array.from(image)]), "firmware.bin");
    for (const [name, value] of Object.entries({ name: fresh(), type: "APS", owner })) form.append(name, value);
    const headers = { authorization: `Bearer ${who.token}` };
    const reply = await fetch(`${world.url}/api/artifact`, { method: "POST", headers, body: form });
    return ((await reply.json()) as { code?: number }).code;
  };
  expect(await send(maker, maker.id)).toBeUndefined();
  // With this constraint, any attempt to store the file fails with another error.
  await sql`alter table firmware_package add constraint nothing check (false) not valid`.execute(world.ctx.db);
  try {
    expect(await send(clerk, maker.id)).toBe(303);
    expect(await send(clerk, stranger.id)).toBe(103);
    expect(await send(clerk, "unknown")).toBe(103);
    expect(await send(maker, maker.id)).toBeGreaterThan(99);
  } finally {
    await sql`alter table firmware_package drop constraint nothing`.execute(world.ctx.db);
  }
});

test("T-18 leftovers of a killed server are deleted after an hour, and nothing else", async () => {
  const kept = await upload();
  const before = await left();
  const id = "018f0000-0000-7000-8000-00000000dead";
  const now = world.ctx.clock.date();
  await world.ctx.db
    .insertInto("firmware_package")
    .values({ id, kept_in: "postgres", piece_bytes: 4, touched_at: now })
    .execute();
  await world.ctx.db
    .insertInto("firmware_chunk")
    .values({ package_id: id, n: 0, data: Buffer.from("half") })
    .execute();
  await moveClock(hourMs - 1000);
  expect((await left())?.packages).toBe((before?.packages ?? 0) + 1);
  await moveClock(16 * 60_000);
  expect(await left()).toEqual(before);
  expect((await fetchBytes(`/api/artifact/${kept.id}/package`, maker)).data.equals(image)).toBe(true);
});

test("FW-02 an idempotency key creates one firmware and refuses another file", async () => {
  const fields = { type: "APS", name: fresh() };
  const key = { "idempotency-key": "upload-1" };
  const first = await world.upload(maker, fields, image, key);
  const before = await left();
  const again = await world.upload(maker, fields, image, key);
  expect([first.status, again.status, again.id]).toEqual([200, 200, first.id]);
  expect((await world.upload(maker, fields, image.subarray(1), key)).status).toBe(409);
  expect(await left()).toEqual(before);
});

const ranges: [string, number, string | null, (data: Buffer) => Buffer][] = [
  ["bytes=0-0", 206, "bytes 0-0/700001", (data) => data.subarray(0, 1)],
  ["bytes=262143-262144", 206, "bytes 262143-262144/700001", (data) => data.subarray(262_143, 262_145)],
  ["bytes=700000-", 206, "bytes 700000-700000/700001", (data) => data.subarray(700_000)],
  ["bytes=-1", 206, "bytes 700000-700000/700001", (data) => data.subarray(700_000)],
  ["bytes=-9999999", 206, "bytes 0-700000/700001", (data) => data],
  ["bytes=0-99999999999999", 206, "bytes 0-700000/700001", (data) => data],
  ["bytes=5-4", 200, null, (data) => data],
  ["bytes=0-1,5-6", 200, null, (data) => data],
  [`bytes=${Array.from({ length: 1000 }, (_, n) => `${n}-`).join()}`, 200, null, (data) => data],
  ["lines=0-1", 200, null, (data) => data],
  ["bytes=a-b", 200, null, (data) => data],
  ["bytes=700001-", 416, "bytes */700001", () => Buffer.alloc(0)],
  ["bytes=-0", 416, "bytes */700001", () => Buffer.alloc(0)],
];

test("T-18 FW-02 ranges are exact, invalid ones get everything, impossible ones 416", async () => {
  const { id } = await upload();
  const link = downloadUrl(world.ctx.config, world.url, id, world.ctx.clock.now() + hourMs);
  for (const [path, who] of [
    [`/api/artifact/${id}/package`, maker],
    [link, null],
  ] as const) {
    for (const [range, status, contentRange, part] of ranges) {
      const got = await fetchBytes(path, who, { range });
      const what = `${range.slice(0, 30)} of ${path}`;
      expect([got.status, got.headers.get("content-range")], what).toEqual([status, contentRange]);
      if (status !== 416) expect(got.data.equals(part(image)), what).toBe(true);
      const head = await fetchBytes(path, who, { range }, "HEAD");
      expect([head.status, head.headers.get("content-range"), head.data.length], `HEAD ${what}`).toEqual([
        status,
        contentRange,
        0,
      ]);
      if (status !== 416) expect(head.headers.get("content-length"), what).toBe(String(part(image).length));
    }
    const tag = `"${sum("sha256", image)}"`;
    expect((await fetchBytes(path, who, { "if-none-match": `"x", W/${tag}` })).status).toBe(304);
    expect((await fetchBytes(path, who, { range: "bytes=0-1", "if-range": tag })).status).toBe(206);
    expect((await fetchBytes(path, who, { range: "bytes=0-1", "if-range": '"older"' })).data.length).toBe(image.length);
  }
});

test("FW-03 a device's link needs no session, is short, expires, and opens nothing else", async () => {
  const { id } = await upload();
  const other = await upload();
  const expiry = world.ctx.clock.now() + hourMs;
  const link = downloadUrl(world.ctx.config, world.url, id, expiry);
  expect(link.length).toBeLessThanOrEqual(255);
  expect((await fetchBytes(link, null)).data.equals(image)).toBe(true);
  const token = link.split("/").at(-1) ?? "";
  const forged = downloadUrl(
    { ...world.ctx.config, secrets: { ...world.ctx.config.secrets, session: "another secret ".repeat(3) } },
    world.url,
    id,
    expiry,
  );
  const raw = Buffer.from(token, "base64url");
  Buffer.from(other.id.replaceAll("-", ""), "hex").copy(raw);
  const later = Buffer.from(token, "base64url");
  later.writeUInt32BE(later.readUInt32BE(16) + 3600, 16);
  for (const bad of [
    forged.split("/").at(-1) ?? "",
    raw.toString("base64url"),
    later.toString("base64url"),
    `${token}A`,
    token.slice(0, -1),
    `${token}=`,
    "x",
    other.id,
  ]) {
    const refused = await fetchBytes(`/device/fw/${bad}`, null);
    expect([refused.status, (JSON.parse(refused.data.toString()) as { code: number }).code], bad).toEqual([404, 105]);
  }
  await moveClock(hourMs);
  expect((await fetchBytes(link, null)).status).toBe(404);
  expect((await fetchBytes(`/api/artifact/${id}/package`, null)).status).toBe(401);
});

test("FW-03 the manifest is signed canonically, stable per task, and numbered by version", async () => {
  const owner = await world.account("Versions", world.root, fullPermissions);
  const versions = [
    "1.0.0-alpha",
    "1.0.0-alpha.2",
    "1.0.0-alpha.10",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
    "26.11.20",
  ];
  const order = [4, 0, 7, 2, 1, 3, 6, 5];
  const ids: string[] = [];
  for (const n of order)
    ids[n] = (await upload({ name: versions[n] ?? "", type: "PS.C1", owner: owner.id }, image, owner)).id;
  const installable = await findInstallableFirmware(world.ctx, world.ctx.db, ids);
  const seqs = ids.map((id) => installable.get(id)?.seq ?? 0);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(new Set(seqs).size).toBe(versions.length);
  const one = installable.get(ids[4] ?? "");
  if (!one) throw new Error("1.0.0 is not installable");
  const at = world.ctx.clock.now();
  const manifest = buildFirmwareManifest(world.ctx, one, { job: "job-1", base: world.url, at });
  expect(buildFirmwareManifest(world.ctx, one, { job: "job-1", base: world.url, at })).toEqual(manifest);
  const { sig, ...signed } = manifest;
  const names = Object.keys(signed).toSorted() as (keyof typeof signed)[];
  const canonical = `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(signed[name])}`).join()}}`;
  expect(isSigned(canonical, sig)).toBe(true);
  expect(manifest).toMatchObject({
    job: "job-1",
    artifact: one.id,
    type: "PS.C1" satisfies SensorType,
    class: "PS.C1",
    version: "1.0.0",
    size: image.length,
    sha256: sum("sha256", image),
    md5: sum("md5", image),
    validH: 48,
    exp: at + 48 * hourMs,
  });
  expect((await fetchBytes(manifest.url, null)).data.equals(image)).toBe(true);
});

test("FW-03 a modified row reaches no device", async () => {
  const { id } = await upload();
  await world.ctx.db
    .updateTable("firmware")
    .set({ sha256: sum("sha256", Buffer.from("evil")) })
    .where("id", "=", id)
    .execute();
  expect((await findInstallableFirmware(world.ctx, world.ctx.db, [id])).size).toBe(0);
});

test("T-18 granted links survive a deletion until they expire, then the bytes are deleted", async () => {
  const { id } = await upload();
  const link = downloadUrl(world.ctx.config, world.url, id, world.ctx.clock.now() + 48 * hourMs);
  const before = await left();
  expect((await world.call(maker, "DELETE", `/api/artifact/${id}`)).status).toBe(200);
  expect((await fetchBytes(`/api/artifact/${id}/package`, maker)).status).toBe(404);
  await moveClock(47 * hourMs);
  expect((await fetchBytes(link, null, { range: "bytes=10-19" })).data.equals(image.subarray(10, 20))).toBe(true);
  expect((await findInstallableFirmware(world.ctx, world.ctx.db, [id])).get(id)?.isDeleted).toBe(true);
  await moveClock(8 * 24 * hourMs);
  expect((await fetchBytes(link, null)).status).toBe(404);
  expect((await findInstallableFirmware(world.ctx, world.ctx.db, [id])).size).toBe(0);
  expect((await left())?.packages).toBe((before?.packages ?? 0) - 1);
});
