// Many sensors in one process, switched on one after the other so that the server is not run over.
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import { dealFaults, worldOf, type FaultPlan } from "../faults/scripts.ts";
import { siteKinds, type SiteKind } from "../counting/site.ts";
import { pendingCount } from "../records/buffer.ts";
import type { Cancel } from "../clock.ts";
import { fleetMac, profileOf, typeAt, type TypeMix } from "../device/identity.ts";
import type { Broker } from "../link/link.ts";
import { createSensor, stopSensor } from "../sensor/sensor.ts";
import type { Cfg, Surroundings } from "../device/sensor-state.ts";
import type { StateStore } from "./surroundings.ts";

const keepRoundS = 900;

/** One sensor of a fleet before it is made. */
export type Member = {
  id: string;
  type: SensorType;
  password?: string | undefined;
  fw?: string | undefined;
  /** Password of its REST interface. */
  rest?: string | undefined;
  zone?: string | undefined;
  kind?: SiteKind | undefined;
  faults?: FaultPlan[] | undefined;
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
  /** Password of the REST interface of every APS; null: none has one. */
  rest: string | null;
  historyMs: number;
  /** Count interval until the server asks for another. */
  intervalS: Cfg["countIntervalS"];
  /** Sensors switched on per second. */
  rate: number;
  store: StateStore;
};

/** Members of a fleet that comes out the same for the same seed. */
export function generatedMembers(count: number, seed: string, types: TypeMix): Member[] {
  return Array.from({ length: count }, (_, index) => ({
    id: fleetMac(seed, index),
    type: typeAt(types, index),
    kind: siteKinds[index % siteKinds.length],
  }));
}

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet(setup: FleetSetup, around: Surroundings) {
  const { members, seed, url, token, broker, fwKey, historyMs, store } = setup;
  const startedAt = around.clock.now();
  const dealt = dealFaults(setup.faults, members.length);
  const made = members.map((member, index) => {
    const zone = member.zone ?? setup.zone;
    const plans = [...(member.faults ?? []), ...(dealt.get(index) ?? [])];
    const { sensor, start } = createSensor(
      {
        id: member.id,
        type: member.type,
        seed,
        profile: profileOf(member.id, member.type, seed, { kind: member.kind, zone }),
        world: worldOf(plans, zone, startedAt),
        url,
        token,
        broker,
        password: member.password ?? null,
        fwKey,
        fw: member.fw,
        rest: member.type === "APS" ? (member.rest ?? setup.rest) : null,
        historyMs,
        saved: store.load(member.id),
      },
      around,
    );
    if (sensor.rev < 0) sensor.cfg = { ...sensor.cfg, countIntervalS: setup.intervalS };
    return { sensor, start };
  });
  const sensors = made.map(({ sensor }) => sensor);
  let started = 0;
  let cancel: Cancel | null = null;
  let cancelKeep: Cancel | null = null;
  let stopped = false;
  let keptTo = 0;

  /** Keeps the state of a few sensors every second, so that each is kept every quarter of an hour. */
  function keepSome(): void {
    const many = Math.ceil(started / keepRoundS);
    for (let kept = 0; kept < many; kept++) {
      const sensor = sensors[keptTo++ % Math.max(1, started)];
      if (sensor) around.keep(sensor);
    }
    cancelKeep = around.net.at(around.net.now() + 1000, keepSome);
  }

  function startNext(onRefused: (error: Error) => boolean): void {
    const { net } = around;
    const tickMs = Math.max(20, 1000 / setup.rate);
    for (const { sensor, start } of made.slice(
      started,
      started + Math.max(1, Math.round((setup.rate * tickMs) / 1000)),
    )) {
      // Only the first may end the run: afterwards a refusal is the sensor's own trouble.
      if (started === 0) sensor.onRefused = onRefused;
      sensor.onUp = () => void (sensor.onRefused = null);
      started++;
      start();
    }
    if (started < made.length && !stopped) cancel = net.at(net.now() + tickMs, () => startNext(onRefused));
  }

  return {
    sensors,
    /** `onRefused` receives the reason why the first sensor could not enroll; true gives up. */
    start(onRefused: (error: Error) => boolean) {
      startNext(onRefused);
      keepSome();
    },
    numbers: () => ({
      sensors: sensors.length,
      started,
      online: sensors.filter(({ phase }) => phase === "up").length,
      sent: sensors.reduce((sum, { outbox }) => sum + outbox.sentRecords, 0),
      resentBatches: sensors.reduce((sum, { outbox }) => sum + outbox.resentBatches, 0),
      waiting: sensors.reduce((sum, { outbox }) => sum + pendingCount(outbox.buffer), 0),
    }),
    async stop(): Promise<void> {
      stopped = true;
      cancel?.();
      cancelKeep?.();
      await Promise.all(sensors.slice(0, started).map(stopSensor));
    },
  };
}
