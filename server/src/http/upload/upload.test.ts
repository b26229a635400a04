// Checks that slow uploads, and too many uploads of one account, are refused (T-18, ADR 0012).
import { type AddressInfo, connect, type Socket } from "node:net";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fastify from "fastify";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { beginUpload, type SlowUpload } from "../../testing/requests/slow-upload.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";
import { receiveForm, registerFormParser } from "./upload.ts";

let world: World;
const sockets: Socket[] = [];
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => world.stop());

function begin(person: Person, version: string, bytes: number): SlowUpload {
  const fields = { name: version, owner: person.id, type: "APS" };
  const upload = beginUpload(world.url, person, "/api/artifact", fields, Buffer.alloc(bytes, 7));
  sockets.push(upload.socket);
  return upload;
}
const chunks = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from firmware_chunk`.execute(world.ctx.db);
  return rows[0]?.n ?? 0;
};
const packages = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from firmware_package`.execute(world.ctx.db);
  return rows[0]?.n ?? 0;
};

test("T-18 an upload below the minimum rate is ended with 408 and a reason", async () => {
  const maker = await world.account("Maker", world.root, fullPermissions);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const before = await packages();
  const brisk = begin(maker, "1.0.1", 300 * 1024);
  await expect.poll(chunks).toBe(1);
  const drips = begin(maker, "1.0.2", 10);
  await expect.poll(packages).toBe(before + 2);
  expect(vi.getTimerCount()).toBe(2);
  vi.advanceTimersByTime(30_000);
  await expect.poll(drips.heard).toMatch(/^HTTP\/1\.1 408 [^]*The upload came too slowly/);
  expect(brisk.heard()).toBe("");
  await expect.poll(packages).toBe(before + 1);
  // The upload met the minimum in the first 30 seconds. Each interval is checked separately, and the second one brings no bytes.
  vi.advanceTimersByTime(30_000);
  await expect.poll(brisk.heard).toMatch(/^HTTP\/1\.1 408 [^]*The upload stalled/);
  await expect.poll(packages).toBe(before);
});

test("T-18 the twenty-first concurrent upload of an account is refused with Retry-After", async () => {
  const greedy = await world.account("Greedy", world.root, fullPermissions);
  const modest = await world.account("Modest", world.root, fullPermissions);
  const before = await packages();
  const held = Array.from({ length: 20 }, (_, n) => begin(greedy, `2.0.${n}`, 10));
  await expect.poll(packages).toBe(before + 20);
  const file = Buffer.from("image");
  const refused = await world.upload(greedy, { type: "APS", name: "2.1.0" }, file);
  expect([refused.status, refused.code, refused.headers.get("retry-after")]).toEqual([429, 306, "10"]);
  expect((await world.upload(modest, { type: "APS", name: "2.1.0" }, file)).status).toBe(200);
  held[0]?.socket.destroy();
  await expect.poll(async () => (await world.upload(greedy, { type: "APS", name: "2.1.0" }, file)).status).toBe(200);
});

test("T-18 PE-04 uploads of accounts without the right to create use separate slots", async () => {
  const maker = await world.account("Maker of one", world.root, fullPermissions);
  const looker = (n: number) => world.account(`Looker ${n}`, world.root, {});
  const lookers = await Promise.all(Array.from({ length: 5 }, (_, n) => looker(n)));
  const beginMany = (person: Person, many: number, path = "/api/artifact") =>
    Array.from({ length: many }, () => {
      // Without fields, so that the server can't refuse the upload before the file.
      const upload = beginUpload(world.url, person, path, {}, Buffer.alloc(10, 7));
      sockets.push(upload.socket);
      return upload;
    });
  const refused = (uploads: SlowUpload[]) => uploads.filter(({ heard }) => heard().startsWith("HTTP/1.1 429 ")).length;
  // Each account starts more uploads than it has slots, so once one is refused, all its slots are taken.
  const held = lookers.map((one, n) => beginMany(one, 21, n % 2 === 0 ? "/api/artifact" : "/api/import/sap"));
  await expect.poll(() => held.every((uploads) => refused(uploads) > 0)).toBe(true);
  expect((await world.upload(maker, { type: "APS", name: "3.1.0" }, Buffer.from("image"))).status).toBe(200);
  // Accounts without the right have only a few slots, per account and in total.
  await expect.poll(() => held.map(refused)).toEqual([19, 19, 19, 19, 19]);
  const more = await Promise.all(Array.from({ length: 6 }, (_, n) => looker(5 + n)));
  const late = more.flatMap((one) => beginMany(one, 2));
  await expect.poll(() => refused(late)).toBe(2);
  // A freed slot goes to the next upload, which is refused for the missing right instead of with 429.
  for (const { socket } of held.flat()) socket.destroy();
  await expect
    .poll(async () => {
      const reply = await world.upload(lookers[0] ?? maker, { type: "APS", name: "3.1.1" }, Buffer.from("image"));
      return [reply.status, reply.code];
    })
    .toEqual([403, 303]);
});

test("T-18 an upload ends at once if its client disconnects during the session lookup", async () => {
  const app = fastify();
  const arrived = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<unknown>();
  await app.register(async (scope) => {
    await registerFormParser(scope);
    scope.post("/", {
      async onRequest(request) {
        const left = new Promise<void>((resolve) => void request.raw.once("close", resolve));
        arrived.resolve();
        await left;
      },
      async handler(request) {
        const limits = { file: "file", maxBytes: 100, fields: [] };
        const received = receiveForm(request, limits, async () => null);
        outcome.resolve(received.catch((error: unknown) => error));
        return received;
      },
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  // The interval never fires, so only the closed connection can end the upload.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n");
  socket.write("content-length: 1000\r\n\r\n--b\r\n");
  await arrived.promise;
  socket.destroy();
  expect(await outcome.promise).toMatchObject({ code: 102, details: { reason: "The upload was cut off" } });
  expect(vi.getTimerCount()).toBe(0);
  await app.close();
});
