// The monitoring engine: evaluates sensors with new facts or due checks, and writes changes with their mails in one transaction
// (MO-02, ADR 0022).
import { type IssueType, issueTypes, monitoredIssueTypes } from "@psp/contract/monitoring/issue-words.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { entityUpdated } from "../kit/bus.ts";
import { publishEntity } from "../owned/change.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { resolveAppliedConfig, planAlerts, queueAlerts, type RaisedState } from "./alert/alert.service.ts";
import { planAllClears } from "./alert/all-clear.service.ts";
import {
  findEarliestRecheckMs,
  type CheckedConfig,
  evaluateFacts,
  type SensorFacts,
  type Verdicts,
} from "./evaluate.rules.ts";
import { loadDays, type WatchedSensor } from "./days.service.ts";
import * as facts from "./facts.store.ts";
import * as store from "./monitoring.store.ts";

/** Approximate number of sensors per transaction. */
const atOnce = 2000;

export async function evaluateDueSensors(ctx: Context, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const taken = await write(ctx, { system: "monitoring" }, (w) => evaluatePart(ctx, w));
    if (taken === 0 || stopping?.aborted) return;
  }
}

async function evaluatePart(ctx: Context, w: UnitOfWork): Promise<number> {
  const nowMs = ctx.clock.now();
  const due = await store.takeDueSensors(w.tx, new Date(nowMs), atOnce);
  if (due.length === 0) return 0;
  const found = await store.findEvaluatedSensors(
    w.tx,
    due.map(({ num }) => num),
  );
  const { subjects, former } = separateFormerStates(found, monitoredIssueTypes);
  const fromMs = new Map(due.map((one) => [one.num, one.fromMs]));
  const watched: WatchedSensor[] = [];
  const released: store.EvaluatedSensor[] = [];
  for (const subject of subjects) {
    const mailing = resolveAppliedConfig(subject);
    if (mailing === null) released.push(subject);
    else watched.push({ subject, config: mailing.config, fromMs: fromMs.get(subject.num) ?? null });
  }
  const changes = [...(await endIssues(w, released)), ...(await evaluateSensors(w, watched, nowMs))];
  await applyChanges(w, { changes, former }, nowMs);
  return due.length;
}

const isMonitored = (type: IssueType) => monitoredIssueTypes.some((one) => one === type);

async function endIssues(w: UnitOfWork, subjects: readonly store.EvaluatedSensor[]): Promise<StateChange[]> {
  const monitored = (state: store.OpenState) => isMonitored(state.type);
  const known = subjects.filter(({ judged, states }) => judged !== null || states.some(monitored));
  await store.deleteMonitors(
    w.tx,
    known.map(({ num }) => num),
  );
  const over = {
    status: "Ok",
    message: "This sensor is no longer monitored",
    facts: {},
    config: null,
    isResolved: false,
  } as const;
  return known.flatMap((subject) => subject.states.filter(monitored).map(({ type }) => ({ subject, type, ...over })));
}

async function evaluateSensors(w: UnitOfWork, watched: readonly WatchedSensor[], nowMs: number) {
  if (watched.length === 0) return [];
  const since = watched.map(({ subject: { num, visibleFromMs } }) => ({ num, visibleFromMs }));
  const faults = await facts.findRebootsAndResets(w.tx, since, nowMs);
  const obstructions = await facts.findObstructions(w.tx, since, nowMs);
  const days = await loadDays(w.tx, watched, nowMs);
  const changes: StateChange[] = [];
  const checks: store.NextCheck[] = [];
  for (const { subject, config } of watched) {
    const { num, judged, isConnected } = subject;
    const zone = zoneOf(subject.zone);
    const day = days.get(num);
    const known: SensorFacts = {
      offlineSinceMs: isConnected ? null : subject.offlineSinceMs,
      obstruction: obstructions.get(num) ?? null,
      reboots: faults.get(num)?.reboots ?? [],
      resets: faults.get(num)?.resets ?? [],
      days: day?.facts ?? null,
    };
    const verdicts = evaluateFacts(config, known, nowMs);
    changes.push(...findStateChanges(subject, config, verdicts));
    const today = zone.dayAt(nowMs);
    const deliveredDay = day?.deliveredDay ?? judged?.deliveredDay ?? null;
    checks.push({
      num,
      atMs: Math.min(
        findEarliestRecheckMs(verdicts),
        computeNextCheckMs(zone.dayStart(today), zone.dayStart(today + 1), isConnected, deliveredDay === today, nowMs),
      ),
      judgedDay: today,
      deliveredDay,
      zone: zone.name,
    });
  }
  await store.saveChecks(w.tx, checks);
  return changes;
}

const minuteMs = 60_000;
/** Within this time after midnight, a sensor's first records of the day normally trigger its evaluation. */
const firstRecordsMs = 20 * minuteMs;

/**
 * Complete days are evaluated at midnight. Not every delivery triggers an evaluation, so a connected sensor without a delivery today
 * is checked every minute until it delivers.
 */
