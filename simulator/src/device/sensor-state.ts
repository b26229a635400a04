// What a virtual sensor knows; what is kept of it over a restart of the simulator is in saved-sensor, what it does in sensor,
// firmware and remote.
import type { Desired, FirmwareManifest, JobReport } from "@psp/contract/device/device-messages.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Profile } from "../counting/tally.ts";
import type { Walk } from "../counting/walks.ts";
import type { Truth } from "../counting/truth.ts";
import type { ClockState, World } from "../faults/world.ts";
import type { Broker, Link } from "../link/link.ts";
import type { Tunnel } from "../link/tunnel.ts";
import type { Vpn, VpnSession } from "../vpn/vpn-server.ts";
import { chance, hashText, mix } from "../random.ts";
import { createOutbox } from "../records/outbox.ts";
import type { RecordBody } from "../records/records.ts";
import { certificateRequest, firmwareOf } from "./identity.ts";
import { bufferOf, type SavedSensor } from "./saved-sensor.ts";
import { restInterface } from "./rest-interface.ts";
import { untouchedSections } from "./section-state.ts";

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
  /** The VPN that they can be asked to connect to; null: none answers. */
  vpn: Vpn | null;
};

export type Setup = {
  id: string;
  type: SensorType;
  seed: string;
  profile: Profile;
  world: World;
  /** Base address of the server, for enrollment and upload tests. */
  url: string | null;
  token: string | null;
  broker: Broker | null;
  password: string | null;
  fwKey: string | null;
  fw?: string | undefined;
  /** Password of the REST interface; without one the sensor has none. */
  rest?: string | null | undefined;
  /** False: PS.Connect is off in its factory settings. */
  psconnect?: boolean | undefined;
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
  /** Survives a restart: until `installing` the image is fetched again, after it the job goes on by itself. */
  step: "fetching" | "installing" | "installed";
  /** What ran before, for the way back. */
  before: { fw: string; fwSeq: number };
  /** Raised to stop it; honored up to DOWNLOADED. */
  canceled: boolean;
  running: boolean;
  finished: boolean;
};

const defaultCfg: Cfg = { countIntervalS: 300, health: true, liveFlow: false };

/** What other parts may order of a sensor's life. */
type Controls = {
  /** Goes down and boots again after `downMs`; resolves when it has booted. */
  restart(reason: RestartReason, downMs: number): Promise<void>;
  /** Drops the connection and opens another one. */
  resetNetwork(): void;
  /** Breaks the connection as a pulled cable does, and stays away while `isAway`. */
  leave(): void;
  /** Sections changed: act by them. */
  configured(): void;
  /** Something changed what is due next: look again. */
  wake(): void;
};

/** What was said last to displays and feeds, and how to end the next look at what there is to say. */
export type Live<Said> = { said: Said; cancel: Cancel };

/** `text` is empty, and times are -Infinity, until something was said. */
export type Levels = {
  text: string;
  sentAt: number;
  posAt: number;
  pos: { lat: number; lng: number } | null;
};

type Phase = "idle" | "enrolling" | "waiting" | "connecting" | "up";

export type Sensor = ReturnType<typeof createState>;

/** What it measures: people, its own uptime, its view and its clock. */
const nothingMeasured = () => ({
  intervalFrom: 0,
  /** People of the running interval who were sent through the door by hand. */
  walks: [] as Walk[],
  /** Those of all the time who are still inside. */
  aboard: 0,
  /** Number of the last count record, 0 before the first. */
  lastCount: 0,
  healthFrom: 0,
  upMs: 0,
  mqttMs: 0,
  markedAt: 0,
  /** Changes of the world up to here have been dealt with. */
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

/** A sensor at rest. */
export function createState(setup: Setup, around: Surroundings, controls: Controls) {
  const { id, type, seed, profile, world, url, token, saved } = setup;
  return {
    id,
    type,
    seed,
    profile,
    world,
    around,
    url,
    token,
    luck: chance(mix(hashText(id), 77)),
    csr: token ? certificateRequest(seed, id) : "",
    broker: setup.broker ?? saved?.broker ?? null,
    password: saved?.password ?? setup.password,
    oldPassword: saved?.oldPassword ?? (saved && saved.password !== setup.password ? setup.password : null),
    /** A new password that was accepted nowhere yet; see renewal. */
    renewal: saved?.renewal ? { ...saved.renewal, isTried: true, refusals: 0 } : null,
    fwKey: setup.fwKey ?? saved?.fwKey ?? null,
    claimingCode: saved?.claimingCode ?? null,

    /** Stopped for good by the simulator. */
    stopped: false,
    /** Has power and has booted. */
    running: false,
    bootDueAt: Infinity,
    bootReason: "power" as RestartReason,
    bootId: "",
    bootAt: 0,
    fw: saved?.fw ?? setup.fw ?? firmwareOf[type],
    fwSeq: saved?.fwSeq ?? 0,
    /** After a failed update: does not connect until rolled back. */
    mute: false,
    /** Out of reach while new settings of the network are on trial. */
    isAway: false,

    link: null as Link | null,
    phase: "idle" as Phase,
    tries: 0,
    cancelRetry: null as Cancel | null,
    sid: "",
    /** Since when it is connected; null: it is not. */
    upSince: null as number | null,
    births: saved?.births ?? 0,
    /** Calls of `stopSensor` and tests that wait for the first birth. */
    onUp: null as (() => void) | null,
    /** Enrollment failed; true ends the trying. */
    onRefused: null as ((error: Error) => boolean) | null,

    outbox: createOutbox(id, bufferOf(setup), around.net),
    rev: saved?.rev ?? -1,
    cfg: { ...(saved?.cfg ?? defaultCfg) },
    /** The count interval that the cloud ordered last: only another order overrules what was set on the device since. */
    orderedIntervalS: saved?.orderedIntervalS ?? null,
    sections: saved?.sections ?? untouchedSections(),
    cancelTrial: null as Cancel | null,
    vpn: {
      /** Until when it is to be connected; 0: not at all. */
      until: 0,
      state: "off" as "off" | "connecting" | "up" | "error",
      session: null as VpnSession | null,
      /** What an earlier attempt comes to is of no interest any more. */
      attempt: 0,
      cancelStart: null as Cancel | null,
      cancelEnd: null as Cancel | null,
    },
    psconnectOn: false,
    cfgError: null as { code: string; message: string } | null,

    ...nothingMeasured(),
    cancelTick: null as Cancel | null,
    /** The people since the last record, as text: empty until something was said. */
    flow: null as Live<string> | null,
    /** How full a ZOD's coach is, and where. */
    levels: null as Live<Levels> | null,

    /** Null: it takes firmware by jobs. */
    rest: setup.rest ? restInterface(setup.rest, saved?.restUpdate) : null,
    /** What its configuration page keeps. */
    page: saved?.page ?? { name: `${type} ${id.slice(-5)}`, led: true },
    offersTunnel: setup.psconnect !== false,
    tunnel: null as Tunnel | null,
    isTunnelOpen: false,
    tunnelTries: 0,

    job: saved?.job ? { ...saved.job, running: false } : null,
    /** The firmware that the server asked for last, while a job is busy. */
    wanted: null as { manifest: FirmwareManifest; raw: unknown } | null,
    answers: new Map<string, { at: number; payload: string }>(),
    logLevel: null as string | null,
    ...controls,
  };
}

/** What the device's own wall clock shows. */
export function wallClock(sensor: Sensor): number {
  if (sensor.clockState === "frozen") return sensor.clockStoppedAt;
  const now = sensor.around.clock.now();
  return sensor.clockState === "lost" ? now - sensor.bootAt : now;
}
