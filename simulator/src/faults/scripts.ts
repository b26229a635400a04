// The faults by name, and how `--faults` gives them to sensors.
import { localMoment } from "../local-time.ts";
import { worldWith, type Fault, type Window, type World } from "./world.ts";
import { dstNight, frozenClock, lostClock } from "./clock.ts";
import { drift, zeroDay } from "./miscount.ts";
import { coveredLens, darkNight, tooBright } from "./obstruction.ts";
import { rebootStorm, watchdogLoop } from "./reboot.ts";
import { duplicateBatches, lostAck, noResponse, outage, silent } from "./silence.ts";
import { damagedDownload, failsSelfTest, foreignKey, losesPower, mutedByUpdate, staysStuck } from "./update.ts";

const dayMin = 24 * 60;
const always = 3650 * dayMin;

type Script = {
  /** One line for `--help`. */
  says: string;
  /** Minutes from the start of the run, and length in minutes, when `--faults` names none. */
  startMin: number;
  lengthMin: number;
  build: (window: Window, zone: string, startedAt: number) => Fault;
};

export const scripts = {
  "zero-day": {
    says: "counts nobody for three local days up to tomorrow",
    startMin: -dayMin,
    lengthMin: 3 * dayMin,
    build: (window, zone) => zeroDay(wholeDays(window, zone)),
  },
  "in-drift": {
    says: "misses more of the people coming in every day",
    startMin: -10 * dayMin,
    lengthMin: always,
    build: (window, zone) => drift(window, "in", zone),
  },
  "out-drift": {
    says: "misses more of the people going out every day",
    startMin: -10 * dayMin,
    lengthMin: always,
    build: (window, zone) => drift(window, "out", zone),
  },
  "covered-lens": { says: "lens covered for 30 minutes", startMin: 0, lengthMin: 30, build: coveredLens },
  "dark-night": {
    says: "no light from 22 to 5 o'clock local time",
    startMin: -always,
    lengthMin: 2 * always,
    build: darkNight,
  },
  "too-bright": {
    says: "low sun from 17 to 18 o'clock local time",
    startMin: -always,
    lengthMin: 2 * always,
    build: tooBright,
  },
  "reboot-storm": {
    says: "loses power every 10 minutes for two days",
    startMin: -dayMin,
    lengthMin: 2 * dayMin,
    build: rebootStorm,
  },
  "watchdog-loop": {
    says: "watchdog restart every 20 minutes for two days",
    startMin: -dayMin,
    lengthMin: 2 * dayMin,
    build: watchdogLoop,
  },
  "frozen-clock": { says: "device clock stands still for two hours", startMin: 5, lengthMin: 120, build: frozenClock },
  "lost-clock": { says: "device clock starts in 1970 for an hour", startMin: 5, lengthMin: 60, build: lostClock },
  "dst-night": {
    says: "back-fills the three days around the last change of the clocks",
    startMin: 0,
    lengthMin: 1,
    build: (_window, zone, startedAt) => dstNight(startedAt, zone),
  },
  outage: { says: "no network for three days, then back-fill", startMin: 5, lengthMin: 3 * dayMin, build: outage },
  silent: { says: "power off for three days", startMin: 5, lengthMin: 3 * dayMin, build: silent },
  "no-response": {
    says: "connected, but never answers remote functions",
    startMin: -always,
    lengthMin: 2 * always,
    build: noResponse,
  },
  "duplicate-batches": {
    says: "sends every batch twice",
    startMin: -always,
    lengthMin: 2 * always,
    build: duplicateBatches,
  },
  "lost-ack": { says: "hears no acknowledgement for 30 minutes", startMin: 0, lengthMin: 30, build: lostAck },
  "update-selftest": {
    says: "a new firmware fails its self-test and is rolled back",
    startMin: 0,
    lengthMin: 1,
    build: failsSelfTest,
  },
  "update-sig": {
    says: "refuses every firmware, for it trusts another key",
    startMin: 0,
    lengthMin: 1,
    build: foreignKey,
  },
  "update-power": {
    says: "loses power while it downloads and again while it installs, and goes on",
    startMin: 0,
    lengthMin: 1,
    build: losesPower,
  },
  "update-stuck": { says: "installs for ever", startMin: 0, lengthMin: 1, build: staysStuck },
  "update-hash": { says: "the firmware download arrives damaged", startMin: 0, lengthMin: 1, build: damagedDownload },
  "update-mute": {
    says: "a new firmware never reaches the cloud and is rolled back",
    startMin: 0,
    lengthMin: 1,
    build: mutedByUpdate,
  },
} as const satisfies Record<string, Script>;
type ScriptName = keyof typeof scripts;

function isScript(name: string): name is ScriptName {
  return Object.hasOwn(scripts, name);
}

/** The window opened to whole local days, so that a day is wrong altogether or not at all. */
function wholeDays(window: Window, zone: string): Window {
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
 * Reads `name[:sensors][@start[+length]]` (minutes from the start of the run), separated by commas.
 * Throws a sentence for people when a name is unknown or the form is wrong.
 */
export function parseFaults(text: string): FaultPlan[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [, name = "", sensors, start, length] = planPattern.exec(part.trim()) ?? [];
      if (!name) throw new Error(`"${part}" is not of the form name[:sensors][@startMinute[+minutes]].`);
      if (!isScript(name))
        throw new Error(`There is no fault "${name}". Known faults: ${Object.keys(scripts).join(", ")}.`);
      const number = (value: string | undefined): number | null => (value === undefined ? null : Number(value));
      return { script: name, sensors: number(sensors), startMin: number(start), lengthMin: number(length) };
    });
}

/** Builds the world of one sensor out of the faults that it has. */
export function worldOf(plans: FaultPlan[], zone: string, startedAt: number): World {
  return worldWith(
    plans.map((plan) => {
      const script: Script = scripts[plan.script];
      const from = startedAt + (plan.startMin ?? script.startMin) * 60_000;
      return script.build({ from, to: from + (plan.lengthMin ?? script.lengthMin) * 60_000 }, zone, startedAt);
    }),
  );
}

/**
 * Deals faults to the sensors of a fleet, one fault per sensor as far as they reach: `plan.sensors` of them,
 * 2 % when not said, at least one. Returns the plans of each sensor by its index.
 */
export function dealFaults(plans: FaultPlan[], fleetSize: number): Map<number, FaultPlan[]> {
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
