// Kills a primary PostgreSQL under a running product and promotes its standby: calls fail with 503 for a while, then all works again.
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../db/connection/connect.ts";
import { until } from "../testing/devices/device-world.ts";
import { startReplicatedPostgres } from "../testing/database/tcp-postgres.ts";
import { createWorld } from "../testing/world.ts";

test("after a failover the product uses the new primary without a restart", { tags: "prove" }, async () => {
  const postgres = await startReplicatedPostgres();
  onTestFinished(postgres.stop);
  const admin = await connect(postgres.firstUrl);
  await admin.query("create database psp");
  await admin.end();
  const env = {
    DATABASE_URL: postgres.urlOf("psp"),
    DATABASE_READ_URL: postgres.urlOf("psp").replace("read-write", "standby"),
    PARTS: "api,worker,gateway",
  };
  const world = await createWorld({ env });
  const other = await createWorld({ env });
  onTestFinished(async () => {
    await world.stop();
    await other.stop();
  });
  const ready = async () => (await world.call(null, "GET", "/health/ready")).status;
  const create = async (name: string) =>
    (await world.call(world.root, "POST", "/api/measurement", { body: { name, owner: world.root.id } })).status;
  expect([await ready(), await create("before")]).toEqual([200, 200]);
  const standby = await connect(postgres.secondUrlOf("psp"));
  onTestFinished(() => standby.end());
  const countOnStandby = async () => (await standby.query("select from location")).rowCount;
  await until("the standby has it", async () => (await countOnStandby()) === 1);

  const counted = () => world.call(world.root, "GET", "/api/v2/counts/total?range=today");
  expect((await counted()).at("locations")).toBe(1);
  await postgres.killFirst();
  const during = [await ready(), await create("lost"), await ready(), await create("lost")];
  expect(during).toEqual([503, 503, 503, 503]);
  await postgres.promoteSecond();
  const statuses: number[] = [];
  await until("it writes again", async () => {
    const status = await create(`after ${statuses.length}`);
    statuses.push(status);
    return status === 200;
  });
  expect(new Set(statuses.slice(0, -1)).difference(new Set([503]))).toEqual(new Set());
  expect(await ready()).toBe(200);
  expect(await countOnStandby()).toBe(2);
  // There is no replica any more.
  expect((await counted()).at("locations")).toBe(2);

  // The other process also listens to the new primary.
  await until(
    "the other process is ready",
    async () => (await other.call(null, "GET", "/health/ready")).status === 200,
  );
  const live = await other.live(world.root);
  await until("a change arrives", async () => {
    await create("live");
    return live.frames.some(({ type }) => type === "measurement");
  });
});
