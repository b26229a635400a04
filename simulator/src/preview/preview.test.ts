// Tests previews through a real tunnel, at chosen simulated times.
import { describe, expect, test } from "vitest";
import { positionAt } from "../counting/route.ts";
import { computeTally } from "../counting/tally.ts";
import { coveredLens, darkNight, tooBright } from "../faults/faults.ts";
import { triggerPassages } from "../sensor/meter.ts";
import { decodeJpeg } from "../testing/decode-jpeg.ts";
import { morning, type TestSensor } from "../testing/test-sensor.ts";
import { methodsOf, openReachableSensor } from "../testing/tunnel.ts";

type Shot = { id: string; name: string; state: string; width: number; height: number; jpeg: string };
type Pictures = { at: number; cameras: Shot[] };
type Counted = { id: string; name: string; persons: number | null; capacity: number };
type Occupancy = {
  at: number;
  coach: { persons: number; capacity: number };
  levels: Counted[];
  sections: (Counted & { levelId: string; state: string })[];
  cameras: { id: string; name: string; persons: number | null; state: string }[];
};
type Fix = {
  at: number;
  fix: string;
  lat: number | null;
  lng: number | null;
  speedMps: number | null;
  headingDeg: number | null;
  satellites: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const doubleDeck = "02:00:00:00:00:08";

/** Advances into the five minutes in which one camera is covered, or past them. */
function toCovered({ clock, sensor }: TestSensor, isCovered: boolean): void {
  const from = (sensor.profile.seed % 12) * 5 * minuteMs;
  const next = Math.ceil(clock.now() / hourMs) * hourMs + from;
  clock.passTo(isCovered ? next + minuteMs : next + 6 * minuteMs);
}

const sum = (parts: readonly { persons: number | null }[]): number =>
  parts.reduce((all, { persons }) => all + (persons ?? 0), 0);

async function lightOf({ jpeg }: Shot): Promise<number> {
  const { data } = await decodeJpeg(Buffer.from(jpeg, "base64"));
  const colors = data.filter((_, at) => at % 4 !== 3);
  return colors.reduce((all, value) => all + value, 0) / colors.length;
}

describe("cameras", () => {
  test.each(["ZOD", "PS.C1"] as const)(
    "%s: pictures within bounds, the same at the same time, others later",
    async (type) => {
      const made = await openReachableSensor({ type });
      toCovered(made, false);
      const { preview } = methodsOf(made);
      const first = await preview<Pictures>("cameras");
      expect(first.at).toBe(made.clock.now());
      expect(first.cameras).toHaveLength(type === "ZOD" ? 3 : 1);
      for (const shot of first.cameras) {
        const file = Buffer.from(shot.jpeg, "base64");
        const { width, height } = await decodeJpeg(file);
        expect([width, height]).toEqual([shot.width, shot.height]);
        expect(Math.max(width, height)).toBeLessThanOrEqual(640);
        expect(file.length).toBeLessThanOrEqual(60 * 1024);
        expect(shot.state).toBe("ok");
      }
      expect(await preview<Pictures>("cameras")).toEqual(first);
      triggerPassages(made.sensor, { in: 20, out: 0 });
      made.clock.pass(2000);
      const later = await preview<Pictures>("cameras");
      expect(later.cameras[0]?.jpeg).not.toBe(first.cameras[0]?.jpeg);
    },
  );

  test("one camera alone may be asked for, and only those that are there", async () => {
    const { ask, preview } = methodsOf(await openReachableSensor({ type: "ZOD" }));
    const all = await preview<Pictures>("cameras");
    expect((await preview<Pictures>("cameras", "c2")).cameras).toEqual(all.cameras.slice(1, 2));
    for (const params of [
      { kind: "cameras", camera: "c9" },
      { kind: "occupancy", camera: "c1" },
      { kind: "sound" },
      { kind: "constructor" },
    ])
      expect((await ask("preview.get", params)).error, JSON.stringify(params)).toMatchObject({
        code: -32602,
        data: { fields: [{}] },
      });
    const ceiling = methodsOf(await openReachableSensor({ type: "PS.C1" }));
    for (const kind of ["occupancy", "gps"])
      expect((await ceiling.ask("preview.get", { kind })).error?.code).toBe(-32602);
  });

  test("people have faces only where blurring was switched off", async () => {
    const made = await openReachableSensor({ type: "PS.C1", at: morning });
    const { change, preview } = methodsOf(made);
    /** Counts nearly black pixels: only eyes and mouths are black. */
    const ink = async (): Promise<number> => {
      const [shot] = (await preview<Pictures>("cameras")).cameras;
      const { data } = await decodeJpeg(Buffer.from(shot?.jpeg ?? "", "base64"));
      let found = 0;
      for (let at = 0; at < data.length; at += 4) if (Math.max(...data.subarray(at, at + 3)) < 45) found++;
      return found;
    };
    const { sensor, clock } = made;
    const busy = () =>
      computeTally(sensor.profile, sensor.world, clock.now() - minuteMs, clock.now()).lines.some(
        (line) => line.in + line.out > 0,
      );
    for (let tries = 0; tries < 500 && !busy(); tries++) clock.pass(10_000);
    expect(busy()).toBe(true);
    expect(await ink()).toBe(0);
    await change("camera", { blurPreviews: false });
    expect(await ink()).toBeGreaterThan(10);
  });

  test("a picture is turned as the camera is", async () => {
    const made = await openReachableSensor({ type: "PS.C1" });
    const { change, preview } = methodsOf(made);
    /** The side of the dark wall, which is at the top of a picture that is not rotated. */
    const wall = async (rotation: number): Promise<string> => {
      await change("camera", { rotation });
      const [shot] = (await preview<Pictures>("cameras")).cameras;
      const { width, height, data } = await decodeJpeg(Buffer.from(shot?.jpeg ?? "", "base64"));
      const at = (x: number, y: number): number => data[(y * width + x) * 4] ?? 0;
      const [midX, midY] = [width >> 1, height >> 1];
      const edges = { top: at(midX, 4), right: at(width - 5, midY), bottom: at(midX, height - 5), left: at(4, midY) };
      const [darkest] = Object.entries(edges).toSorted(([, a], [, b]) => a - b);
      return `${width} × ${height} ${darkest?.[0]}`;
    };
    expect([await wall(0), await wall(90), await wall(180), await wall(270)]).toEqual([
      "640 × 480 top",
      "480 × 640 right",
      "640 × 480 bottom",
      "480 × 640 left",
    ]);
  });

  test("what is before the lens is said and seen", async () => {
    const always = { from: 0, to: Infinity };
    const shown = async (setup: Parameters<typeof openReachableSensor>[0]): Promise<[string, number]> => {
      const [shot] = (
        await methodsOf(await openReachableSensor({ type: "PS.C1", ...setup })).preview<Pictures>("cameras")
      ).cameras;
      return [shot?.state ?? "", shot ? await lightOf(shot) : -1];
    };
    const zone = "Europe/Berlin";
    const [clear, covered, dark, bright] = [
      await shown({}),
      await shown({ faults: [coveredLens(always)] }),
      await shown({ faults: [darkNight(always, zone)], at: morning - 8 * hourMs }),
      await shown({ faults: [tooBright(always, zone)], at: morning + 7.5 * hourMs }),
    ];
    expect([clear[0], covered[0], dark[0], bright[0]]).toEqual(["ok", "covered", "dark", "bright"]);
    expect(clear[1]).toBeGreaterThan(100);
    expect(Math.max(covered[1], dark[1])).toBeLessThan(40);
    expect(bright[1]).toBeGreaterThan(230);
  });

  test("of eight large answers none is lost", { tags: "prove" }, async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { preview } = methodsOf(made);
    const all = await Promise.all(Array.from({ length: 8 }, () => preview<Pictures>("cameras")));
    for (const one of all) expect(one).toEqual(all[0]);
  });
});

