// Use cases of sessions on device pages: list, extend, answer, and end (PC-01, ADR 0025). Requests for sessions are in
// auto-login.service.ts.
import { errorCode } from "@psp/contract/errors.ts";
import { type AccessMode, type RemoteSession, formatSessionLength } from "@psp/contract/remote-access/remote-access.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { daysAgo } from "../kit/clock.ts";
import { AppError } from "../kit/app-error.ts";
import { entityUpdated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { isTrustedLogin, requireTrustedLogin } from "../owned/consent.ts";
import { findOwners, getOwner, requireOwnAccountEdit } from "../owned/owner.ts";
import { sensorReasons } from "../sensor/sensor.reasons.ts";
import { mailConsentAnswer, canConsent, unansweredDays } from "./consent.service.ts";
import { withdrawVpn } from "../vpn/vpn.service.ts";
import * as store from "./remote-access.store.ts";

const keptDays = 90;
const shownWrites = 50;
export const maxWrites = 200;

export type EndReason = "ended" | "time" | "replaced" | "refused" | "logout" | "rights" | "consent";

export async function requireDevicePageSensor(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<store.DevicePageSensor> {
  const sensor = await store.findDevicePageSensor(ctx.db, caller, id);
  if (!sensor) throw new AppError(errorCode.notFound);
  return sensor;
}

export const addSeconds = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);

/** Lists the open, pending and granted sessions of a sensor. */
export async function listRemoteSessions(ctx: Context, caller: Caller, id: string): Promise<RemoteSession[]> {
  const sensor = await requireDevicePageSensor(ctx, caller, id);
  const rows = await store.findSessions(ctx.db, sensor.num, ctx.clock.date());
  return showSessions(
    ctx,
    caller,
    sensor,
    rows.filter((row) => row.started_at !== null || row.consent !== null),
  );
}

async function showSessions(
  ctx: Context,
  caller: Caller,
  sensor: store.DevicePageSensor,
  rows: readonly store.SessionRow[],
  reader: Tx | Context["db"] = ctx.db,
): Promise<RemoteSession[]> {
  if (rows.length === 0) return [];
  const accounts = await findOwners(reader, [...new Set([sensor.owner_id, ...rows.map((row) => row.account_id)])]);
  const owner = accounts.get(sensor.owner_id);
  const mayAnswer = owner !== undefined && canConsent(caller, owner) && (await isTrustedLogin(ctx, reader, caller));
  return rows.map((row): RemoteSession => ({
    _id: row.id,
    // Names invisible accounts, too, as the sensor's history does: the owner may know who accesses the sensor.
    account: { _id: row.account_id, name: accounts.get(row.account_id)?.name ?? "" },
    mode: row.mode as AccessMode,
    reason: row.reason,
    state: row.started_at ? "open" : row.consent === "waiting" ? "waiting" : "granted",
    startedAt: (row.started_at ?? row.asked_at).toISOString(),
    until: row.until?.toISOString() ?? null,
    minutes: row.minutes,
    isOwn: row.account_id === caller.id,
    mayConsent: row.consent === "waiting" && mayAnswer,
  }));
}

/**
 * Extends a session of the caller, or answers a pending request for consent. Throws 105 if there is no such session, 305 or 306 if the
 * caller may not change it.
 */
export async function changeRemoteSession(
  ctx: Context,
  caller: Caller,
  { id, sessionId }: { id: string; sessionId: string },
  change: { minutes: number } | { consent: boolean },
): Promise<RemoteSession | null> {
  const sensor = await requireDevicePageSensor(ctx, caller, id);
  const owner = await getOwner(ctx.db, sensor.owner_id);
  return write(ctx, caller, async (w) => {
    const row = await store.lockSession(w.tx, sensor.num, sessionId);
    if (!row) throw new AppError(errorCode.notFound);
    if ("consent" in change) {
      if (!canConsent(caller, owner)) throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, owner));
      await requireTrustedLogin(ctx, w.tx, caller);
      if (row.consent !== "waiting")
        throw new AppError(errorCode.invalidArgument, {
          field: "consent",
          reason: "This request was already answered",
        });
      const asked = { mode: row.mode, reason: row.reason, account: row.account_id };
      auditSession(w, "answerRemoteAccess", sensor.id, owner, { ...asked, consent: change.consent });
      await mailConsentAnswer(ctx, w, sensor.id, row, change.consent);
      if (!change.consent) {
        await endSessions(ctx, w, [row.id], "refused");
        return null;
      }
      w.announce(entityUpdated("sensor", sensor.id, owner.id));
      return shown(ctx, caller, sensor, await store.updateSession(w.tx, row.id, { consent: "given" }), w.tx);
    }
    if (row.account_id !== caller.id)
      throw new AppError(errorCode.noPermission, { reason: "Only the person who opened a session can extend it." });
    if (row.started_at === null)
      throw new AppError(errorCode.invalidArgument, { reason: "The session is no longer open" });
    const now = ctx.clock.date();
    const until = addSeconds(now, change.minutes * 60);
    if (row.consent !== null && until > addSeconds(row.started_at, row.minutes * 60))
      throw new AppError(errorCode.noPermission, {
        reason: `The owner agreed to ${formatSessionLength(row.minutes)}. Request access again for more time.`,
      });
    const next = await store.updateSession(w.tx, row.id, { until });
    auditSession(w, "extendRemoteAccess", sensor.id, owner, { until: until.toISOString() });
    w.announce(entityUpdated("sensor", sensor.id, owner.id));
    return shown(ctx, caller, sensor, next, w.tx);
  });
}

