// Deadlines of tasks, tested in the last millisecond before and the first one after: 49 hours, 48 without a tunnel, ten
// minutes after a withdrawal (ADR 0019).
import { afterAll, beforeAll, expect, test } from "vitest";
import { write } from "../db/write.ts";
import { seal } from "../kit/sealing.ts";
import { setPresence, desiredStateOf } from "../testing/devices/device-states.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";
import { createReportQueue } from "./job-report.service.ts";
import { rolloutJob } from "./rollout.job.ts";
import { assignFirmware } from "./rollout.service.ts";

const hourMs = 3_600_000;
const clock = createStillClock();
let world: World;
let firmwareId: string;
beforeAll(async () => {
  world = await createWorld({ clock });
  firmwareId = (await world.upload(world.root, { type: "APS", name: "2.0.0" }, Buffer.from("2.0.0"))).id;
});
afterAll(() => world.stop());

async function plant(id: string, isByRest: boolean): Promise<void> {
  const rest = isByRest
    ? { rest_username: "user", rest_password_sealed: seal(world.ctx.config, `sensor-rest:${id}`, "password") }
    : {};
  const { num } = await world.ctx.db
    .insertInto("sensor")
    .values({ id, owner_id: world.root.id, owner_path: world.root.path, type: "APS", ...rest })
    .returning("num")
    .executeTakeFirstOrThrow();
  const caps = isByRest ? ["count"] : ["count", "fw"];
  await world.ctx.db
    .insertInto("device")
    .values({ sensor_num: num, secret_hash: Buffer.from(id), enrolled_at: new Date(0), sid: "s", caps })
    .execute();
}

const assign = (id: string, to: string | null = firmwareId) =>
  write(world.ctx, { system: "test" }, (w) =>
    assignFirmware(world.ctx, w, { sensorIds: [id], firmwareId: to, by: world.root.id }),
  );

async function statesOf(id: string): Promise<string[]> {
  const tasks = await world.ctx.db
    .selectFrom("update_task")
    .innerJoin("sensor", "sensor.num", "update_task.sensor_num")
    .where("sensor.id", "=", id)
    .orderBy("update_task.id")
    .select("update_task.state")
    .execute();
  return tasks.map(({ state }) => state);
}

test.each([
  ["that no device has heard of", "02:00:00:03:00:01", false, 49],
  ["that waits for a tunnel", "02:00:00:03:00:02", true, 48],
])("SE-09 a task %s ends after its hours, not a millisecond before", async (_, id, isByRest, hours) => {
  await plant(id, isByRest);
  const from = clock.now();
  await assign(id);
  // Assigning the same firmware again keeps the task and its deadline.
  clock.moveTo(from + hourMs);
  await assign(id);
  expect(await statesOf(id)).toEqual(["waiting"]);
  clock.moveTo(from + hours * hourMs - 1);
  await rolloutJob(world.ctx).run();
  expect(await statesOf(id)).toEqual(["waiting"]);
  clock.moveTo(from + hours * hourMs);
  await rolloutJob(world.ctx).run();
  expect(await statesOf(id)).toEqual(["expired"]);
});

test("SE-09 a silent device has ten minutes after applying a withdrawal", async () => {
  const id = "02:00:00:03:00:03";
  await plant(id, false);
  await setPresence(world.ctx, id, true, "1.0.0");
  await assign(id);
  const job = (await desiredStateOf(world.ctx, id))?.fw?.job ?? "";
  const reports = createReportQueue(world.ctx, 2);
  await reports.add({ sensorId: id, report: { job, state: "DOWNLOAD", n: 1, code: null, ok: true, at: 0 } });
  await assign(id, null);
  const applied = (await desiredStateOf(world.ctx, id))?.rev ?? null;
  const from = clock.now();
  await reports.add({ sensorId: id, report: null, applied });
  clock.moveTo(from + 60_000);
  await reports.add({ sensorId: id, report: null, applied });
  clock.moveTo(from + 600_000 - 1);
  await rolloutJob(world.ctx).run();
  expect(await statesOf(id)).toEqual(["withdrawn"]);
  clock.moveTo(from + 600_000);
  await rolloutJob(world.ctx).run();
  expect(await statesOf(id)).toEqual(["canceled"]);
  await reports.stop();
});
