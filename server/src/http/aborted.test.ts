// Clients that disconnect during a request or response are not logged as errors (T-26).
import { once } from "node:events";
import { connect } from "node:net";
import { Writable } from "node:stream";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const lines: { level: number; msg: string }[] = [];
let world: World;
let who: Person;
beforeAll(async () => {
  const kept = new Writable({
    write(text: Buffer, _encoding, done) {
      lines.push(JSON.parse(text.toString()) as (typeof lines)[number]);
      done();
    },
  });
  world = await createWorld({ log: pino({ level: "debug" }, kept) });
  who = await world.account("Sender", world.root, fullPermissions);
});
afterAll(() => world.stop());

/** Sends part of a request and disconnects once the server has started to read it: `politely` with FIN, otherwise with RST. */
async function breakOff(method: string, path: string, type: string, body: string, politely: boolean): Promise<void> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  const head = [`${method} ${path} HTTP/1.1`, "host: x", `authorization: Bearer ${who.token}`, `content-type: ${type}`];
  socket.write(`${head.join("\r\n")}\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n${body}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 /);
  if (politely) socket.destroy();
  else socket.resetAndDestroy();
}

test.each([
  ["createRole", "POST", "/api/role", "application/json", '{"name":"Half'],
  ["login", "POST", "/api/auth/login", "application/json", '{"email":"half'],
  ["createFirmware", "POST", "/api/artifact", "multipart/form-data; boundary=b", "--b\r\ncontent-disp"],
])(
  "T-26 a truncated body of %s leaves one debug line and no error in the log",
  async (_call, method, path, type, body) => {
    const before = lines.length;
    for (let n = 0; n < 20; n += 1) await breakOff(method, path, type, body, n % 2 === 0);
    await expect.poll(() => lines.length).toBe(before + 20);
    const seen = new Set(lines.slice(before).map(({ level, msg }) => `${level} ${msg}`));
    expect([...seen]).toEqual(["20 a sender went away"]);
  },
);

test("T-26 a call ends when its client disconnects during the session lookup", async () => {
  const before = lines.length;
  world.server.sessions.forget();
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table session in access exclusive mode`.execute(tx);
    const gone = breakOff("POST", "/api/role", "application/json", '{"name":"Half', false);
    await Promise.all([gone, untilSomebodyWaits(world.ctx.db)]);
    // A response to a later request proves that the server has seen the reset.
    expect((await world.call(null, "GET", "/health")).status).toBe(200);
  });
  await expect.poll(() => lines.slice(before).map(({ msg }) => msg)).toEqual(["a sender went away"]);
});
