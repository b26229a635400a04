// Named faults, and how `--faults` assigns them to sensors.
import { localMoment } from "../local-time.ts";
import * as faults from "./faults.ts";
import { combineFaults, type Fault, type TimeWindow, type SensorConditions } from "./world.ts";

const dayMin = 24 * 60;
const always = 3650 * dayMin;

type Build = (window: TimeWindow, zone: string, startedAt: number) => Fault;
type Script = {
  says: string;
  /** Default start and length in minutes, from the start of the run. */
  startMin: number;
  lengthMin: number;
  build: Build;
};

const script = (says: string, startMin: number, lengthMin: number, build: Build): Script => ({
  says,
  startMin,
  lengthMin,
  build,
});
/** A fault that lasts for the whole run, including history. */
const permanent = (says: string, build: Build) => script(says, -always, 2 * always, build);
/** A fault without a time window, which affects updates or history. */
const timeless = (says: string, build: Build) => script(says, 0, 1, build);

export const scripts = {
  "zero-day": script("counts no one for three local days up to tomorrow", -dayMin, 3 * dayMin, (window, zone) =>
    faults.zeroDay(wholeDays(window, zone)),
  ),
  "in-drift": script("misses more of the people coming in every day", -10 * dayMin, always, (window, zone) =>
    faults.drift(window, "in", zone),
  ),
  "out-drift": script("misses more of the people going out every day", -10 * dayMin, always, (window, zone) =>
    faults.drift(window, "out", zone),
  ),
  "covered-lens": script("lens covered for 30 minutes", 0, 30, faults.coveredLens),
  "dark-night": permanent("no light from 22 to 5 o'clock local time", faults.darkNight),
  "too-bright": permanent("low sun from 17 to 18 o'clock local time", faults.tooBright),
  "covered-for-days": script("lens covered for days", -4 * dayMin, 30 * dayMin, faults.coveredLens),
  "short-days": permanent("has power for half an hour in six only", (window, _zone, startedAt) =>
    faults.shortDays(window, startedAt),
  ),
  "reboot-storm": script("loses power every 10 minutes for two days", -dayMin, 2 * dayMin, faults.rebootStorm),
  "watchdog-loop": script("watchdog restart every 20 minutes for two days", -dayMin, 2 * dayMin, faults.watchdogLoop),
  "frozen-clock": script("device clock stands still for two hours", 5, 120, faults.frozenClock),
  "lost-clock": script("device clock starts in 1970 for an hour", 5, 60, faults.lostClock),
  "dst-night": timeless("back-fills the three days around the last change of the clocks", (_window, zone, startedAt) =>
    faults.dstNight(startedAt, zone),
  ),
  outage: script("no network for three days, then back-fill", 5, 3 * dayMin, faults.outage),
  silent: script("power off for three days", 5, 3 * dayMin, faults.powerFailure),
  "no-response": permanent("connected, but never answers remote functions", faults.noResponse),
  "duplicate-batches": permanent("sends every batch twice", faults.duplicateBatches),
  "lost-ack": script("receives no acknowledgement for 30 minutes", 0, 30, faults.lostAck),
  "update-selftest": timeless("a new firmware fails its self-test and is rolled back", faults.failedSelfTest),
  "update-sig": timeless("refuses every firmware, for it trusts another key", faults.foreignKey),
  "update-power": timeless(
    "loses power while it downloads and again while it installs, and goes on",
    faults.powerLossDuringUpdate,
  ),
  "update-stuck": timeless("installs for ever", faults.stuckInstallation),
  "update-hash": timeless("the firmware download arrives damaged", faults.damagedDownload),
  "update-mute": timeless("a new firmware never reaches the cloud and is rolled back", faults.noConnectionAfterUpdate),
} satisfies Record<string, Script>;
type ScriptName = keyof typeof scripts;

function isScript(name: string): name is ScriptName {
  return Object.hasOwn(scripts, name);
}

function wholeDays(window: TimeWindow, zone: string): TimeWindow {
  const startOfDay = (at: number): number => at - Math.round(localMoment(zone, at).minute * 60_000);
  return { from: startOfDay(window.from), to: startOfDay(window.to) };
}

export type FaultPlan = {
  script: ScriptName;
  sensors: number | null;
  startMin: number | null;
  lengthMin: number | null;
};

const planPattern = /^([a-z-]+)(?::(\d+))?(?:@(-?\d+)(?:\+(\d+))?)?$/;

/**
 * Parses comma-separated `name[:sensors][@start[+length]]`, in minutes from the start of the run. Throws with a
 * user-facing message.
 */
export function parseFaults(text: string): FaultPlan[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [, name = "", sensors, start, length] = planPattern.exec(part.trim()) ?? [];
      if (!name) throw new Error(`"${part}" is not of the form name[:sensors][@startMinute[+minutes]].`);
      if (!isScript(name))
        throw new Error(`Unknown fault "${name}". Known faults: ${Object.keys(scripts).join(", ")}.`);
      const number = (value: string | undefined): number | null => (value === undefined ? null : Number(value));
      return { script: name, sensors: number(sensors), startMin: number(start), lengthMin: number(length) };
    });
}

export function buildFaults(plans: FaultPlan[], zone: string, startedAt: number): SensorConditions {
  return combineFaults(
    plans.map((plan) => {
      const { startMin, lengthMin, build } = scripts[plan.script];
      const from = startedAt + (plan.startMin ?? startMin) * 60_000;
      return build({ from, to: from + (plan.lengthMin ?? lengthMin) * 60_000 }, zone, startedAt);
    }),
  );
}

/**
 * Assigns faults to `plan.sensors` sensors of a fleet (default 2 %, at least one), at most one fault per sensor if possible.
 * Returns the plans by sensor index.
 */
export function assignFaults(plans: FaultPlan[], fleetSize: number): Map<number, FaultPlan[]> {
  const dealt = new Map<number, FaultPlan[]>();
  let next = 0;
  for (const plan of plans) {
    const wanted = Math.min(fleetSize, plan.sensors ?? Math.max(1, Math.floor(fleetSize * 0.02)));
    for (let given = 0; given < wanted; given++) {
      const index = next++ % fleetSize;
      dealt.set(index, [...(dealt.get(index) ?? []), plan]);
    }
  }
  return dealt;
}