describe("occupancy", () => {
  test("is the ground truth, spread over sections of which levels and the coach are the sums", async () => {
    const made = await openReachableSensor({ type: "ZOD", id: doubleDeck });
    const { preview } = methodsOf(made);
    let most = 0;
    for (let time = 0; time < 8; time++) {
      toCovered(made, false);
      const { coach, levels, sections, cameras, at } = await preview<Occupancy>("occupancy");
      expect(at).toBe(made.clock.now());
      const { zone } = computeTally({ ...made.sensor.profile, zone1: true }, made.sensor.world, at - 1000, at);
      expect(coach).toEqual({ persons: zone?.last, capacity: 4 * 30 });
      expect(sum(sections)).toBe(coach.persons);
      expect(sum(levels)).toBe(coach.persons);
      expect(sum(cameras)).toBe(coach.persons);
      for (const { id, persons, capacity } of levels) {
        const own = sections.filter(({ levelId }) => levelId === id);
        expect([persons, capacity]).toEqual([sum(own), own.reduce((places, one) => places + one.capacity, 0)]);
      }
      most = Math.max(most, coach.persons);
    }
    expect(most).toBeGreaterThan(3);
  });

  test("people who are sent in by hand are in it, and the same moment gives the same answer", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { preview } = methodsOf(made);
    toCovered(made, false);
    const before = await preview<Occupancy>("occupancy");
    triggerPassages(made.sensor, { in: 7, out: 0 });
    const after = await preview<Occupancy>("occupancy");
    expect(after.coach.persons).toBe(before.coach.persons + 7);
    expect(await preview<Occupancy>("occupancy")).toEqual(after);
  });

  test("one camera is covered for five minutes of every hour: its sections are unknown, not empty", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { preview } = methodsOf(made);
    const names = new Set<string>();
    for (let hour = 0; hour < 6; hour++) {
      toCovered(made, true);
      triggerPassages(made.sensor, { in: 3, out: 0 });
      const { coach, sections, cameras } = await preview<Occupancy>("occupancy");
      const covered = cameras.filter(({ state }) => state === "covered");
      expect(covered).toMatchObject([{ persons: null }]);
      const unknown = sections.filter(({ state }) => state === "unknown");
      expect(unknown).toMatchObject([{ persons: null }]);
      expect(sections.filter(({ state }) => state === "ok")).toHaveLength(2);
      expect(coach.persons).toBe(sum(sections));
      names.add(covered[0]?.name ?? "");
      const pictures = await preview<Pictures>("cameras", covered[0]?.id);
      expect(pictures.cameras[0]?.state).toBe("covered");
    }
    expect(names.size).toBeGreaterThan(1);
    toCovered(made, false);
    expect((await preview<Occupancy>("occupancy")).sections.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
  });

  test("follows the group and the cameras that were set", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { change, get, preview } = methodsOf(made);
    const { cameras } = (await get("camera")).values as { cameras: { id: string; sectionId: string | null }[] };
    await change("camera", {
      cameras: cameras.map((one) => (one.id === "c3" ? { ...one, enabled: false, sectionId: null } : one)),
    });
    await change("group", {
      levels: [{ id: "l1", name: "Main" }],
      sections: [
        { id: "s1", name: "Nose", levelId: "l1", seats: 40, standing: 0 },
        { id: "s2", name: "Middle", levelId: "l1", seats: 1, standing: 5 },
        { id: "s9", name: "Unwatched", levelId: "l1", seats: 4, standing: 0 },
      ],
    });
    toCovered(made, false);
    const shown = await preview<Occupancy>("occupancy");
    expect(shown.coach.capacity).toBe(50);
    expect(shown.sections.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "Nose ok",
      "Middle ok",
      "Unwatched unknown",
    ]);
    expect(shown.cameras.map(({ state }) => state)).toEqual(["ok", "ok", "off"]);
    expect(shown.cameras[2]?.persons).toBeNull();
  });
});

