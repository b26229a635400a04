// Mails about states: queued with the state in one transaction, gathered per recipient, sent by the outbox (MO-03, ADR 0022).
import { maxUnconfirmedMails } from "@psp/contract/monitoring/limits.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { queueMails, withdrawMails } from "../../mail/outbox.ts";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { type CheckedConfig, readConfig } from "../evaluate.rules.ts";
import type { Subject } from "../monitoring.store.ts";
import * as store from "./alert.store.ts";
import { readEnding, signEnding } from "./ending-token.rules.ts";
import { alertMail } from "./alert-mail.rules.ts";
import { gatherMs, whenToMail } from "./when.rules.ts";

/** Whose configuration it is that mails about a sensor. */
export type Mailing = { config: CheckedConfig; accountId: string; zone: string | null };

/** By whose configuration a sensor is monitored: its own, else its location's; null when it is not monitored. */
export function mailingOf({ isMonitored, own, inherited, location, ownerId, zone }: Subject): Mailing | null {
  const config = isMonitored ? readConfig(own ?? inherited) : null;
  return config && { config, accountId: own === null ? (location?.ownerId ?? ownerId) : ownerId, zone };
}

/** A state that came up; `offlineSinceMs` is null where it is not about the connection. */
export type Raised = Mailing & {
  statusId: string;
  status: "Warning" | "Error";
  num: number;
  offlineSinceMs: number | null;
};

/** Sensors that fall silent within this time are one outage: its first mail waits until all of them have been silent for long enough. */
const outageMs = 5 * 60_000;

/** When the whole outage has come up that a state belongs to, by sensor. */
async function findOutages(tx: Tx, raised: readonly Raised[]): Promise<Map<number, number>> {
  const silent = raised.filter(({ offlineSinceMs }) => offlineSinceMs !== null);
  const later = await store.findLaterSilences(
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

/** However an address is spelled, it has one holder, who confirms it once and ends it once. */
const othersOf = ({ alert }: CheckedConfig) => alert.email.toOther.map((email) => email.toLowerCase());

/** Why a configuration does not mail about a status at all, in plain words; null if it does. */
export function whyNotMailed({ alert }: CheckedConfig, status: "Warning" | "Error"): string | null {
  const { onWarning, onError } = alert.email;
  if (status === "Error" ? onError : onWarning) return null;
  return `emails about ${status === "Error" ? "errors" : "warnings"} are turned off`;
}

/** By configuration who is to be mailed at the moment: addresses with the login, null for additional ones. */
export async function findRecipients(tx: Tx, mailings: readonly Mailing[]) {
  const owners = mailings.filter(({ config }) => config.alert.email.toOwner).map(({ accountId }) => accountId);
  const logins = await store.findLogins(tx, owners);
  const ended = await store.findEnded(tx, [...new Set(mailings.flatMap(({ config }) => othersOf(config)))]);
  return ({ config, accountId }: Mailing): Map<string, string | null> => {
    const owned = config.alert.email.toOwner ? (logins.get(accountId) ?? []) : [];
    const recipients = new Map<string, string | null>(owned.map(({ email, id }) => [email, id]));
    const own = new Set(owned.map(({ email }) => email.toLowerCase()));
    for (const email of othersOf(config)) if (!ended.has(email) && !own.has(email)) recipients.set(email, null);
    return recipients;
  };
}

/** What is to be mailed about states, to the recipients of the moment; and by state why there is no mail, in plain words. */
export async function planAlerts(
  tx: Tx,
  raised: readonly Raised[],
  nowMs: number,
): Promise<{ alerts: store.NewAlert[]; notMailed: Map<string, string> }> {
  const notMailed = new Map<string, string>();
  const recipientsOf = await findRecipients(tx, raised);
  const outages = await findOutages(tx, raised);
  const alerts: store.NewAlert[] = [];
  for (const one of raised) {
    const { statusId, status, config, zone, num, offlineSinceMs } = one;
    const refuse = (reason: string) => void notMailed.set(statusId, reason);
    const whyNot = whyNotMailed(config, status);
    if (whyNot !== null) {
      refuse(whyNot);
      continue;
    }
    const when = whenToMail(config.activeWeekDays, zoneOf(zone), nowMs);
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

/** Queues what was planned; the states must be written. */
export const queueAlerts = (tx: Tx, alerts: readonly store.NewAlert[]) => store.insertAlerts(tx, alerts);

const atOnce = 200;

/** Mails what is due: one mail for each recipient, with everything that came up for them. */
export async function mailAlerts(ctx: Context, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const recipients = await store.findDueRecipients(ctx.db, ctx.clock.date(), gatherMs, atOnce);
    for (const recipient of recipients) {
      if (stopping?.aborted) return;
      await mailRecipient(ctx, recipient);
    }
    if (recipients.length < atOnce) return;
  }
}

const hasUnsubscribed = "the recipient has unsubscribed";

const endingUrl = ({ config }: Context, email: string) =>
  `${config.publicUrl}/unsubscribe?token=${signEnding(config, email)}`;

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
            : whyOutdated(one);
    const dropped = Map.groupBy(due, reasonOf);
    const issues = dropped.get(null) ?? [];
    for (const [reason, some] of dropped)
      if (reason !== null)
        await store.settleAlerts(
          w.tx,
          some.map(({ id }) => id),
          { dropped: reason },
        );
    // Another process was faster: what is left waits for its turn.
    if (issues.length === 0 || !(await store.noteMailed(w.tx, recipient, now, gatherMs))) return;
    const isOwner = issues.every(({ credentialId }) => credentialId !== null);
    const { publicUrl } = ctx.config;
    const unsubscribeUrl = isOwner ? null : endingUrl(ctx, recipient);
    const unconfirmed = !issues.some(isUnconfirmed) ? null : { left: maxUnconfirmedMails - mails - 1 };
    const mail = { to: recipient, ...alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }) };
    const sentAt = await queueMails(ctx, w, [unsubscribeUrl === null ? mail : { ...mail, unsubscribeUrl }], {
      bulk: false,
    });
    if (unconfirmed) await store.noteUnconfirmedMail(w.tx, recipient);
    await store.settleAlerts(
      w.tx,
      issues.map(({ id }) => id),
      { sentAt },
    );
  });
}

