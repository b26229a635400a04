// What a virtual sensor knows and keeps; the functions around it are in sensor, firmware and remote.
import type { Desired, FirmwareManifest, JobReport } from "@psp/contract/sensor/sensor.device.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Profile } from "../counting/tally.ts";
import type { Truth } from "../counting/truth.ts";
import type { ClockState, World } from "../faults/world.ts";
import type { Broker, Link } from "../link/link.ts";
import type { Tunnel } from "../link/tunnel.ts";
import type { SavedBuffer } from "../records/buffer.ts";
import type { Outbox } from "../records/outbox.ts";
import type { RecordBody } from "../records/records.ts";
import type { RestInterface } from "./rest-interface.ts";

export type RestartReason = "power" | "user" | "fw" | "watchdog" | "crash" | "unknown";

/** What a sensor needs from outside; one for a whole fleet. */
export type Surroundings = {
  /** Time in the sensor's world; may run faster than `net` while catching up. */
  clock: Clock;
  /** Time of network waits. */
  net: Clock;
  truth: Truth;
  log(sensorId: string, text: string): void;
  /** Called when something must survive a restart of the simulator at once. */
  keep(sensor: Sensor): void;
  /** Runs downloads, a few at a time. */
  download<T>(task: () => Promise<T>): Promise<T>;
  /** Notes that a sensor boots into a firmware for a job. */
  installed(sensorId: string, job: string, version: string): void;
  /** How much faster than a real device sensors install; 1 as a rule. */
  hurry: number;
};

export type Setup = {
  id: string;
  type: SensorType;
  seed: string;
  profile: Profile;
  world: World;
  /** Base address of the server, for enrolment and upload tests. */
  url: string | null;
  token: string | null;
  broker: Broker | null;
  password: string | null;
  fwKey: string | null;
  fw?: string | undefined;
  /** Password of the REST interface; without one the sensor has none. */
  rest?: string | null | undefined;
  /** How much of the past is filled in on the very first start. */
  historyMs: number;
  saved?: SavedSensor | undefined;
  bufferLimit?: number;
};

export type Cfg = Desired["cfg"];

export type Job = {
  id: string;
  manifest: FirmwareManifest;
  report: JobReport | null;
  /** Survives a restart: until `installing` the image is fetched anew, after it the job goes on by itself. */
  step: "fetching" | "installing" | "installed";
  /** What ran before, for the way back. */
  before: { fw: string; fwSeq: number };
  /** Raised to stop it; honoured up to DOWNLOADED. */
  canceled: boolean;
  running: boolean;
  finished: boolean;
};

export type Sensor = {
  readonly id: string;
  readonly type: SensorType;
  readonly seed: string;
  readonly profile: Profile;
  readonly world: World;
  readonly around: Surroundings;
  readonly url: string | null;
  readonly token: string | null;
  readonly luck: () => number;
  csr: string;
  broker: Broker | null;
  password: string | null;
  oldPassword: string | null;
  /** A new password that has opened nothing yet; see renewal. */
  renewal: { id: string; password: string; isTried: boolean; refusals: number } | null;
  fwKey: string | null;
  claimingCode: string | null;

  /** Stopped for good by the simulator. */
  stopped: boolean;
  /** Has power and has booted. */
  running: boolean;
  bootDueAt: number;
  bootReason: RestartReason;
  bootId: string;
  bootAt: number;
  fw: string;
  fwSeq: number;
  /** Mute after a failed update: connects no more until rolled back. */
  mute: boolean;

  link: Link | null;
  phase: "idle" | "enrolling" | "waiting" | "connecting" | "up";
  tries: number;
  cancelRetry: Cancel | null;
  sid: string;
  births: number;
  /** Calls of `stopSensor` and tests that wait for the first birth. */
  onUp: (() => void) | null;
  /** Enrolment failed; true ends the trying. */
  onRefused: ((error: Error) => boolean) | null;

  outbox: Outbox;
  rev: number;
  cfg: Cfg;
  vpnOn: boolean;
  psconnectOn: boolean;
  cfgError: { code: string; message: string } | null;

  intervalFrom: number;
  /** Number of the last count record, 0 before the first. */
  lastCount: number;
  healthFrom: number;
  upMs: number;
  mqttMs: number;
  markedAt: number;
  /** Changes of the world up to here have been dealt with. */
  handledTo: number;
  bootWaits: (() => void)[];
  reboots: Partial<Record<RestartReason, number>>;
  view: number;
  viewDueAt: number;
  viewSince: number;
  clockState: ClockState;
  clockStoppedAt: number;
  heldBack: RecordBody[];
  cancelTick: Cancel | null;
  flow: { cancel: Cancel; last: string } | null;

  /** Null: it takes firmware by jobs. */
  readonly rest: RestInterface | null;
  tunnel: Tunnel | null;
  tunnelTries: number;

  job: Job | null;
  /** The newest wish of the server, while a job is busy. */
  wanted: { manifest: FirmwareManifest; raw: unknown } | null;
  answers: Map<string, { at: number; payload: string }>;
  logLevel: string | null;
  snapshotBusy: boolean;

  /** Goes down and boots again after `downMs`; resolves when it has booted. */
  restart(reason: RestartReason, downMs: number): Promise<void>;
  /** Drops the connection and builds it anew. */
  resetNetwork(): void;
  /** Something changed what is due next: look again. */
  wake(): void;
};

/** What survives a restart of the simulator. */
export type SavedSensor = {
  id: string;
  broker: Broker | null;
  password: string | null;
  oldPassword: string | null;
  renewal?: { id: string; password: string } | null;
  fwKey: string | null;
  claimingCode: string | null;
  fw: string;
  fwSeq: number;
  births: number;
  rev: number;
  cfg: Cfg;
  buffer: SavedBuffer;
  /** Saved at an orderly end, so that every number given out is known; else numbers must not go on. */
  clean: boolean;
  /** Until when people were counted. */
  countedTo: number;
  job: Job | null;
  restUpdate?: RestInterface["update"];
};

/** What the device's own wall clock shows. */
export function wallClock(sensor: Sensor): number {
  if (sensor.clockState === "frozen") return sensor.clockStoppedAt;
  const now = sensor.around.clock.now();
  return sensor.clockState === "lost" ? now - sensor.bootAt : now;
}
