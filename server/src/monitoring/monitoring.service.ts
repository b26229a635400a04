// The engine: looks at sensors whose facts are new or whose time has come, and writes what changed, with its mails, in one
// transaction (MO-02, ADR 0022).
import { type IssueType, issueTypes, monitoredTypes } from "@psp/contract/monitoring/issue-words.ts";
import type { Context } from "../context.ts";
import { type Write, write } from "../db/write.ts";
import { updated } from "../kit/bus.ts";
import { announceEntity } from "../owned/change.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { mailingOf, planAlerts, queueAlerts, type Raised } from "./alert/alert.service.ts";
import { planAllClears } from "./alert/all-clear.service.ts";
import { againAt, type CheckedConfig, evaluate, type Facts, type Verdicts } from "./evaluate.rules.ts";
import { gatherDays, type Watched } from "./days.service.ts";
import * as facts from "./facts.store.ts";
import * as store from "./monitoring.store.ts";

/** Sensors of one transaction, about. */
const atOnce = 2000;

/** Looks at everything that is due, part by part. */
export async function evaluateDue(ctx: Context, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const taken = await write(ctx, { system: "monitoring" }, (w) => evaluatePart(ctx, w));
    if (taken === 0 || stopping?.aborted) return;
  }
}

/** How many sensors it looked at. */
async function evaluatePart(ctx: Context, w: Write): Promise<number> {
  const nowMs = ctx.clock.now();
  const due = await store.takeDue(w.tx, new Date(nowMs), atOnce);
  if (due.length === 0) return 0;
  const subjects = await store.findSubjects(
    w.tx,
    due.map(({ num }) => num),
  );
  const fromMs = new Map(due.map((one) => [one.num, one.fromMs]));
  const watched: Watched[] = [];
  const released: store.Subject[] = [];
  for (const subject of subjects) {
    const mailing = mailingOf(subject);
    if (mailing === null) released.push(subject);
    else watched.push({ subject, config: mailing.config, fromMs: fromMs.get(subject.num) ?? null });
  }
  await release(w, released, nowMs);
  await look(w, watched, nowMs);
  return due.length;
}

const isMonitored = (type: IssueType) => monitoredTypes.some((one) => one === type);

/** Sensors that are not monitored any more: what was open is over. */
async function release(w: Write, subjects: readonly store.Subject[], nowMs: number): Promise<void> {
  const monitored = (state: store.OpenState) => isMonitored(state.type);
  const known = subjects.filter(({ judged, states }) => judged !== null || states.some(monitored));
  await store.dropMonitors(
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
  const changes = known.flatMap((subject) =>
    subject.states.filter(monitored).map(({ type }) => ({ subject, type, ...over })),
  );
  await apply(w, changes, nowMs);
}

async function look(w: Write, watched: readonly Watched[], nowMs: number): Promise<void> {
  if (watched.length === 0) return;
  const since = watched.map(({ subject: { num, visibleFromMs } }) => ({ num, visibleFromMs }));
  const faults = await facts.findFaults(w.tx, since, nowMs);
  const obstructions = await facts.findObstructions(w.tx, since, nowMs);
  const days = await gatherDays(w.tx, watched, nowMs);
  const changes: Change[] = [];
  const checks: store.NextCheck[] = [];
  for (const { subject, config } of watched) {
    const { num, judged, isConnected } = subject;
    const zone = zoneOf(subject.zone);
    const day = days.get(num);
    const known: Facts = {
      offlineSinceMs: isConnected ? null : subject.offlineSinceMs,
      obstruction: obstructions.get(num) ?? null,
      reboots: faults.get(num)?.reboots ?? [],
      resets: faults.get(num)?.resets ?? [],
      days: day?.facts ?? null,
    };
    const verdicts = evaluate(config, known, nowMs);
    changes.push(...changesOf(subject, config, verdicts));
    const today = zone.dayAt(nowMs);
    const deliveredDay = day?.deliveredDay ?? judged?.deliveredDay ?? null;
    checks.push({
      num,
      atMs: Math.min(
        againAt(verdicts),
        nextLook(zone.dayStart(today), zone.dayStart(today + 1), isConnected, deliveredDay === today, nowMs),
      ),
      judgedDay: today,
      deliveredDay,
      zone: zone.name,
    });
  }
  await store.saveChecks(w.tx, checks);
  await apply(w, changes, nowMs);
}

const minuteMs = 60_000;
/** Within this time of a day's beginning its first records come by themselves, and are marked. */
const firstRecordsMs = 20 * minuteMs;

/**
 * Days are judged when they are over. A connected sensor that has delivered nothing today yet may deliver at any moment, and not all
 * that it delivers is marked: until then it is looked at every minute.
 */
function nextLook(fromMs: number, toMs: number, isConnected: boolean, hasDelivered: boolean, nowMs: number): number {
  if (!isConnected || hasDelivered) return toMs;
  return Math.min(toMs, Math.max(nowMs + minuteMs, fromMs + firstRecordsMs));
}

export type Change = {
  subject: store.Subject;
  /** Null where no mail can follow. */
  config: CheckedConfig | null;
  type: IssueType;
  status: "Ok" | "Warning" | "Error";
  message: string;
  facts: unknown;
  /** What was wrong is over; monitoring was not only switched off. */
  isResolved: boolean;
};

/** Verdicts that differ from the present states; the first Ok is none. Without a configuration no mail follows. */
export function changesOf(subject: store.Subject, config: CheckedConfig | null, verdicts: Verdicts): Change[] {
  return issueTypes.flatMap((type) => {
    const verdict = verdicts[type];
    if (verdict === undefined) return [];
    const state = subject.states.find((one) => one.type === type);
    if ((state?.status ?? "Ok") === verdict.status) return [];
    const { status, message, facts: found, isResolved = false } = verdict;
    return [{ subject, config, type, status, message, facts: found, isResolved }];
  });
}

/** Writes changes of state with their mails, and announces them. */
export async function apply(w: Write, changes: readonly Change[], nowMs: number): Promise<void> {
  // What came up while the sensor was another owner's is not the present one's to read: it ends without a word.
  const isFormer = ({ subject, type, status }: Change) =>
    status === "Ok" && subject.states.some((one) => one.type === type && one.startMs < subject.visibleFromMs);
  const former = changes.filter(isFormer).map(({ subject, type }) => ({ num: subject.num, type, statusId: null }));
  await store.dropStates(w.tx, former);
  const news = changes.filter((change) => !isFormer(change)).map((change) => ({ ...change, id: uuidv7(nowMs) }));
  const raised = news.flatMap(({ id: statusId, subject, config, status, type }): Raised[] => {
    const mailing = config && mailingOf(subject);
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
  await queueAlerts(w.tx, [...alerts, ...(await planAllClears(w.tx, [...former, ...ended], nowMs))]);
  for (const { id, subject } of news)
    announceEntity(w, { type: "issue", op: "create", id, ownerBefore: null, ownerAfter: subject.ownerId });
  announceShown(w, new Set(news.map(({ subject }) => subject)));
}

/** Lists show the worst issue of a sensor, and of a location; with the first entry there is a log to open. */
function announceShown(w: Write, subjects: ReadonlySet<store.Subject>): void {
  const places = new Map<string, string>();
  for (const { id, ownerId, location } of subjects) {
    w.announce(updated("sensor", id, ownerId));
    if (location) places.set(location.id, location.ownerId);
  }
  for (const [id, owner] of places) w.announce(updated("measurement", id, owner));
}
