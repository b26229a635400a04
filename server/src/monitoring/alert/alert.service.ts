// Plans issue mails in the transaction that stores the issue states, then groups them per recipient in the outbox (MO-03, ADR 0022).
import { maxUnconfirmedMails } from "@psp/contract/monitoring/limits.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { queueMails, withdrawMails } from "../../mail/outbox.ts";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { type CheckedConfig, readConfig } from "../evaluate.rules.ts";
import type { EvaluatedSensor } from "../monitoring.store.ts";
import * as store from "./alert.store.ts";
import { readAlertToken, signAlertToken } from "./alert-token.rules.ts";
import { alertMail } from "./alert-mail.rules.ts";
import { minMailGapMs, computeMailTime } from "./when.rules.ts";

/** The monitoring configuration of a sensor, the account that owns the configuration, and the location's time zone. */
export type AppliedConfig = { config: CheckedConfig; accountId: string; zone: string | null };

/** The sensor's own configuration, else its location's; null if it is not monitored. */
export function resolveAppliedConfig({
  isMonitored,
  own,
  inherited,
  location,
  ownerId,
  zone,
}: EvaluatedSensor): AppliedConfig | null {
  const config = isMonitored ? readConfig(own ?? inherited) : null;
  return config && { config, accountId: own === null ? (location?.ownerId ?? ownerId) : ownerId, zone };
}

/** A new state; `offlineSinceMs` is null unless the state is about the connection. */
export type RaisedState = AppliedConfig & {
  statusId: string;
  status: "Warning" | "Error";
  num: number;
  offlineSinceMs: number | null;
};

/**
 * Sensors of a location that go offline within this time are one outage. Its first mail waits until all of them have reached the
 * threshold.
 */
const outageMs = 5 * 60_000;

/** Returns, per sensor, the time at which all sensors of its outage will have reached the threshold. */
async function findOutages(tx: Tx, raised: readonly RaisedState[]): Promise<Map<number, number>> {
  const silent = raised.filter(({ offlineSinceMs }) => offlineSinceMs !== null);
  const later = await store.findOutageDelays(
    tx,
    silent.map(({ num }) => num),
    outageMs,
  );
  return new Map(
    silent.map(({ num, offlineSinceMs, status, config: { connection } }) => {
      const days = status === "Error" ? connection.errorThreshold : connection.warningThreshold;
      return [num, (offlineSinceMs ?? 0) + days * dayMs + (later.get(num) ?? 0)];
    }),
  );
}

/** In lower case, so that all spellings of an address share one confirmation and one unsubscribe state. */
const listAdditionalAddresses = ({ alert }: CheckedConfig) => alert.email.toOther.map((email) => email.toLowerCase());

export function findNoMailReason({ alert }: CheckedConfig, status: "Warning" | "Error"): string | null {
  const { onWarning, onError } = alert.email;
  if (status === "Error" ? onError : onWarning) return null;
  return `emails about ${status === "Error" ? "errors" : "warnings"} are turned off`;
}

export async function findRecipients(tx: Tx, mailings: readonly AppliedConfig[]) {
  const owners = mailings.filter(({ config }) => config.alert.email.toOwner).map(({ accountId }) => accountId);
  const logins = await store.findLoginsByAccount(tx, owners);
  const ended = await store.findUnsubscribed(tx, [
    ...new Set(mailings.flatMap(({ config }) => listAdditionalAddresses(config))),
  ]);
  return ({ config, accountId }: AppliedConfig): Map<string, string | null> => {
    const owned = config.alert.email.toOwner ? (logins.get(accountId) ?? []) : [];
    const recipients = new Map<string, string | null>(owned.map(({ email, id }) => [email, id]));
    const own = new Set(owned.map(({ email }) => email.toLowerCase()));
    for (const email of listAdditionalAddresses(config))
      if (!ended.has(email) && !own.has(email)) recipients.set(email, null);
    return recipients;
  };
}

/** Returns the alerts to queue, and why each remaining state gets no mail. */
export async function planAlerts(
  tx: Tx,
  raised: readonly RaisedState[],
  nowMs: number,
): Promise<{ alerts: store.NewAlert[]; notMailed: Map<string, string> }> {
  const notMailed = new Map<string, string>();
  const recipientsOf = await findRecipients(tx, raised);
  const outages = await findOutages(tx, raised);
  const alerts: store.NewAlert[] = [];
  for (const one of raised) {
    const { statusId, status, config, zone, num, offlineSinceMs } = one;
    const refuse = (reason: string) => void notMailed.set(statusId, reason);
    const whyNot = findNoMailReason(config, status);
    if (whyNot !== null) {
      refuse(whyNot);
      continue;
    }
    const when = computeMailTime(config.activeWeekDays, zoneOf(zone), nowMs);
    if (when === null) {
      refuse("no weekday is active");
      continue;
    }
    const recipients = recipientsOf(one);
    if (recipients.size === 0) refuse("there are no recipients");
    const dueMs = Math.max(when.dueMs, offlineSinceMs === null ? 0 : (outages.get(num) ?? 0));
    for (const [recipient, credentialId] of recipients)
      alerts.push({ statusId, recipient, credentialId, accountId: one.accountId, dueMs, isDeferred: when.isDeferred });
  }
  return { alerts, notMailed };
}

