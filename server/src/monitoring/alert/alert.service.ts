// Mails about states: queued with the state in one transaction, gathered per recipient, sent by the outbox (decisions 8, ADR 0075).
import { unconfirmedMails } from "@psp/contract/monitoring/limits.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { queueMails } from "../../mail/outbox.ts";
import { zoneOf } from "../../count/zone.rules.ts";
import type { CheckedConfig } from "../evaluate.rules.ts";
import * as store from "./alert.store.ts";
import { readEnding, signEnding } from "./ending-token.rules.ts";
import { alertMail } from "./letter.rules.ts";
import { gatherMs, whenToMail } from "./when.rules.ts";

/** A state that came up, by whose configuration, and which account owns that. */
export type Raised = {
  statusId: string;
  status: "Warning" | "Error";
  config: CheckedConfig;
  accountId: string;
  zone: string | null;
};

/** However an address is spelled, it has one holder, who confirms it once and ends it once. */
const othersOf = ({ alert }: CheckedConfig) => alert.email.toOther.map((email) => email.toLowerCase());

/** What is to be mailed about states, to the recipients of the moment; and by state why there is no mail, in plain words. */
export async function planAlerts(
  tx: Tx,
  raised: readonly Raised[],
  nowMs: number,
): Promise<{ alerts: store.NewAlert[]; notMailed: Map<string, string> }> {
  const notMailed = new Map<string, string>();
  const owners = raised.filter(({ config }) => config.alert.email.toOwner).map(({ accountId }) => accountId);
  const logins = await store.findLogins(tx, owners);
  const others = [...new Set(raised.flatMap(({ config }) => othersOf(config)))];
  const ended = await store.findEnded(tx, others);
  const alerts: store.NewAlert[] = [];
  for (const { statusId, status, config, accountId, zone } of raised) {
    const { onWarning, onError, toOwner } = config.alert.email;
    const refuse = (reason: string) => void notMailed.set(statusId, reason);
    if (!(status === "Error" ? onError : onWarning)) {
      refuse(`mails on ${status === "Error" ? "errors" : "warnings"} are switched off`);
      continue;
    }
    const when = whenToMail(config.activeWeekDays, zoneOf(zone), nowMs);
    if (when === null) {
      refuse("no day of the week is active");
      continue;
    }
    const owned = toOwner ? (logins.get(accountId) ?? []) : [];
    const recipients = new Map<string, string | null>(owned.map(({ email, id }) => [email, id]));
    const own = new Set(owned.map(({ email }) => email.toLowerCase()));
    for (const email of othersOf(config)) if (!ended.has(email) && !own.has(email)) recipients.set(email, null);
    if (recipients.size === 0) refuse("there is no one to mail to");
    for (const [recipient, credentialId] of recipients)
      alerts.push({ statusId, recipient, credentialId, dueMs: when.dueMs, isDeferred: when.isDeferred });
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

async function mailRecipient(ctx: Context, recipient: string): Promise<void> {
  const now = ctx.clock.date();
  await write(ctx, { system: "alerts" }, async (w) => {
    const due = await store.lockDueAlerts(w.tx, recipient, now);
    const { isConfirmed, hasEnded, mails } = await store.findAddress(w.tx, recipient);
    const isSpent = !isConfirmed && mails >= unconfirmedMails;
    const reasonOf = (one: store.DueAlert) =>
      !one.isStillLogin
        ? "the login has no access any more"
        : one.credentialId === null && hasEnded
          ? "the recipient has unsubscribed"
          : one.credentialId === null && isSpent
            ? "its holder has not confirmed the address"
            : one.isDeferred && !one.holds
              ? "it was over before the next active day"
              : null;
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
    const unsubscribeUrl = isOwner ? null : `${publicUrl}/unsubscribe?token=${signEnding(ctx.config, recipient)}`;
    const unconfirmed = isOwner || isConfirmed ? null : { left: unconfirmedMails - mails - 1 };
    const mail = { to: recipient, ...alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }) };
    await queueMails(ctx, w, [unsubscribeUrl === null ? mail : { ...mail, unsubscribeUrl }], { bulk: false });
    if (unconfirmed) await store.noteUnconfirmedMail(w.tx, recipient);
    await store.settleAlerts(
      w.tx,
      issues.map(({ id }) => id),
      { sentAt: now },
    );
  });
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

/** Ends the mails about issues to the address of a link, but for those that it gets as an owner; done twice it is done. */
export async function endAlerts(ctx: Context, token: string, requestId: string) {
  const email = readEnding(ctx.config, token);
  if (email === null) return null;
  await write(ctx, { system: requestId }, (w) => store.endAddress(w.tx, email, ctx.clock.date()));
  return findEnding(ctx, token);
}
