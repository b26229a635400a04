// A sensor at rest, as new or as it was kept, and what is kept of it over a restart of the simulator.
import { randomBytes } from "node:crypto";
import { historySource } from "../records/history.ts";
import {
  addRecord,
  createBuffer,
  oldestWaiting,
  restoreBuffer,
  saveBuffer,
  type RecordBuffer,
} from "../records/buffer.ts";
import { createOutbox } from "../records/outbox.ts";
import { chance, hashText, mix } from "../random.ts";
import { certificateRequest, firmwareOf } from "./identity.ts";
import { restInterface } from "./rest-interface.ts";
import type { Cfg, SavedSensor, Sensor, Setup, Surroundings } from "./sensor-state.ts";

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