describe("GPS", () => {
  test("drives along a road, stops, and loses its position in a tunnel", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { preview } = methodsOf(made);
    const { seed } = made.sensor.profile;
    let [stood, drove, lost] = [0, 0, 0];
    for (let step = 0; step < 120; step++) {
      made.clock.pass(15_000);
      const shown = await preview<Fix>("gps");
      const truth = positionAt(seed, made.clock.now());
      if (shown.fix === "none") {
        expect(truth.isInTunnel).toBe(true);
        expect(shown).toMatchObject({ lat: null, lng: null, speedMps: null, satellites: 0 });
        lost++;
        continue;
      }
      expect(Math.abs((shown.lat ?? 0) - truth.lat)).toBeLessThan(1e-5);
      expect(Math.abs((shown.lng ?? 0) - truth.lng)).toBeLessThan(1e-5);
      expect(shown.headingDeg).toBeGreaterThanOrEqual(0);
      expect(shown.headingDeg).toBeLessThan(360);
      if (shown.speedMps === 0) stood++;
      else drove++;
    }
    expect(Math.min(stood, lost)).toBeGreaterThan(2);
    expect(drove).toBeGreaterThan(50);
  });

  test("moves no faster than a bus, without jumps, and is back after half an hour", () => {
    for (const seed of [1, 77, 4_000_000_000]) {
      for (let at = 0; at < 30 * minuteMs; at += 1000) {
        const [here, next] = [positionAt(seed, morning + at), positionAt(seed, morning + at + 1000)];
        const meters =
          Math.hypot(next.lat - here.lat, (next.lng - here.lng) * Math.cos((here.lat * Math.PI) / 180)) * 111_320;
        expect(meters).toBeLessThan(60);
        expect(Math.abs(meters - here.speedMps)).toBeLessThan(0.5);
      }
      expect(positionAt(seed, morning + 30 * minuteMs)).toEqual(positionAt(seed, morning));
    }
  });

  test("says nothing of where it is when it may not record it", async () => {
    const { change, preview } = methodsOf(await openReachableSensor({ type: "ZOD" }));
    await change("gps", { enabled: false });
    expect(await preview<Fix>("gps")).toMatchObject({ fix: "none", lat: null });
  });
});