function computeNextCheckMs(
  fromMs: number,
  toMs: number,
  isConnected: boolean,
  hasDelivered: boolean,
  nowMs: number,
): number {
  if (!isConnected || hasDelivered) return toMs;
  return Math.min(toMs, Math.max(nowMs + minuteMs, fromMs + firstRecordsMs));
}

export type StateChange = {
  subject: store.EvaluatedSensor;
  /** Null if no mail may be sent. */
  config: CheckedConfig | null;
  type: IssueType;
  status: "Ok" | "Warning" | "Error";
  message: string;
  facts: unknown;
  /** Whether the problem is gone, rather than its monitoring disabled. */
  isResolved: boolean;
};

/**
 * Returns the verdicts that differ from the current states. Without a state, Ok is not a change. Without a configuration, no mails are
 * sent.
 */
export function findStateChanges(
  subject: store.EvaluatedSensor,
  config: CheckedConfig | null,
  verdicts: Verdicts,
): StateChange[] {
  return issueTypes.flatMap((type) => {
    const verdict = verdicts[type];
    if (verdict === undefined) return [];
    const state = subject.states.find((one) => one.type === type);
    if ((state?.status ?? "Ok") === verdict.status) return [];
    const { status, message, facts: found, isResolved = false } = verdict;
    return [{ subject, config, type, status, message, facts: found, isResolved }];
  });
}

type FormerState = { num: number; type: IssueType };

/**
 * Separates states of these types that a former owner had. They end without a log entry, because the present owner can't see them, and
 * issues that persist are raised again.
 */
export function separateFormerStates(found: readonly store.EvaluatedSensor[], types: readonly IssueType[]) {
  const former: FormerState[] = [];
  const subjects = found.map((subject) => {
    const old = subject.states.filter(({ isFormer, type }) => isFormer && types.includes(type));
    former.push(...old.map(({ type }) => ({ num: subject.num, type })));
    return old.length === 0 ? subject : { ...subject, states: subject.states.filter((state) => !old.includes(state)) };
  });
  return { subjects, former };
}

/**
 * Writes all changes of a pass. Sensors are locked once, in a fixed order, and before any state, as hand-overs do. Changes of sensors
 * that were handed over or deleted since they were read are dropped: those sensors are marked for another evaluation.
 */
export async function applyChanges(
  w: UnitOfWork,
  { changes, former }: { changes: readonly StateChange[]; former: readonly FormerState[] },
  nowMs: number,
): Promise<void> {
  const held = await store.lockSensors(w.tx, [
    ...former.map(({ num }) => num),
    ...changes.map(({ subject }) => subject.num),
  ]);
  const news = changes
    .filter(({ subject }) => isUnchanged(subject, held.get(subject.num)))
    .map((change) => ({ ...change, id: uuidv7(nowMs) }));
  await store.deleteStates(w.tx, former);
  const raised = news.flatMap(({ id: statusId, subject, config, status, type }): RaisedState[] => {
    const mailing = config && resolveAppliedConfig(subject);
    if (mailing === null || status === "Ok") return [];
    return [
      {
        ...mailing,
        statusId,
        status,
        num: subject.num,
        offlineSinceMs: type === "connection" ? subject.offlineSinceMs : null,
      },
    ];
  });
  const { alerts, notMailed } = await planAlerts(w.tx, raised, nowMs);
  const statuses = news.map(({ id, subject, type, status, message, facts: found }) => ({
    id,
    num: subject.num,
    locationId: subject.location?.id ?? null,
    atMs: nowMs,
    type,
    status,
    message,
    facts: found,
    notMailed: notMailed.get(id) ?? (isMonitored(type) ? null : "no emails are sent about this type of issue"),
  }));
  await store.writeStatuses(w.tx, statuses);
  const over = news.filter(({ status }) => status === "Ok");
  const ended = over.map(({ id, subject, type, isResolved }) => ({
    num: subject.num,
    type,
    statusId: isResolved ? id : null,
  }));
  const endedFormer = former.map((state) => ({ ...state, statusId: null }));
  await queueAlerts(w.tx, [...alerts, ...(await planAllClears(w.tx, [...endedFormer, ...ended], nowMs))]);
  for (const { id, subject } of news)
    publishEntity(w, { type: "issue", op: "create", id, ownerBefore: null, ownerAfter: subject.ownerId });
  publishShownIssues(w, new Set(news.map(({ subject }) => subject)));
}

const isUnchanged = (subject: store.EvaluatedSensor, held: store.LockedSensor | undefined) =>
  held !== undefined && held.ownerId === subject.ownerId && held.visibleFromMs === subject.visibleFromMs;

/**
 * Publishes sensors and locations, because lists show their worst issue, and the first log entry makes the location's log available.
 */
function publishShownIssues(w: UnitOfWork, subjects: ReadonlySet<store.EvaluatedSensor>): void {
  const places = new Map<string, string>();
  for (const { id, ownerId, location } of subjects) {
    w.announce(entityUpdated("sensor", id, ownerId));
    if (location) places.set(location.id, location.ownerId);
  }
  for (const [id, owner] of places) w.announce(entityUpdated("measurement", id, owner));
}