async function shown(ctx: Context, caller: Caller, sensor: store.DevicePageSensor, row: store.SessionRow, tx: Tx) {
  return (await showSessions(ctx, caller, sensor, [row], tx))[0] ?? null;
}

/**
 * Ends a session. Allowed for the session's account and for accounts that may edit the sensor; throws 305 for others, and 105 if there
 * is no such session.
 */
export async function endRemoteSession(
  ctx: Context,
  caller: Caller,
  { id, sessionId }: { id: string; sessionId: string },
) {
  const sensor = await requireDevicePageSensor(ctx, caller, id);
  const owner = await getOwner(ctx.db, sensor.owner_id);
  return write(ctx, caller, async (w) => {
    const row = await store.lockSession(w.tx, sensor.num, sessionId);
    if (!row) throw new AppError(errorCode.notFound);
    if (row.account_id !== caller.id && !canEdit(caller, "sensor", owner))
      throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, owner));
    await endSessions(ctx, w, [row.id], "ended");
    return { _id: row.id };
  });
}

export async function endSessions(ctx: Context, w: UnitOfWork, ids: readonly string[], why: EndReason): Promise<void> {
  const ended = await store.endSessions(w.tx, ids, why, ctx.clock.date());
  if (ended.length === 0) return;
  const writes = Map.groupBy(
    await store.findWrites(
      w.tx,
      ended.map((one) => one.id),
    ),
    (row) => row.session_id,
  );
  for (const one of ended) {
    const wrote = writes.get(one.id) ?? [];
    // For a session that never started, the audit log has only the request and the answer.
    if (one.started_at !== null)
      auditSession(
        w,
        "endRemoteAccess",
        one.sensor_id,
        { id: one.owner_id, path: one.owner_path },
        {
          account: one.account_id,
          mode: one.mode,
          why,
          startedAt: one.started_at.toISOString(),
          writes: wrote
            .slice(0, shownWrites)
            .map(({ method, path, times }) => `${method} ${path}${times > 1 ? ` (${times})` : ""}`),
          ...(wrote.length > shownWrites ? { moreWrites: wrote.length - shownWrites } : {}),
        },
      );
    w.announce(entityUpdated("sensor", one.sensor_id, one.owner_id));
  }
  w.announce({ name: "remoteSessionsEnded", event: { ids: ended.map((one) => one.id) } });
}

export function auditSession(
  w: UnitOfWork,
  action: string,
  sensorId: string,
  owner: { id: string; path: string },
  after: object,
): void {
  w.audit({ action, object: { type: "sensor", _id: sensorId }, owner: { id: owner.id, path: owner.path }, after });
}

export async function endOverdueSessions(ctx: Context): Promise<void> {
  const ids = await store.findOverdueSessions(ctx.db, ctx.clock.date(), daysAgo(ctx, unansweredDays));
  if (ids.length > 0) await write(ctx, { system: "remote access" }, (w) => endSessions(ctx, w, ids, "time"));
}

export async function deleteOldRemoteSessions(ctx: Context): Promise<void> {
  await store.deleteOldSessions(ctx.db, daysAgo(ctx, keptDays));
}

/**
 * Ends the sessions of parent accounts on the owner's sensors and withdraws the sensors' VPN requests, because they need consent from
 * now on.
 */
async function endFromAbove(ctx: Context, w: UnitOfWork, owner: Caller): Promise<void> {
  await endSessions(ctx, w, await store.findSessionsOfAncestors(w.tx, owner.id, owner.parentAccounts), "consent");
  await withdrawVpn(ctx, w, owner.id);
}

export async function getRemoteConsent(ctx: Context, caller: Caller) {
  return { required: await store.isConsentRequired(ctx.db, caller.id) };
}

/**
 * Sets whether the caller's account requires consent. Parent accounts can't set this for it, because they must not disable its
 * protection. Throws 305 without the right to edit the account. To require consent, the caller also needs the right to edit the
 * account's sensors, because giving consent needs it.
 */
export async function setRemoteConsent(ctx: Context, caller: Caller, required: boolean) {
  requireOwnAccountEdit(caller);
  if (required && !canEdit(caller, "sensor", caller))
    throw new AppError(errorCode.noEdit, { reason: "To answer requests, you need permission to edit your sensors." });
  return write(ctx, caller, async (w) => {
    if (!required) await requireTrustedLogin(ctx, w.tx, caller);
    if (await store.setConsentRequired(w.tx, caller.id, required)) {
      if (required) await endFromAbove(ctx, w, caller);
      w.audit({
        action: "remote-consent",
        object: { type: "account", _id: caller.id },
        owner: { id: caller.id, path: caller.path },
        before: { remoteConsent: !required },
        after: { remoteConsent: required },
      });
    }
    return { required };
  });
}
