// Tests S3-compatible package storage with a fake server that verifies the signatures.
import { createHash, randomBytes } from "node:crypto";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStillClock } from "../../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";
import { downloadUrl } from "./download-link.rules.ts";
import { createFakeS3, type FakeS3 } from "./s3.testing.ts";

let store: FakeS3;
let world: World;
let maker: Person;
beforeAll(async () => {
  store = await createFakeS3();
  world = await createWorld({
    env: { ...store.env, TEST_CLOCK: "on", FIRMWARE_MAX_MB: "20" },
    clock: createStillClock(),
  });
  maker = await world.account("Maker", world.root, fullPermissions);
});
afterAll(async () => {
  await world.stop();
  await store.stop();
});

const partBytes = 8 * 1024 * 1024;
const image = randomBytes(2 * partBytes + 5);
let patch = 0;
const upload = (file: Uint8Array) => world.upload(maker, { type: "APS", name: `1.0.${(patch += 1)}` }, file);
const later = (ms: number) => world.call(null, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + ms } });

test("FW-02 a multipart package is stored in S3 and read by range, not in PostgreSQL", async () => {
  const made = await upload(image);
  expect([made.status, made.at("file.size")]).toEqual([200, image.length]);
  expect(made.at("md5")).toBe(createHash("md5").update(image).digest("hex"));
  expect([...store.objects.values()].map((one) => one.equals(image))).toEqual([true]);
  const chunks = await sql<{ n: number }>`select count(*) as n from firmware_chunk`.execute(world.ctx.db);
  expect(chunks.rows[0]?.n).toBe(0);
  const link = downloadUrl(world.ctx.config, world.url, made.id, world.ctx.clock.now() + 3_600_000);
  expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(image)).toBe(true);
  const from = partBytes - 3;
  const part = await fetch(link, { headers: { range: `bytes=${from}-${from + 5}` } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(image.subarray(from, from + 6))).toBe(true);
  expect(store.unsigned).toEqual([]);
});

test("FW-02 503 is retried; a lasting outage fails the upload without leftovers", { tags: "prove" }, async () => {
  store.failNext(2);
  expect((await upload(image.subarray(0, 10))).status).toBe(200);
  const before = [store.objects.size, store.open.size];
  store.failNext(3);
  const failed = await upload(image.subarray(0, 10));
  expect([failed.status, failed.code]).toEqual([500, 101]);
  expect(JSON.stringify(failed.body)).not.toMatch(/SlowDown|127\.0\.0\.1/);
  await later(2 * 3_600_000);
  expect([store.objects.size, store.open.size]).toEqual(before);
});

test(
  "FW-02 a file that exceeds the limit in its third part is refused, and its parts are deleted",
  { tags: "prove" },
  async () => {
    const before = [store.objects.size, store.open.size];
    const refused = await upload(Buffer.alloc(20 * 1024 * 1024 + 1));
    expect([refused.status, refused.code]).toEqual([413, 102]);
    expect([store.objects.size, store.open.size]).toEqual(before);
  },
);

test("T-18 open uploads of a killed server and orphaned objects in S3 are deleted", async () => {
  const id = "018f0000-0000-7000-8000-00000000dead";
  const before = store.objects.size;
  store.open.set("lost", { key: `firmware/${id}`, parts: new Map([[1, Buffer.from("half")]]) });
  store.objects.set(`firmware/${id}`, Buffer.from("whole"));
  await world.ctx.db
    .insertInto("firmware_package")
    .values({ id, kept_in: "s3", piece_bytes: 1, touched_at: world.ctx.clock.date() })
    .execute();
  await later(2 * 3_600_000);
  expect([store.open.size, store.objects.size]).toEqual([0, before]);
});
