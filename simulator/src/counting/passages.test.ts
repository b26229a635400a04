// Manually triggered passages appear in live messages, the next record and the ground truth (OC-02).
import { expect, test } from "vitest";
import { openTestSensor, id } from "../testing/test-sensor.ts";
import { sumOf } from "../testing/truth.ts";
import { runCommand } from "../fleet/commands.ts";
import { coveredLens } from "../faults/faults.ts";
import { triggerPassages } from "../sensor/meter.ts";
import { waitUntil } from "../testing/virtual-clock.ts";

/** Sunday, 16 March 2025, 3:00 in Berlin: the shop is closed, so only manual passages occur. */
const night = Date.UTC(2025, 2, 16, 2);

test("OC-02 those who are sent are reported live, and are in the record and in the truth", async () => {
  const { cloud, clock, sensor, truth, online, pass } = await openTestSensor({ at: night });
  await online();
  await cloud.send(id, "desired", { rev: 1, cfg: { liveFlow: true } });
  await waitUntil("the order is taken", () => sensor.cfg.liveFlow);
  triggerPassages(sensor, { in: 3, out: 1 });
  const flows = () => cloud.heard.filter(({ kind }) => kind === "live").map(({ body }) => body);
  clock.pass(1000);
  clock.pass(1000);
  await waitUntil("the flow", () => flows().length > 0);
  expect(flows().at(-1)).toMatchObject({ t: "flow", since: sensor.intervalFrom, lines: [{ in: 3, out: 1 }] });
  await pass(300_000);
  const counts = [...cloud.stored.values()].flatMap((record) => (record.t === "count" ? record.lines : []));
  expect(counts.reduce((sum, line) => sum + line.in - line.out, 0)).toBe(2);
  expect(sumOf(truth.rows)).toMatchObject({ in: 3, out: 1, seenIn: 3, seenOut: 1 });
});

test("OC-02 a command on standard input makes people pass; invalid ones are reported", async () => {
  const { sensor, truth, online, pass } = await openTestSensor({ at: night });
  await online();
  const find = (asked: string) => (asked === id ? sensor : undefined);
  expect(runCommand(`walk ${id.toLowerCase()} in 2\n`, find)).toBeNull();
  expect(runCommand(`walk ${id} out 1`, find)).toBeNull();
  expect(runCommand("walk 02:00:00:00:00:99 in 1", find)).toContain("no sensor 02:00:00:00:00:99");
  for (const line of ["walk", `walk ${id} up 1`, `walk ${id} in -1`, "run"])
    expect(runCommand(line, find), line).toContain("form");
  await pass(300_000);
  expect(sumOf(truth.rows)).toMatchObject({ in: 2, out: 1 });
});

test("OC-02 a covered sensor does not count them, but they are true", async () => {
  const { sensor, truth, online, pass } = await openTestSensor({
    at: night,
    faults: [coveredLens({ from: night - 1, to: night + 3_600_000 })],
  });
  await online();
  triggerPassages(sensor, { in: 2, out: 0 });
  await pass(300_000);
  expect(sumOf(truth.rows)).toMatchObject({ in: 2, out: 0, seenIn: 0, seenOut: 0 });
});
