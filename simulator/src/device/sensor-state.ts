// What a virtual sensor knows and keeps; the functions around it are in sensor, session, meter, remote and install.
import { randomBytes } from "node:crypto";
import type { Desired, FirmwareManifest, JobReport } from "@psp/contract/sensor/sensor.device.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import type { Profile } from "../counting/tally.ts";
import type { ClockState, World } from "../faults/world.ts";
import {
  addRecord,
  createBuffer,
  oldestWaiting,
  restoreBuffer,
  saveBuffer,
  type RecordBuffer,
  type SavedBuffer,
} from "../records/buffer.ts";
import type { Cancel, Clock } from "../clock.ts";
import { historySource } from "../records/history.ts";
import { certificateRequest, firmwareOf } from "./identity.ts";
import type { Broker, Link } from "../link/link.ts";
import { createOutbox, type Outbox } from "../records/outbox.ts";
import { chance, hashText, mix } from "../random.ts";
import { restInterface } from "./rest-counts.ts";
import type { RecordBody } from "../records/records.ts";
import type { Truth } from "../counting/truth.ts";
import type { Tunnel } from "../link/tunnel.ts";

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
  cancelled: boolean;
  running: boolean;
  finished: boolean;
};

/** The REST interface of an older APS, for sensors that have one. */
export type RestInterface = {
  /** Of both its users. */
  readonly password: string;
  /** Signs its tokens. */
  readonly key: Buffer;
  /** Running totals by line since the last reset: in and out. */
  totals: Map<string, { adult: [number, number]; child: [number, number] }>;
  /** Ordered and not yet installed. */
  update: { url: string; until: number } | null;
  working: boolean;
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

const defaultCfg: Cfg = { countIntervalS: 300, health: true, liveFlow: false };

/** A sensor at rest; `controls` are what other parts may order of its life. */
export function createState(
  setup: Setup,
  around: Surroundings,
  controls: Pick<Sensor, "restart" | "resetNetwork" | "wake">,
): Sensor {
  const { id, type, profile, world, saved } = setup;
  const buffer = bufferOf(setup);
  return {
    id,
    type,
    seed: setup.seed,
    profile,
    world,
    around,
    url: setup.url,
    token: setup.token,
    luck: chance(mix(hashText(id), 77)),
    csr: setup.token ? certificateRequest(setup.seed, id) : "",
    broker: setup.broker ?? saved?.broker ?? null,
    password: saved?.password ?? setup.password,
    oldPassword: saved?.oldPassword ?? (saved && saved.password !== setup.password ? setup.password : null),
    renewal: saved?.renewal ? { ...saved.renewal, isTried: true, refusals: 0 } : null,
    fwKey: setup.fwKey ?? saved?.fwKey ?? null,
    claimingCode: saved?.claimingCode ?? null,
    stopped: false,
    running: false,
    bootDueAt: Infinity,
    bootReason: "power",
    bootId: "",
    bootAt: 0,
    fw: saved?.fw ?? setup.fw ?? firmwareOf[type],
    fwSeq: saved?.fwSeq ?? 0,
    mute: false,
    link: null,
    phase: "idle",
    tries: 0,
    cancelRetry: null,
    sid: "",
    births: saved?.births ?? 0,
    onUp: null,
    onRefused: null,
    outbox: createOutbox(id, buffer, around.net),
    rev: saved?.rev ?? -1,
    cfg: { ...(saved?.cfg ?? defaultCfg) },
    vpnOn: false,
    psconnectOn: false,
    cfgError: null,
    intervalFrom: 0,
    lastCount: 0,
    healthFrom: 0,
    upMs: 0,
    mqttMs: 0,
    markedAt: 0,
    handledTo: 0,
    bootWaits: [],
    reboots: {},
    view: 0,
    viewDueAt: Infinity,
    viewSince: 0,
    clockState: "ok",
    clockStoppedAt: 0,
    heldBack: [],
    cancelTick: null,
    flow: null,
    rest: setup.rest ? restInterface(setup.rest, saved?.restUpdate) : null,
    tunnel: null,
    tunnelTries: 0,
    job: saved?.job ? { ...saved.job, running: false } : null,
    wanted: null,
    answers: new Map(),
    logLevel: null,
    snapshotBusy: false,
    ...controls,
  };
}

/**
 * The buffer of the last run. After a crash nobody knows which numbers were given out since, so a new numbering begins:
 * what waited is numbered anew, and a filled-in past begins where the oldest waiting record did.
 */
function bufferOf({ id, type, profile, world, saved, bufferLimit, historyMs }: Setup): RecordBuffer {
  if (saved?.clean)
    return restoreBuffer(saved.buffer, (source) => historySource({ id, type, profile, world }, source), bufferLimit);
  const buffer = createBuffer(randomBytes(6).toString("hex"), bufferLimit);
  if (!saved) return buffer;
  if (historyMs > 0) saved.countedTo = Math.min(saved.countedTo, oldestWaiting(saved.buffer));
  else for (const [, { text }] of saved.buffer.held) addRecord(buffer, JSON.parse(text));
  return buffer;
}

export function saveState(sensor: Sensor): SavedSensor {
  const { id, broker, password, oldPassword, renewal, fwKey, claimingCode, fw, fwSeq, births, rev, cfg } = sensor;
  return {
    id,
    broker,
    password,
    oldPassword,
    renewal: renewal && { id: renewal.id, password: renewal.password },
    fwKey,
    claimingCode,
    fw,
    fwSeq,
    births,
    rev,
    cfg,
    buffer: saveBuffer(sensor.outbox.buffer),
    clean: sensor.stopped,
    countedTo: sensor.intervalFrom,
    job: sensor.job,
    restUpdate: sensor.rest?.update ?? null,
  };
}

/** What the device's own wall clock shows. */
export function wallClock(sensor: Sensor): number {
  if (sensor.clockState === "frozen") return sensor.clockStoppedAt;
  const now = sensor.around.clock.now();
  return sensor.clockState === "lost" ? now - sensor.bootAt : now;
}