/** Call it after the states are written, because alerts refer to their log entries. */
export const queueAlerts = (tx: Tx, alerts: readonly store.NewAlert[]) => store.insertAlerts(tx, alerts);

const atOnce = 200;

export async function mailAlerts(ctx: Context, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const recipients = await store.findDueRecipients(ctx.db, ctx.clock.date(), minMailGapMs, atOnce);
    for (const recipient of recipients) {
      if (stopping?.aborted) return;
      await mailRecipient(ctx, recipient);
    }
    if (recipients.length < atOnce) return;
  }
}

const hasUnsubscribed = "the recipient has unsubscribed";

const createUnsubscribeUrl = ({ config }: Context, email: string) =>
  `${config.publicUrl}/unsubscribe?token=${signAlertToken(config, email)}`;

async function mailRecipient(ctx: Context, recipient: string): Promise<void> {
  const now = ctx.clock.date();
  await write(ctx, { system: "alerts" }, async (w) => {
    await store.lockRecipient(w.tx, recipient);
    const due = await store.lockDueAlerts(w.tx, recipient, now);
    const { isConfirmed, hasEnded, mails } = await store.findAddress(w.tx, recipient);
    const isUnconfirmed = ({ credentialId, isOwnTree }: store.DueAlert) =>
      credentialId === null && !isConfirmed && !isOwnTree;
    const reasonOf = (one: store.DueAlert) =>
      !one.isStillTheirs
        ? one.credentialId === null
          ? "the sensor has a new owner"
          : "this login no longer has access"
        : one.credentialId === null && hasEnded
          ? hasUnsubscribed
          : isUnconfirmed(one) && mails >= maxUnconfirmedMails
            ? "the recipient has not confirmed the address"
            : findObsoleteReason(one);
    const dropped = Map.groupBy(due, reasonOf);
    const issues = dropped.get(null) ?? [];
    for (const [reason, some] of dropped)
      if (reason !== null)
        await store.saveAlertOutcomes(
          w.tx,
          some.map(({ id }) => id),
          { dropped: reason },
        );
    // If another process has just mailed this recipient, these issues wait for the next mail.
    if (issues.length === 0 || !(await store.recordMail(w.tx, recipient, now, minMailGapMs))) return;
    const isOwner = issues.every(({ credentialId }) => credentialId !== null);
    const { publicUrl } = ctx.config;
    const unsubscribeUrl = isOwner ? null : createUnsubscribeUrl(ctx, recipient);
    const unconfirmed = !issues.some(isUnconfirmed) ? null : { left: maxUnconfirmedMails - mails - 1 };
    const mail = { to: recipient, ...alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }) };
    const { at: sentAt } = await queueMails(ctx, w, [unsubscribeUrl === null ? mail : { ...mail, unsubscribeUrl }], {
      bulk: false,
    });
    if (unconfirmed) await store.countUnconfirmedMail(w.tx, recipient);
    await store.saveAlertOutcomes(
      w.tx,
      issues.map(({ id }) => id),
      { sentAt },
    );
  });
}

function findObsoleteReason({ issueStatus, isDeferred, isOver, isBack, isFollowed }: store.DueAlert): string | null {
  if (issueStatus === "Ok") return isBack ? "the issue came back before the email was sent" : null;
  if (isFollowed) return "the state changed before the email was sent";
  return isDeferred && isOver ? "it was resolved before the next active day" : null;
}

type Ending = { email: string; enabled: boolean; confirmed: boolean };

/** Whether issue mails go to the address of the token; null for an invalid token. */
export async function findAlertSubscription(ctx: Context, token: string): Promise<Ending | null> {
  const email = readAlertToken(ctx.config, token);
  if (email === null) return null;
  const { isConfirmed, hasEnded } = await store.findAddress(ctx.db, email);
  return { email, enabled: !hasEnded, confirmed: isConfirmed };
}

/**
 * Enables issue mails to the address of the token, and removes the limit for unconfirmed addresses. Returns null for an invalid token.
 */
export async function confirmAlertAddress(ctx: Context, token: string, requestId: string): Promise<Ending | null> {
  const email = readAlertToken(ctx.config, token);
  if (email === null) return null;
  await write(ctx, { system: requestId }, (w) => store.confirmAddress(w.tx, email, ctx.clock.date()));
  return { email, enabled: true, confirmed: true };
}

/** Unsubscribes the address of the token. Deletes its queued mails, except those that it gets as an owner. Idempotent. */
export async function unsubscribeFromAlerts(ctx: Context, token: string, requestId: string) {
  const email = readAlertToken(ctx.config, token);
  if (email === null) return null;
  await write(ctx, { system: requestId }, async (w) => {
    await store.lockRecipient(w.tx, email);
    await store.unsubscribeAddress(w.tx, email, ctx.clock.date());
    const queuedAt = await withdrawMails(w.tx, email, createUnsubscribeUrl(ctx, email));
    await store.withdrawAlerts(w.tx, email, queuedAt, hasUnsubscribed);
  });
  return findAlertSubscription(ctx, token);
}
