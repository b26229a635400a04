// Companies with coaches that report their occupancy, and readers of their feeds.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import bindings from "gtfs-realtime-bindings";
import { expect } from "vitest";
import { birth, connectDevice, type Device, until } from "../devices/device-world.ts";
import { enrolSensor, requestInitToken } from "../devices/remote-sensor.ts";
import { levelsEveryMs } from "../../feed/feed.capability.ts";
import { type ReportedLevel, saveLevels } from "../../feed/feed.store.ts";
import { shortenTimer } from "../shortened-timer.ts";
import { createStillClock } from "../snapshot.ts";
import { type OpenTunnel, openTunnel } from "../devices/tunnel-device.ts";
import { createWorld, type Person, type World } from "../world.ts";

const { FeedMessage } = bindings.transit_realtime;
const publicUrl = "http://feed.test";

type Part = { seats: number; standing: number };
type Group = { vehicleId: string; sequence?: number; parts?: Part[] };
export type Coach = Device & {
  /** Reports people by vehicle section. The sensor does not see omitted sections. */
  says(people: Record<string, number>, more?: object): Promise<void>;
  tunnel: OpenTunnel;
  group: Group;
};
type Vehicle = Record<string, unknown>;
type Read = { header: Record<string, unknown>; entity?: { id: string; vehicle: Vehicle }[] };

export const groupValues = ({ vehicleId, sequence = 1, parts = [{ seats: 20, standing: 10 }] }: Group) => ({
  coach: { name: `Coach ${sequence}`, vehicleId, carriageSequence: sequence },
  levels: [{ id: "l1", name: "Main" }],
  sections: parts.map((part, index) => ({ id: `s${index + 1}`, name: `Part ${index + 1}`, levelId: "l1", ...part })),
});

export const occupancy = (status: string, percentage?: number) => ({
  occupancyStatus: status,
  ...(percentage === undefined ? {} : { occupancyPercentage: percentage }),
});

/** Stores a level as if the sensor had reported it at `at`. */
export const storeLevel = (world: World, level: ReportedLevel) =>
  world.ctx.db.transaction().execute((tx) => saveLevels(tx, [level]));

export type FeedScene = Awaited<ReturnType<typeof createFeedScene>>;

export async function createFeedScene() {
  // Most of the time of these tests would be pauses between two writes of levels.
  const restorePauses = shortenTimer("setTimeout", levelsEveryMs, 20);
  const clock = createStillClock();
  const world: World = await createWorld({
    env: { PARTS: "api,gateway,worker", PUBLIC_URL: publicUrl },
    clock,
  });
  let last = 0;
  const pass = (ms: number) => clock.moveTo(clock.now() + ms);

  const sectionOf = (id: string) =>
    world.ctx.db
      .selectFrom("sensor_section as c")
      .innerJoin("sensor as s", "s.num", "c.sensor_num")
      .select("c.answer")
      .where("s.id", "=", id)
      .where("c.section", "=", "group")
      .executeTakeFirst();
  const levelOf = (id: string) =>
    world.ctx.db
      .selectFrom("vehicle_level as l")
      .innerJoin("sensor as s", "s.num", "l.sensor_num")
      .select(["l.zones", "l.at"])
      .where("s.id", "=", id)
      .executeTakeFirst();

  /** A connected ZOD of this owner with a tunnel, whose vehicle sections the server has read. */
  async function coach(owner: Person, group: Group): Promise<Coach> {
    last += 1;
    const id = toMac(0x0016_28fe_0000 + last);
    const enrolled = await enrolSensor(world.url, { token: await requestInitToken(world, owner), id, type: "ZOD" });
    const device = await connectDevice(world.server.mqttPort ?? 0, enrolled);
    await device.up("state", birth("s1", { type: "ZOD" }));
    const { username: wire, password } = enrolled.mqtt;
    const made: Coach = {
      ...device,
      group,
      tunnel: await openTunnel(world.url, { wire, password }, (_request, answer, body) => {
        const { id: n, method } = JSON.parse(body) as { id: number; method: string };
        const values = groupValues(made.group);
        const result = method === "config.set" ? { rev: 2, applied: "now" } : { rev: 1, values };
        answer.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: n, result }));
      }),
      says: async (people, more = {}) => {
        const zones = Object.entries(people).map(([zone, n]) => ({ id: zone, n }));
        await device.up("live", { t: "occ", at: clock.now(), zones, ...more });
      },
    };
    await until("how it is divided", () => sectionOf(device.id));
    return made;
  }

  /**
   * Reads the feed like a public reader. Advances the clock first, so that the response does not come from the cache.
   */
  async function read(url: string): Promise<Read> {
    pass(10_000);
    const reply = await fetch(url);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("application/x-protobuf");
    const message = FeedMessage.decode(new Uint8Array(await reply.arrayBuffer()));
    return FeedMessage.toObject(message, { longs: String, enums: String }) as Read;
  }

  return {
    clock,
    world,
    pass,
    sectionOf,
    levelOf,
    coach,
    read,
    company: () => world.account(`Tram Lines ${(last += 1)}`, world.root, fullPermissions),
    async say(one: Coach, people: Record<string, number>, more?: object): Promise<void> {
      // Advances the clock, because a report at the same instant would not be newer.
      pass(1);
      await one.says(people, more);
      const textOf = (zones: readonly [string, number][]) => zones.map(String).toSorted().join();
      await until("the level", async () => {
        const zones = (await levelOf(one.id))?.zones.map((zone): [string, number] => [zone.id, zone.n]);
        return zones !== undefined && textOf(zones) === textOf(Object.entries(people));
      });
    },
    /** A new feed URL of this account, reachable from this machine. */
    async feedUrl(owner: Person): Promise<string> {
      const reply = await world.call(owner, "POST", "/api/auth/feed-token");
      expect(reply.status).toBe(200);
      return String(reply.at("url")).replace(publicUrl, world.url);
    },
    async vehicle(url: string, id: string): Promise<Vehicle> {
      const { entity = [] } = await read(url);
      return entity.find((one) => one.id === id)?.vehicle ?? {};
    },
    async stop() {
      restorePauses();
      await world.stop();
    },
  };
}
