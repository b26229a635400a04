// Tests that list, statistics and the console's filter count the same sensors as connected if the timeout is a fraction
// of an hour.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const heard = "02:00:00:00:00:01";
const silent = "02:00:00:00:00:02";
let world: World;
let owner: Person;
beforeAll(async () => {
  world = await createWorld({
    env: { CONNECTION_TIMEOUT_HOURS: "0.25", FIRMWARE_MAX_MB: "7" },
    clock: createStillClock(),
  });
  owner = await world.account("Owner", world.root, fullPermissions);
  for (const [_id, minutes] of [
    [heard, 14],
    [silent, 16],
  ] as const) {
    await world.call(owner, "POST", "/api/sensor", { body: { _id, owner: owner.id, type: "APS" } });
    const last_contact_at = new Date(world.ctx.clock.now() - minutes * 60_000);
    await world.ctx.db.updateTable("sensor").set({ last_contact_at }).where("id", "=", _id).execute();
  }
});
afterAll(() => world.stop());

async function consoleConfig(): Promise<Record<string, unknown>> {
  const text = String((await world.call(null, "GET", "/config.js")).body);
  return JSON.parse(/^window\.__CONFIG__=(.*);$/s.exec(text)?.[1] ?? "") as Record<string, unknown>;
}

test("SE-12 SE-02 with a timeout of 15 minutes list, statistics and console agree", async () => {
  const { connectionTimeoutHours } = await consoleConfig();
  expect(connectionTimeoutHours).toBe(0.25);
  for (const query of ["", `?connectionTimeout=${String(connectionTimeoutHours)}`]) {
    const reply = await world.call(owner, "GET", `/api/v2/sensor/stats${query}`);
    expect([reply.status, reply.at("totalByScomState")], query).toEqual([
      200,
      [
        { _id: "connected", count: 1 },
        { _id: "disconnected", count: 1 },
      ],
    ]);
  }
  const connected = async (state: string) =>
    (await world.call(owner, "GET", `/api/v2/sensor?connected=${state}`)).list.map(({ _id }) => _id);
  expect([await connected("connected"), await connected("disconnected")]).toEqual([[heard], [silent]]);
  for (const bad of ["0", "0.001", "-1", "87601", "1,5", "1e1", "x", ""])
    expect((await world.call(owner, "GET", `/api/v2/sensor/stats?connectionTimeout=${bad}`)).code, bad).toBe(102);
});

test("fractions of an hour are accepted, invalid timeouts stop the start", () => {
  const read = (hours: string) =>
    readConfig({ ...process.env, DATA_DIR: world.ctx.config.dataDir, CONNECTION_TIMEOUT_HOURS: hours });
  for (const hours of [0.01, 1 / 3, 1.5, 87_600]) expect(read(String(hours)).connectionTimeoutHours).toBe(hours);
  for (const hours of ["0", "-1", "0.001", "1,5", "soon", "87601"])
    expect(() => read(hours), hours).toThrow(/CONNECTION_TIMEOUT_HOURS/);
});

test("FW-02 the console gets the server's size limit of firmware", async () => {
  const { firmwareMaxBytes } = await consoleConfig();
  expect(firmwareMaxBytes).toBe(7 * 1024 * 1024);
  const of = (bytes: number) => world.upload(owner, { type: "APS", name: "1.0.0" }, new Uint8Array(bytes));
  expect((await of(Number(firmwareMaxBytes) + 1)).status).toBe(413);
  expect((await of(Number(firmwareMaxBytes))).status).toBe(200);
});
