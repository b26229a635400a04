// In-memory state of a virtual sensor (persistent state: saved-sensor.ts).
import type { DesiredState, FirmwareManifest, JobReport } from "@psp/contract/device/device-messages.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Profile } from "../counting/tally.ts";
import type { ManualPassage } from "../counting/passages.ts";
import type { Truth } from "../counting/truth.ts";
import type { ClockState, SensorConditions } from "../faults/world.ts";
import type { Broker, Link } from "../link/link.ts";
import type { Tunnel } from "../link/tunnel.ts";
import type { VpnDialer, VpnSession } from "../vpn/vpn-server.ts";
import { seededRandom, hashText, mixSeeds } from "../random.ts";
import { createOutbox } from "../records/outbox.ts";
import type { RecordBody } from "../records/records.ts";
import { createCertificateRequest, firmwareByType } from "./identity.ts";
import { createOrRestoreBuffer, type SavedSensor } from "./saved-sensor.ts";
import { createRestInterface } from "./rest-interface.ts";
import { defaultSections } from "./section-state.ts";

export type RestartReason = "power" | "user" | "fw" | "watchdog" | "crash" | "unknown";

/** Dependencies of a sensor, shared by the fleet. */
export type Environment = {
  /** Simulated time; may run faster than `net` while catching up. */
  clock: Clock;
  /** Clock of network timeouts; never accelerated. */
  net: Clock;
  truth: Truth;
  log(sensorId: string, text: string): void;
  /** Called when state must be persisted immediately. */
  persist(sensor: Sensor): void;
  download<T>(task: () => Promise<T>): Promise<T>;
  /** Called when a sensor boots into a firmware for a job. */
  installed(sensorId: string, job: string, version: string): void;
  /** Speed factor of installations; 1 by default. */
  hurry: number;
  /** Null if there is no VPN server. */
  vpn: VpnDialer | null;
};

export type Setup = {
  id: string;
  type: SensorType;
  seed: string;
  profile: Profile;
  world: SensorConditions;
  /** Base URL of the server, for enrollment and upload tests. */
  url: string | null;
  token: string | null;
  broker: Broker | null;
  password: string | null;
  fwKey: string | null;
  fw?: string | undefined;
  rest?: string | null | undefined;
  /** Factory setting of PS.Connect; true by default. */
  psconnect?: boolean | undefined;
  /** Length of the history generated on the very first start. */
  historyMs: number;
  saved?: SavedSensor | undefined;
  bufferLimit?: number;
};

export type DesiredConfig = DesiredState["cfg"];

export type Job = {
  id: string;
  manifest: FirmwareManifest;
  report: JobReport | null;
  /** Persisted. After a restart of the simulator, a job in `fetching` starts its download again; later steps resume. */
  step: "fetching" | "installing" | "installed";
  /** Previous firmware, for rollback. */
  before: { fw: string; fwSeq: number };
  /** Set to cancel the job; has no effect after DOWNLOADED. */
  canceled: boolean;
  running: boolean;
  finished: boolean;
};

const defaultCfg: DesiredConfig = { countIntervalS: 300, health: true, liveFlow: false };

type Controls = {
  /** Shuts down and boots after `downMs`; resolves once booted. */
  restart(reason: RestartReason, downMs: number): Promise<void>;
  resetNetwork(): void;
  /** Cuts the connection like a pulled cable, and stays offline while `isAway`. */
  leave(): void;
  configured(): void;
  /** Reschedules; call this after a change of due times. */
  wake(): void;
};

/** The last published live state, and the function that cancels its timer. */
export type Published<State> = { state: State; cancel: Cancel };

/** The last published levels. Initially, `text` is empty and the times are -Infinity. */
export type Levels = {
  text: string;
  sentAt: number;
  posAt: number;
  pos: { lat: number; lng: number } | null;
};

type Phase = "idle" | "enrolling" | "waiting" | "connecting" | "up";

export type Sensor = ReturnType<typeof createState>;

const nothingMeasured = () => ({
  intervalFrom: 0,
  /** Manual passages of the running interval. */
  passages: [] as ManualPassage[],
  /** People inside who came by manual passages. */
  aboard: 0,
  /** Number of the last count record; 0 before the first one. */
  lastCount: 0,
  healthFrom: 0,
  upMs: 0,
  mqttMs: 0,
  markedAt: 0,
  /** Changes of the sensor's conditions up to this time have been handled. */
  handledTo: 0,
  bootWaits: [] as (() => void)[],
  reboots: {} as Partial<Record<RestartReason, number>>,
  view: 0,
  viewDueAt: Infinity,
  viewSince: 0,
  clockState: "ok" as ClockState,
  clockStoppedAt: 0,
  heldBack: [] as RecordBody[],
});

