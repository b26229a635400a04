// Runs many sensors in one process, with shared clocks, ground truth, state store and download limit. Starts them one
// after another to avoid load peaks.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { assignFaults, buildFaults, type FaultPlan } from "../faults/scripts.ts";
import { type CoachPlace, siteKinds, type SiteKind } from "../counting/tally.ts";
import { countPending } from "../records/buffer.ts";
import type { Cancel } from "../clock.ts";
import { fleetMac, profileOf, typeAt, type TypeMix } from "../device/identity.ts";
import type { Broker } from "../link/link.ts";
import { createSensor, stopSensor } from "../sensor/sensor.ts";
import { saveState, type SavedSensor } from "../device/saved-sensor.ts";
import type { DesiredConfig, Environment, Sensor } from "../device/sensor-state.ts";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wireId } from "@psp/contract/kit/ids.ts";

const persistRoundS = 900;

export type Member = {
  id: string;
  type: SensorType;
  password?: string | undefined;
  fw?: string | undefined;
  rest?: string | undefined;
  zone?: string | undefined;
  country?: string | undefined;
  kind?: SiteKind | undefined;
  faults?: FaultPlan[] | undefined;
  coach?: CoachPlace | undefined;
  /** End of this sensor's history (ms UTC), if earlier than that of the other sensors. */
  until?: number | undefined;
};

export type FleetSetup = {
  members: Member[];
  seed: string;
  zone: string;
  faults: FaultPlan[];
  url: string | null;
  token: string | null;
  broker: Broker | null;
  fwKey: string | null;
  /** REST password of every APS; null if none has the interface. */
  rest: string | null;
  /** If false, no ZOD or PS.C1 opens a tunnel on its own. */
  psconnect: boolean;
  historyMs: number;
  intervalS: DesiredConfig["countIntervalS"];
  rate: number;
  store: StateStore;
};

export function generateMembers(count: number, seed: string, types: TypeMix): Member[] {
  return Array.from({ length: count }, (_, index) => ({
    id: fleetMac(seed, index),
    type: typeAt(types, index),
    kind: siteKinds[index % siteKinds.length],
  }));
}

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet(setup: FleetSetup, env: Environment) {
  const { members, seed, url, token, broker, fwKey, historyMs, store } = setup;
  const startedAt = env.clock.now();
  const dealt = assignFaults(setup.faults, members.length);
  const made = members.map((member, index) => {
    const zone = member.zone ?? setup.zone;
    const plans = [...(member.faults ?? []), ...(dealt.get(index) ?? [])];
    const { sensor, start } = createSensor(
      {
        id: member.id,
        type: member.type,
        seed,
        profile: profileOf(member.id, member.type, seed, {
          kind: member.kind,
          zone,
          country: member.country,
          coach: member.coach,
        }),
        world: buildFaults(plans, zone, startedAt),
        url,
        token,
        broker,
        password: member.password ?? null,
        fwKey,
        fw: member.fw,
        rest: member.type === "APS" ? (member.rest ?? setup.rest) : null,
        psconnect: member.type === "APS" || setup.psconnect,
        historyMs,
        saved: store.load(member.id),
      },
      env,
    );
    if (sensor.rev < 0) sensor.cfg = { ...sensor.cfg, countIntervalS: setup.intervalS };
    return { sensor, start };
  });
  const sensors = made.map(({ sensor }) => sensor);
  let started = 0;
  let cancel: Cancel | null = null;
  let cancelPersist: Cancel | null = null;
  let stopped = false;
  let persistedTo = 0;

  /** Persists some sensors every second, so that each is persisted every 15 minutes. */
  function persistSome(): void {
    const many = Math.ceil(started / persistRoundS);
    for (let kept = 0; kept < many; kept++) {
      const sensor = sensors[persistedTo++ % Math.max(1, started)];
      if (sensor) env.persist(sensor);
    }
    cancelPersist = env.net.at(env.net.now() + 1000, persistSome);
  }

  function startNext(onRefused: (error: Error) => boolean): void {
    const { net } = env;
    const tickMs = Math.max(20, 1000 / setup.rate);
    for (const { sensor, start } of made.slice(
      started,
      started + Math.max(1, Math.round((setup.rate * tickMs) / 1000)),
    )) {
      // Only the first sensor's failure may end the run.
      if (started === 0) sensor.onRefused = onRefused;
      sensor.onUp = () => void (sensor.onRefused = null);
      started++;
      start();
    }
    if (started < made.length && !stopped) cancel = net.at(net.now() + tickMs, () => startNext(onRefused));
  }

  return {
    sensors,
    /** `onRefused` gets the reason if the first sensor can't enroll; returning true gives up. */
    start(onRefused: (error: Error) => boolean) {
      startNext(onRefused);
      persistSome();
    },
    numbers: () => ({
      sensors: sensors.length,
      started,
      online: sensors.filter(({ phase }) => phase === "up").length,
      sent: sensors.reduce((sum, { outbox }) => sum + outbox.sentRecords, 0),
      resentBatches: sensors.reduce((sum, { outbox }) => sum + outbox.resentBatches, 0),
      waiting: sensors.reduce((sum, { outbox }) => sum + countPending(outbox.buffer), 0),
    }),
    async stop(): Promise<void> {
      stopped = true;
      cancel?.();
      cancelPersist?.();
      await Promise.all(sensors.slice(0, started).map(stopSensor));
    },
  };
}

const downloadsAtOnce = 32;

function createSemaphore(max: number): Environment["download"] {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}

export type StateStore = { load(id: string): SavedSensor | undefined; save(sensor: Sensor): void };

export function noStore(): StateStore {
  return { load: () => undefined, save: () => undefined };
}

/** One JSON file per sensor, replaced atomically. */
export function createFileStore(directory: string): StateStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pathOf = (id: string): string => join(directory, `${wireId(id)}.json`);
  return {
    load(id) {
      if (!existsSync(pathOf(id))) return undefined;
      try {
        const saved: SavedSensor = JSON.parse(readFileSync(pathOf(id), "utf8"));
        return saved.id === id ? saved : undefined;
      } catch {
        throw new Error(`${pathOf(id)} is damaged. Remove it to let the sensor start as new.`);
      }
    },
    save(sensor) {
      writeFileSync(`${pathOf(sensor.id)}.new`, JSON.stringify(saveState(sensor)), { mode: 0o600 });
      renameSync(`${pathOf(sensor.id)}.new`, pathOf(sensor.id));
    },
  };
}

/** Appends one JSON line per installation, flushed before the sensor boots. */
export function createInstallLog(path: string, now: () => number): Environment["installed"] {
  return (sensor, job, version) => appendFileSync(path, `${JSON.stringify({ sensor, job, version, at: now() })}\n`);
}

type Parts = Pick<Environment, "clock" | "net" | "truth" | "log"> &
  Partial<Pick<Environment, "installed" | "hurry" | "vpn">> & { store: Pick<StateStore, "save"> };

export function createEnvironment({ store, ...parts }: Parts): Environment {
  return {
    installed: () => undefined,
    hurry: 1,
    vpn: null,
    ...parts,
    persist: store.save,
    download: createSemaphore(downloadsAtOnce),
  };
}
