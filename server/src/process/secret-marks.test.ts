// Tests the warning about processes with different secrets.
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";
import { warnOfOtherSecrets } from "./secret-marks.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

async function warningsWith(secrets: Partial<World["ctx"]["config"]["secrets"]>): Promise<string[]> {
  const heard: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void heard.push(line) });
  const { config, db } = world.ctx;
  await warnOfOtherSecrets({ db, log, config: { ...config, secrets: { ...config.secrets, ...secrets } } });
  return heard.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test("a process whose secrets differ from those of the last one warns, and names them", async () => {
  const other = "another secret of 32 characters!";
  expect(await warningsWith({})).toEqual([]);
  expect(await warningsWith({})).toEqual([]);
  expect(await warningsWith({ session: other, firmware: other })).toEqual([
    expect.stringContaining("SESSION_SECRET and FIRMWARE_SIGNING_KEY: "),
  ]);
  expect(await warningsWith({ session: other, firmware: other })).toEqual([]);
  expect(await warningsWith({ session: other })).toEqual([expect.stringMatching(/^FIRMWARE_SIGNING_KEY: /)]);
});
