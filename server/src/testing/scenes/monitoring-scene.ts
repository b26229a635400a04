// A monitoring scene: logins, locations, licensed sensors with facts, a movable clock, and mails.
import { type MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import type { DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { expect } from "vitest";
import { addDaySums, type DaySum } from "../../count/count.store.ts";
import { type FactMarks, saveFactMarks } from "../../count/fact-mark.store.ts";
import { storeRecords } from "../../count/record/record.store.ts";
import type { Tx } from "../../db/database.ts";
import type { IncomingRecord } from "../../device/capability.ts";
import { createMailbox } from "../mailbox.ts";
import { createStillClock } from "../snapshot.ts";
import { createWorld, type Person } from "../world.ts";

export type MonitoringScene = Awaited<ReturnType<typeof createMonitoringScene>>;
type Written = DeviceRecord extends infer R ? (R extends DeviceRecord ? Omit<R, "q" | "ck"> : never) : never;

const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;

export function configWith(change: Partial<MonitoringConfig> = {}): MonitoringConfig {
  return { ...structuredClone(monitoringDefaults), ...change };
}

export async function createMonitoringScene() {
  const mailbox = await createMailbox();
  const env = {
    PARTS: "api,worker",
    TEST_CLOCK: "on",
    MAIL_URL: mailbox.url,
    PUBLIC_URL: "https://console.example.com",
  };
  const world = await createWorld({ clock: createStillClock(), env });
  const { ctx } = world;
  let q = 0;
  const must = async (...args: Parameters<typeof world.call>) => {
    const reply = await world.call(...args);
    expect(reply.status, `${args[1]} ${args[2]}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return reply;
  };
  const numOf = async (id: string) =>
    (await ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow()).num;
  return {
    world,
    mailbox,
    must,
    numOf,
    /** Advances the clock with all due jobs; renews expired sessions. */
    async pass(to: string | number, ...people: Person[]) {
      const now = new Date(to).toISOString();
      const reply = await world.call(null, "PUT", "/dev/clock", { body: { now } });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      for (const who of [world.root, ...people]) who.token = await world.token(who);
    },
    async location(owner: Person, name: string, monitoringConfig: MonitoringConfig | null, at?: [number, number]) {
      const location = at === undefined ? {} : { location: { geo: { type: "Point", coordinates: [at[1], at[0]] } } };
      const body = { name, owner: owner.id, monitoringConfig, ...location };
      return (await must(world.root, "POST", "/api/measurement", { body })).id;
    },
    async sensor(owner: Person, id: string, measID: string | null) {
      await must(world.root, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
      if (measID !== null) await must(world.root, "PUT", `/api/sensor/${id}`, { body: { measID } });
      await must(world.root, "PUT", `/api/sensor/${id}/licenses`, { body: { monitoring: true } });
    },
    async presence(id: string, offlineSince: string | null) {
      const at = new Date(offlineSince ?? ctx.clock.now());
      await ctx.db
        .updateTable("sensor")
        .set({ is_connected: offlineSince === null, last_contact_at: at })
        .where("id", "=", id)
        .execute();
    },
    /** Stores records like the gateway, as if they were delivered now. */
    async deliver(id: string, records: readonly Written[]) {
      const sensor = { id, num: await numOf(id) };
      const nowMs = ctx.clock.now();
      const incoming = records.map((record) => {
        q += 1;
        return { sensor, record: { ...record, q, ck: "ok" as const }, via: "live" as const };
      });
      const { outcomes } = await ctx.db.transaction().execute(async (tx) => {
        const row = { sensor_num: sensor.num, epoch: "e", stored: "{}", touched_at: new Date(nowMs) };
        await tx
          .insertInto("device_epoch")
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(["sensor_num", "epoch"]).doUpdateSet({ touched_at: new Date(nowMs) }),
          )
          .execute();
        return storeRecords(tx, nowMs, incoming);
      });
      for (const outcome of outcomes) expect(["stored", "same", "corrected"]).toContain(outcome.outcome);
    },
    /** The log of a sensor, oldest first: kind and new state. */
    async log(who: Person, id: string): Promise<string[]> {
      const path = `/api/v2/issue?sensorIDs=${encodeURIComponent(id)}&sortBy=startUTC&limit=500`;
      const { body } = await must(who, "GET", path);
      return (body as { objects: { data: { issueType: string; issueStatus: string } }[] }).objects.map(
        ({ data }) => `${data.issueType} ${data.issueStatus}`,
      );
    },
    async stop() {
      await world.stop();
      await mailbox.close();
    },
  };
}

export function createHealthSlice(
  startMs: number,
  more: Partial<Extract<DeviceRecord, { t: "health" }>> = {},
): Written {
  return { t: "health", s: startMs, e: startMs + quarterMs, upS: 900, reboots: {}, wd: 0, ...more };
}

/** Stores records of many sensors like the gateway; fails if one is refused. */
export async function storeAll(tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]): Promise<void> {
  const { outcomes } = await storeRecords(tx, nowMs, incoming);
  for (const { outcome } of outcomes) expect(["stored", "same", "corrected"]).toContain(outcome);
}

/** Adds to daily sums like counts of those days; `marks` contains the new facts. */
export async function storeDaySums(tx: Tx, sums: readonly DaySum[], marks: FactMarks): Promise<void> {
  await addDaySums(tx, sums);
  await saveFactMarks(tx, marks);
}