export function createState(setup: Setup, env: Environment, controls: Controls) {
  const { id, type, seed, profile, world, url, token, saved } = setup;
  return {
    id,
    type,
    seed,
    profile,
    world,
    env,
    url,
    token,
    luck: seededRandom(mixSeeds(hashText(id), 77)),
    csr: token ? createCertificateRequest(seed, id) : "",
    broker: setup.broker ?? saved?.broker ?? null,
    password: saved?.password ?? setup.password,
    oldPassword: saved?.oldPassword ?? (saved && saved.password !== setup.password ? setup.password : null),
    /** A new password that the broker has not accepted yet (docs/device-protocol.md#a-new-password). */
    renewal: saved?.renewal ? { ...saved.renewal, isTried: true, refusals: 0 } : null,
    fwKey: setup.fwKey ?? saved?.fwKey ?? null,
    claimingCode: saved?.claimingCode ?? null,

    stopped: false,
    running: false,
    bootDueAt: Infinity,
    bootReason: "power" as RestartReason,
    bootId: "",
    bootAt: 0,
    fw: saved?.fw ?? setup.fw ?? firmwareByType[type],
    fwSeq: saved?.fwSeq ?? 0,
    /** After a failed update, the sensor doesn't connect until it has rolled back. */
    mute: false,
    /** The sensor is offline while it tries new network settings. */
    isAway: false,

    link: null as Link | null,
    phase: "idle" as Phase,
    tries: 0,
    cancelRetry: null as Cancel | null,
    sid: "",
    /** Time of the last connect; null if not connected. */
    upSince: null as number | null,
    births: saved?.births ?? 0,
    /** Called after each connect, once the birth has been sent. */
    onUp: null as (() => void) | null,
    /** Called when enrollment fails; returning true stops retrying. */
    onRefused: null as ((error: Error) => boolean) | null,

    outbox: createOutbox(id, createOrRestoreBuffer(setup), env.net),
    rev: saved?.rev ?? -1,
    cfg: { ...(saved?.cfg ?? defaultCfg) },
    /** Count interval last ordered by the cloud; only a different order overrides local changes. */
    orderedIntervalS: saved?.orderedIntervalS ?? null,
    sections: saved?.sections ?? defaultSections(),
    cancelTrial: null as Cancel | null,
    vpn: {
      /** Time until which the sensor should stay connected; 0 means disconnected. */
      until: 0,
      state: "off" as "off" | "connecting" | "up" | "error",
      session: null as VpnSession | null,
      /** Number of the current attempt; results of earlier ones are ignored. */
      attempt: 0,
      cancelStart: null as Cancel | null,
      cancelEnd: null as Cancel | null,
    },
    psconnectOn: false,
    cfgError: null as { code: string; message: string } | null,

    ...nothingMeasured(),
    cancelTick: null as Cancel | null,
    /** People since the last record, as last published. */
    flow: null as Published<string> | null,
    /** Occupancy and position of a ZOD, as last published. */
    levels: null as Published<Levels> | null,

    /** Null if the sensor has no REST interface and installs firmware by jobs. */
    rest: setup.rest ? createRestInterface(setup.rest, saved?.restUpdate) : null,
    page: saved?.page ?? { name: `${type} ${id.slice(-5)}`, led: true },
    offersTunnel: setup.psconnect !== false,
    tunnel: null as Tunnel | null,
    isTunnelOpen: false,
    tunnelTries: 0,

    job: saved?.job ? { ...saved.job, running: false } : null,
    /** Firmware requested while a job is busy. */
    wanted: null as { manifest: FirmwareManifest; raw: unknown } | null,
    answers: new Map<string, { at: number; payload: string }>(),
    logLevel: null as string | null,
    ...controls,
  };
}

export function wallClock(sensor: Sensor): number {
  if (sensor.clockState === "frozen") return sensor.clockStoppedAt;
  const now = sensor.env.clock.now();
  return sensor.clockState === "lost" ? now - sensor.bootAt : now;
}
