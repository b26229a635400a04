// Tests faults that commands on standard input start and end (MO-02).
import { expect, test } from "vitest";
import { id, openTestSensor } from "../testing/test-sensor.ts";
import { runCommand } from "./commands.ts";

test("MO-02 commands on standard input cover and clear a lens; invalid ones are reported", async () => {
  const { cloud, sensor, online, pass } = await openTestSensor({ at: Date.UTC(2025, 2, 16, 9) });
  await online();
  const find = (asked: string) => (asked === id ? sensor : undefined);
  const views = () =>
    [...cloud.stored.values()].flatMap((record) => (record.t === "event" && record.kind === "osd" ? [record.to] : []));
  expect(runCommand(`fault ${id} covered-lens@0+600`, find)).toBeNull();
  await pass(120_000);
  expect(views()).toEqual([1]);
  expect(runCommand(`heal ${id}`, find)).toBeNull();
  await pass(120_000);
  expect(views()).toEqual([1, 0]);
  expect(runCommand(`fault ${id} earthquake`, find)).toContain('Unknown fault "earthquake"');
  expect(runCommand("heal 02:00:00:00:00:99", find)).toContain("no sensor");
  expect(runCommand("fault", find)).toContain("form");
});
