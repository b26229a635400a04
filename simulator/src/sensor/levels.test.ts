// What a ZOD says of its coach over a real broker, against what its preview shows at the same moment.
import { describe, expect, test } from "vitest";
import { type LiveLevel, liveSchema } from "@psp/contract/sensor/sensor.device.ts";
import { positionAt } from "../counting/route.ts";
import { coveredLens } from "../faults/faults.ts";
import type { Stage } from "../testing/stage.ts";
import { methodsOf, reachable } from "../testing/tunnel.ts";
import { until } from "../testing/virtual-clock.ts";
import { walkThrough } from "./meter.ts";
import { goOffline, goOnline } from "./session.ts";

type Level = Extract<LiveLevel, { t: "occ" }>;
type Seen = { sections: { id: string; persons: number | null }[] };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const levelsIn = ({ cloud }: Stage): Level[] =>
  cloud.heard.flatMap(({ kind, body }) => {
    if (kind !== "live") return [];
    const level = liveSchema.parse(body);
    return level.t === "occ" ? [level] : [];
  });

/** Moves on second by second, and lets the broker have each message before the next. */
async function go(made: Stage, ms: number): Promise<Level[]> {
  const before = levelsIn(made).length;
  for (let left = ms; left > 0; left -= 1000) made.clock.pass(1000);
  // Messages keep their order: what was said until now is there when a later one is.
  const asked = made.cloud.heard.length;
  made.sensor.link?.publish(`sdp/1/${made.cloud.connects[0]?.clientId}/up/log`, JSON.stringify({ text: "barrier" }));
  await until("the barrier", () => made.cloud.heard.slice(asked).some(({ kind }) => kind === "log"));
  return levelsIn(made).slice(before);
}

/** To the minute in which one camera is covered, or after it. */
function toCovered({ clock, sensor }: Stage, isCovered: boolean): void {
  const from = (sensor.profile.seed % 12) * 5 * minuteMs;
  const next = Math.ceil(clock.now() / hourMs) * hourMs + from;
  clock.passTo(isCovered ? next + minuteMs : next + 6 * minuteMs);
}

describe("SE-06 live levels of a ZOD", () => {
  test("are the people of each section, said on change, at most once a second and at least once a minute", async () => {
    const made = await reachable({ type: "ZOD" });
    const { change, preview } = methodsOf(made);
    await change("gps", { enabled: false });
    toCovered(made, false);
    const said = await go(made, 10 * minuteMs);
    const times = [...said.map(({ at }) => at), made.clock.now()];
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(index === times.length - 2 ? 0 : 1000);
      expect(at - (times[index] ?? 0)).toBeLessThanOrEqual(minuteMs);
    }
    // What is not a change is said only when a minute has passed.
    for (const [index, { at, zones }] of said.slice(1).entries())
      if (JSON.stringify(zones) === JSON.stringify(said[index]?.zones))
        expect(at - (said[index]?.at ?? 0)).toBe(minuteMs);
    walkThrough(made.sensor, { in: 9, out: 0 });
    const [after] = await go(made, 1000);
    expect(after).toMatchObject({ t: "occ", at: made.clock.now() });
    const { sections } = await preview<Seen>("occupancy");
    expect(after?.zones).toEqual(sections.map(({ id, persons }) => ({ id, n: persons })));
    expect(after?.pos).toBeUndefined();
  });

  test("leave out what a covered camera would have to see, and say nothing of a coach that is not seen at all", async () => {
    const made = await reachable({ type: "ZOD" });
    toCovered(made, true);
    const covered = (await go(made, minuteMs)).at(-1);
    expect(covered?.zones).toHaveLength(2);
    toCovered(made, false);
    expect((await go(made, minuteMs)).at(-1)?.zones.map(({ id }) => id)).toEqual(["s1", "s2", "s3"]);
    const blind = await reachable({ type: "ZOD", faults: [coveredLens({ from: 0, to: Infinity })] });
    expect((await go(blind, minuteMs)).at(-1)?.zones).toEqual([]);
  });

  test("bring the position as often as it is to be recorded, and none where there is no fix", async () => {
    const made = await reachable({ type: "ZOD" });
    const { change } = methodsOf(made);
    await change("gps", { intervalS: 5, minMoveM: 0 });
    const { seed } = made.sensor.profile;
    const lap = await go(made, 30 * minuteMs);
    const placed = lap.filter(({ pos }) => pos !== undefined);
    // A look each second: of 360 fixes a lap the ones in the tunnel are missing.
    expect(placed.length).toBeGreaterThan(300);
    for (const { at, pos } of placed) {
      const is = positionAt(seed, at);
      expect(is.isInTunnel).toBe(false);
      expect(pos?.lat).toBeCloseTo(is.lat, 5);
      expect(pos?.lng).toBeCloseTo(is.lng, 5);
      expect(pos?.speed).toBeCloseTo(is.speedMps, 0);
      expect(Math.abs((pos?.heading ?? 0) - is.headingDeg) % 359).toBeLessThanOrEqual(1);
    }
    expect(lap.some(({ at, pos }) => positionAt(seed, at).isInTunnel && pos === undefined)).toBe(true);
    await change("gps", { enabled: false });
    for (const { pos } of await go(made, 5 * minuteMs)) expect(pos).toBeUndefined();
  });

  test("begin again with a new connection, and are said by no other type", async () => {
    const made = await reachable({ type: "ZOD" });
    await go(made, minuteMs);
    goOffline(made.sensor);
    made.clock.pass(3000);
    const before = levelsIn(made).length;
    goOnline(made.sensor);
    await until("it is back", () => made.sensor.phase === "up");
    expect(await go(made, 1000)).toHaveLength(1);
    expect(levelsIn(made)).toHaveLength(before + 1);
    const ceiling = await reachable({ type: "PS.C1" });
    expect(await go(ceiling, 2 * minuteMs)).toEqual([]);
  });
});
