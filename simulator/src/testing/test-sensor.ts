// Test setup for one sensor: cloud, virtual clock and ground truth.
import { onTestFinished } from "vitest";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { combineFaults, type Fault } from "../faults/world.ts";
import { profileOf } from "../device/identity.ts";
import { isIdle } from "../records/outbox.ts";
import { createSensor, stopSensor } from "../sensor/sensor.ts";
import { saveState, type SavedSensor } from "../device/saved-sensor.ts";
import type { Sensor, Setup, Environment } from "../device/sensor-state.ts";
import { createEnvironment } from "../fleet/fleet.ts";
import { createMemoryTruth } from "./truth.ts";
import { openCloud, type Cloud } from "./cloud.ts";
import { waitUntil, createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export const id = "02:00:00:00:00:42";
/** Wednesday, 12 March 2025, 10:00 in Berlin: shops are open. */
export const morning = Date.UTC(2025, 2, 12, 9);

export type TestSensor = {
  cloud: Cloud;
  clock: VirtualClock;
  sensor: Sensor;
  truth: ReturnType<typeof createMemoryTruth>;
  kept: () => SavedSensor | undefined;
  log: string[];
  installs: { sensor: string; job: string; version: string }[];
  start(): void;
  online(): Promise<void>;
  /** Advances in steps, waiting for responses after each. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Advances until `holds`, at most `forMs`. */
  passUntil(what: string, holds: () => boolean, forMs?: number, stepMs?: number): Promise<void>;
  idle(): Promise<void>;
};

export type TestSensorSetup = Partial<Omit<Setup, "world">> & {
  faults?: Fault[];
  type?: SensorType;
  cloud?: Cloud;
  at?: number;
  clock?: VirtualClock;
  start?: boolean;
  vpn?: Environment["vpn"];
};

export async function openTestSensor(setup: TestSensorSetup = {}): Promise<TestSensor> {
  const cloud = setup.cloud ?? (await openCloud());
  const clock = setup.clock ?? createVirtualClock(setup.at ?? morning);
  const truth = createMemoryTruth();
  const log: string[] = [];
  const installs: TestSensor["installs"] = [];
  let kept: SavedSensor | undefined;
  const type = setup.type ?? "APS";
  const store = { load: () => undefined, save: (one: Sensor) => void (kept = structuredClone(saveState(one))) };
  const env = createEnvironment({
    clock,
    net: clock,
    truth,
    store,
    log: (_, text) => void log.push(text),
    installed: (sensor, job, version) => void installs.push({ sensor, job, version }),
    vpn: setup.vpn ?? null,
  });
  const { sensor, start } = createSensor(
    {
      id,
      seed: "test",
      profile: profileOf(setup.id ?? id, type, "test", { kind: "shop", zone: "Europe/Berlin" }),
      url: cloud.url,
      token: cloud.token,
      broker: null,
      password: null,
      fwKey: null,
      historyMs: 0,
      ...setup,
      type,
      world: combineFaults(setup.faults ?? []),
    },
    env,
  );
  onTestFinished(async () => {
    await stopSensor(sensor);
    if (!setup.cloud) await cloud.close();
  });
  const idle = (): Promise<void> => waitUntil("everything is acknowledged", () => isIdle(sensor.outbox));
  const made: TestSensor = {
    cloud,
    clock,
    sensor,
    truth,
    log,
    installs,
    kept: () => kept,
    start,
    idle,
    async online() {
      start();
      await waitUntil(
        "the birth is heard",
        () => cloud.births.some(({ sensorId }) => sensorId === sensor.id) && sensor.phase === "up",
      );
      await idle();
    },
    async pass(ms, stepMs = 300_000) {
      const end = clock.now() + ms;
      while (clock.now() < end) {
        clock.pass(Math.min(stepMs, end - clock.now()));
        if (sensor.phase === "up") await idle();
      }
    },
    async passUntil(what, holds, forMs = 3_600_000, stepMs = 500) {
      const end = clock.now() + forMs;
      while (!holds()) {
        if (clock.now() > end) throw new Error(`not within ${forMs} ms of the sensor's time: ${what}`);
        clock.pass(stepMs);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  };
  return made;
}