/** Why there is nothing left to tell; null while there is. */
function whyOutdated({ issueStatus, isDeferred, isOver, isBack, isFollowed }: store.DueAlert): string | null {
  if (issueStatus === "Ok") return isBack ? "the issue came back before the email was sent" : null;
  if (isFollowed) return "the state changed before the email was sent";
  return isDeferred && isOver ? "it was resolved before the next active day" : null;
}

type Ending = { email: string; enabled: boolean; confirmed: boolean };

/** Whether mails about issues still go to the address of a link; null for a token that is not of this kind. */
export async function findEnding(ctx: Context, token: string): Promise<Ending | null> {
  const email = readEnding(ctx.config, token);
  if (email === null) return null;
  const { isConfirmed, hasEnded } = await store.findAddress(ctx.db, email);
  return { email, enabled: !hasEnded, confirmed: isConfirmed };
}

/** The holder of a link's address wants mails about issues, from now on without a limit; null for a token that is not of this kind. */
export async function confirmAlerts(ctx: Context, token: string, requestId: string): Promise<Ending | null> {
  const email = readEnding(ctx.config, token);
  if (email === null) return null;
  await write(ctx, { system: requestId }, (w) => store.confirmAddress(w.tx, email, ctx.clock.date()));
  return { email, enabled: true, confirmed: true };
}

/**
 * Ends the mails about issues to the address of a link, also those that are queued, but for what it gets as an owner; done twice it is
 * done.
 */
export async function endAlerts(ctx: Context, token: string, requestId: string) {
  const email = readEnding(ctx.config, token);
  if (email === null) return null;
  await write(ctx, { system: requestId }, async (w) => {
    await store.lockRecipient(w.tx, email);
    await store.endAddress(w.tx, email, ctx.clock.date());
    const queuedAt = await withdrawMails(w.tx, email, endingUrl(ctx, email));
    await store.withdrawAlerts(w.tx, email, queuedAt, hasUnsubscribed);
  });
  return findEnding(ctx, token);
}
