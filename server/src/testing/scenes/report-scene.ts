// Logins with locations, sensors with counts, a movable clock, and mails.
import type { DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { expect } from "vitest";
import { storeRecords } from "../../count/record/record.store.ts";
import { createMailbox, type Mailbox } from "../mailbox.ts";
import { createStillClock } from "../snapshot.ts";
import { createWorld, type Person, type World } from "../world.ts";

const hourMs = 3_600_000;

export type ReportScene = {
  world: World;
  mailbox: Mailbox;
  /** Advances the clock with all due jobs; renews expired sessions. */
  pass(to: string, ...people: Person[]): Promise<void>;
  turn(who: Person, enabled: boolean): Promise<unknown>;
  location(owner: Person, name: string, place: keyof typeof places | null): Promise<string>;
  sensor(owner: Person, id: string, locationId: string): Promise<void>;
  count(id: string, from: string, hours: number, people: number): Promise<void>;
  credentialOf(who: Person): Promise<string>;
  stop(): Promise<void>;
};

/** Latitude and longitude, which determine the time zone. */
const places = {
  Berlin: [52.52, 13.4],
  Tokyo: [35.68, 139.69],
  LosAngeles: [34.05, -118.24],
} as const;

export async function createReportScene(): Promise<ReportScene> {
  const mailbox = await createMailbox();
  const env = {
    PARTS: "api,worker",
    TEST_CLOCK: "on",
    MAIL_URL: mailbox.url,
    PUBLIC_URL: "https://console.example.com",
  };
  const world = await createWorld({ clock: createStillClock(), env });
  const { ctx } = world;
  return {
    world,
    mailbox,
    async pass(to, ...people) {
      const reply = await world.call(null, "PUT", "/dev/clock", { body: { now: to } });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      for (const who of [world.root, ...people]) who.token = await world.token(who);
    },
    async turn(who, enabled) {
      const reply = await world.call(who, "PUT", "/api/auth/weekly-report", { body: { enabled } });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return reply.body;
    },
    async location(owner, name, place) {
      const location = place === null ? {} : { location: { coordinates: [...places[place]] } };
      return (
        await world.call(world.root, "POST", "/api/measurement", { body: { name, owner: owner.id, ...location } })
      ).id;
    },
    async sensor(owner, id, measID) {
      await world.call(world.root, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
      const reply = await world.call(world.root, "PUT", `/api/sensor/${id}`, { body: { measID } });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    },
    async count(id, from, hours, people) {
      const row = await ctx.db
        .selectFrom("sensor")
        .select(["num", "owner_id", "location_id"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const sensor = { id, num: row.num, ownerId: row.owner_id, locationId: row.location_id };
      const incoming = Array.from({ length: hours }, (_, hour) => {
        const s = Date.parse(from) + hour * hourMs;
        const lines = [{ id: "a", in: people, out: people }];
        const record: DeviceRecord = { q: hour + 1, t: "count", s, e: s + hourMs, ck: "ok", osd: 0, lines };
        return { sensor, record, via: "fill" as const };
      });
      const nowMs = ctx.clock.now();
      const { outcomes } = await ctx.db.transaction().execute((tx) => storeRecords(tx, nowMs, incoming));
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    },
    async credentialOf(who) {
      const row = await ctx.db
        .selectFrom("credential")
        .select("id")
        .where("account_id", "=", who.id)
        .executeTakeFirstOrThrow();
      return row.id;
    },
    async stop() {
      await world.stop();
      await mailbox.close();
    },
  };
}
