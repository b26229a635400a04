// Builds record bodies (docs/device-protocol.md#5-records); the buffer assigns their numbers.
import type { DeviceRecord } from "@psp/contract/device/device-messages.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { positionAt } from "../counting/route.ts";
import type { Profile, Tally } from "../counting/tally.ts";
import type { Osd } from "../faults/world.ts";
import { seededRandom, mixSeeds } from "../random.ts";

type WithoutNumber<R> = R extends unknown ? Omit<R, "q"> : never;
export type RecordBody = WithoutNumber<DeviceRecord>;
export type ClockQuality = "ok" | "est" | "bad";

/** Records of one interval: counts for all types, occupancy and dwell for PS.C1, position for ZOD. */
export function createIntervalRecords(
  type: SensorType,
  profile: Profile,
  tally: Tally,
  { osd, upS, ck = "ok", shiftMs = 0 }: { osd: Osd; upS: number; ck?: ClockQuality; shiftMs?: number },
): RecordBody[] {
  const [s, e] = [tally.s - shiftMs, tally.e - shiftMs];
  const lines = tally.lines.map((line, index) => ({
    id: line.id,
    name: profile.lines[index]?.name ?? line.id,
    in: line.seenIn,
    out: line.seenOut,
    ...(profile.classes ? { cls: { adult: line.adult, child: line.child } } : {}),
  }));
  const records: RecordBody[] = [{ t: "count", s, e, ck, osd, lines, upS }];
  if (tally.zone) {
    const { min, max, avg, last, left, stayS, maxS } = tally.zone;
    records.push({ t: "occ", s, e, ck, zones: [{ id: "z1", name: "Room", min, max, avg, last }] });
    records.push({
      t: "dwell",
      s,
      e,
      ck,
      zones: [{ id: "z1", n: left, avgS: left ? Math.round((stayS / left) * 10) / 10 : 0, maxS: Math.round(maxS) }],
    });
  }
  if (type === "ZOD") records.push(positionRecord(profile, s, e, ck));
  return records;
}

export function recordsPerInterval(type: SensorType, profile: Profile): number {
  return 1 + (profile.zone1 ? 2 : 0) + (type === "ZOD" ? 1 : 0);
}

/** Position of a ZOD at the start of the interval; in tunnels, by dead reckoning. */
function positionRecord(profile: Profile, s: number, e: number, ck: ClockQuality): RecordBody {
  const { lat, lng, speedMps } = positionAt(profile.seed, s);
  const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
  return { t: "position", s, e, ck, lat: rounded(lat), lng: rounded(lng), speed: Math.round(speedMps * 10) / 10 };
}

export type HealthFacts = {
  upS: number;
  mqttS: number;
  reboots: Partial<Record<"power" | "user" | "fw" | "watchdog" | "crash" | "unknown", number>>;
  osd: Record<string, number>;
  ck?: ClockQuality;
  clockOffMs?: number;
};

/** One health slice with slightly varying temperature and load. */
export function createHealthRecord(seed: number, s: number, e: number, facts: HealthFacts): RecordBody {
  const draw = seededRandom(mixSeeds(seed, Math.floor(s / 900_000)));
  // Watchdog restarts have their own field and must not be counted twice.
  const { watchdog = 0, ...reboots } = facts.reboots;
  const warm = 38 + 6 * Math.sin(((s % 86_400_000) / 86_400_000) * 2 * Math.PI - 2);
  return {
    t: "health",
    s,
    e,
    ck: facts.ck ?? "ok",
    upS: facts.upS,
    mqttS: Math.min(facts.mqttS, facts.upS),
    reboots,
    wd: watchdog,
    osd: facts.osd,
    tempC: Math.round((warm + draw() * 3) * 10) / 10,
    cpu: Math.round((0.2 + draw() * 0.25) * 100) / 100,
    memFree: Math.round((0.35 + draw() * 0.15) * 100) / 100,
    disk: 0.6,
    clockOffMs: facts.clockOffMs ?? Math.round(draw() * 30 - 15),
  };
}

export function createEventRecord(
  at: number,
  kind: string,
  rest: { from?: unknown; to?: unknown; detail?: Record<string, unknown>; ck?: ClockQuality } = {},
): RecordBody {
  const { ck = "ok", ...facts } = rest;
  return { t: "event", s: at, e: at, at, ck, kind, ...facts };
}
