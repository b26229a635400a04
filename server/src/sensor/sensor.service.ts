// Use cases of sensors; each checks rights and rules, writes in a transaction, and publishes.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor, canUseFirmware } from "@psp/contract/permission/can.ts";
import { findHandOverDenial } from "@psp/contract/permission/why-not.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { createSensor as createCall, listSensors as listCall } from "@psp/contract/sensor/sensor.api.ts";
import { failedTaskStatuses } from "@psp/contract/sensor/install-progress.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { SensorChange } from "@psp/contract/sensor/sensor.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { readIdsAsJson } from "../db/list.ts";
import { bumpVersion, type UnitOfWork, write } from "../db/write.ts";
import { firmwareReasons } from "../firmware/firmware.reasons.ts";
import { findVisibleFirmware, requireVisibleFirmware } from "../firmware/firmware.service.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { seal } from "../kit/sealing.ts";
import { publishEntity, toOwnedResponse, checkDelete, checkCreate, lockForChange } from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { consentReasons, isProtectedOwner, requireConsent } from "../owned/consent.ts";
import type { StoredRow } from "../owned/noun.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { endAllTasks } from "../rollout/rollout.service.ts";
import { requireVisibleLocation } from "./change/assignment.service.ts";
import { requireVisiblePlace } from "./change/hand-over.service.ts";
import { changeSensors, deleteSensors, createPreAuthorizedRequest } from "./change/change.service.ts";
import type { TargetValues } from "./change/verdict.store.ts";
import { requestVpn, checkVpnRequest } from "../vpn/vpn.service.ts";
import * as devices from "../device/device.store.ts";
import { sensors, renderSensors } from "./sensor.noun.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import * as store from "./sensor.store.ts";

/** Returns the list, the total on request, or all ids as JSON text (SE-02). */
export async function listSensors(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, includeDeleted, onlyIDs, after, ...rest } = query;
  const { sortBy, sortDesc, ...filter } = rest;
  const sort = sortKeys({ sortBy, sortDesc });
  const { connectionTimeoutHours: timeoutHours } = ctx.config;
  const conditions = store.sensorConditions(caller, filter, { includeDeleted, now: ctx.clock.date(), timeoutHours });
  if (onlyIDs) return { ids: await readIdsAsJson(ctx.db, "sensor", conditions) };
  const counted = includeDeleted ? null : store.toCountedKinds(filter);
  const cut = { sort, skip, limit, after };
  const plan = await store.choosePlan(ctx.db, ctx.clock.now(), caller, cut, counted?.[0] === "sensor");
  const [rows, total] = await Promise.all([
    store.findSensorPage(ctx.db, caller, conditions, cut, plan),
    includeTotals ? store.countSensors(ctx.db, caller, conditions, counted) : undefined,
  ]);
  const objects = await renderSensors(ctx, ctx.db, caller, rows);
  return { page: total === undefined ? { objects } : { objects, total } };
}

/** Registers a sensor by hand; it gets its credential when it enrolls. */
export async function createSensor(
  ctx: Context,
  caller: Caller,
  { _id: id, owner: ownerId, type }: HandlerInput<typeof createCall>["body"],
) {
  return write(ctx, caller, async (w) => {
    const { owner } = await checkCreate(sensors, w.tx, caller, ownerId);
    const values = { owner_id: owner.id, owner_path: owner.path, type, awaited_since: ctx.clock.date() };
    const made = (await store.insertSensor(w.tx, { id, ...values })) || (await recreate(ctx, w, id, values));
    if (!made) throw new AppError(errorCode.invalidArgument, { field: "_id", ...sensorReasons.taken }, { status: 409 });
    w.audit({ action: "create", object: { type: "sensor", _id: id }, owner, after: { owner: owner.id, type } });
    publishEntity(w, { type: "sensor", op: "create", id, ownerBefore: null, ownerAfter: owner.id });
    // The creator may not be allowed to view the new sensor.
    return toOwnedResponse(ctx, w.tx, sensors, caller, id);
  });
}

/** Registers a deleted sensor as a new one. False if it is not deleted. */
async function recreate(
  ctx: Context,
  w: UnitOfWork,
  id: string,
  values: { owner_id: string; owner_path: string; type: string; awaited_since: Date },
): Promise<boolean> {
  const num = await devices.lockDeletedSensor(w.tx, id);
  if (num === null) return false;
  await endAllTasks(ctx, w, [id]);
  await devices.deleteDevice(w.tx, num);
  const bare = { firmware_id: null, claiming_code: null, visible_from: ctx.clock.date() };
  await devices.resetSensor(w.tx, id, { ...bumpVersion(ctx), ...values, ...bare });
  return true;
}

export async function updateSensor(ctx: Context, caller: Caller, id: string, change: SensorChange) {
  return write(ctx, caller, async (w) => {
    let rest: TargetValues["rest"];
    const { row, from, to, refs } = await lockForChange(sensors, w.tx, caller, id, change, {
      refer: (row, to) => references(w.tx, caller, row, to, change),
      mayHandOver: (from, to) =>
        throwIfDenied(findHandOverDenial(caller, from, to), ({ code }) =>
          code === errorCode.noChangeOwner
            ? sensorReasons.handOver(caller, from, to)
            : sensorReasons.assign(caller, to),
        ),
      async demand(row, refs, to) {
        requireSpecialRights(caller, refs);
        const isReleased = change.claimable === true && !row.claimable;
        if ((to || isReleased) && (await isProtectedOwner(w.tx, caller, row.owner_id)))
          throw to
            ? new AppError(errorCode.noChangeOwner, consentReasons.handOver)
            : new AppError(errorCode.noPermission, consentReasons.claimable);
        if (change.connectToVPN) await requireConsent(ctx, caller, await getOwner(w.tx, row.owner_id), row, "edit", w);
        if (change.claimable && !row.claiming_code)
          throw new AppError(errorCode.invalidArgument, { field: "claimable", ...sensorReasons.noCode });
        // The stored password belongs to the former owner and is not kept.
        rest = restCredentials(ctx, to ? { ...row, rest_password_sealed: null } : row, change);
        checkVpnRequest(row.vpn, change.connectToVPN === true, to !== null);
      },
    });
    const { connectToVPN, ...others } = change;
    // A change of owner already ends the VPN request.
    if (connectToVPN !== undefined && to === null) await requestVpn(ctx, w, row, connectToVPN);
    if (connectToVPN !== undefined && Object.keys(others).length === 0)
      return toOwnedResponse(ctx, w.tx, sensors, caller, id);
    const { measID, artifact, groups, claimable } = others;
    await changeSensors(ctx, w, createPreAuthorizedRequest(ctx, caller, [id]), {
      // Setting the current value also counts as a change: no batch requested before may overwrite it (ADR 0015).
      owner: change.owner === undefined ? undefined : (to ?? from),
      location: typeof measID === "string" ? { id: measID } : measID,
      firmware: typeof artifact === "string" ? { id: artifact, mayRetry: refs.firmware !== null } : artifact,
      groups: groups === null ? [] : groups,
      claimable,
      rest,
      monitoring: change.monitoringConfig,
    });
    return toOwnedResponse(ctx, w.tx, sensors, caller, id);
  });
}

/** Deletes a sensor. Its credential becomes invalid at once; its audit log stays. */
export async function deleteSensor(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    await checkDelete(sensors, w.tx, caller, await lockOwned(w.tx, sensors, caller, id));
    await deleteSensors(ctx, w, createPreAuthorizedRequest(ctx, caller, [id]));
    return { _id: id };
  });
}

type Stored = Pick<
  StoredRow<"sensor">,
  "owner_id" | "type" | "location_id" | "firmware_id" | "update_task" | "installation"
>;

/**
 * Returns the current firmware if the caller may use it and setting it again retries its installation, else null. Only
 * an installation that failed, was canceled or was reverted is retried.
 */
async function retriedFirmware(tx: Tx, caller: Caller, sensor: Stored, artifact: string | null | undefined) {
  const isInVain =
    sensor.installation === "reverted" || failedTaskStatuses.some((one) => one === sensor.update_task?.status);
  if (!artifact || !isInVain) return null;
  const firmware = await findVisibleFirmware(tx, caller, artifact);
  return firmware && canUseFirmware(caller, firmware) ? firmware : null;
}

/** Loads changed references: each must exist and be visible before rights are checked. */
async function references(tx: Tx, caller: Caller, sensor: Stored, to: OwnerWithPath | null, change: SensorChange) {
  const { measID, artifact } = change;
  const isNamed = measID && (to !== null || measID !== sensor.location_id);
  const location = isNamed ? await requireVisibleLocation(tx, caller, measID) : null;
  if (to && location) await requireVisiblePlace(tx, to, location.owner);
  const firmware = await (artifact && artifact !== sensor.firmware_id
    ? requireVisibleFirmware(tx, caller, artifact)
    : retriedFirmware(tx, caller, sensor, artifact));
  if (firmware && firmware.type !== sensor.type)
    throw new AppError(errorCode.invalidArgument, {
      field: "artifact",
      ...sensorReasons.otherType(firmware, sensor.type),
    });
  return { location, firmware };
}

function requireSpecialRights(caller: Caller, { location, firmware }: Awaited<ReturnType<typeof references>>): void {
  if (location && !canAssignSensor(caller, location.owner))
    throw new AppError(errorCode.noAssignSensor, sensorReasons.useLocation(caller, location.owner));
  if (firmware && !canUseFirmware(caller, firmware))
    throw new AppError(errorCode.noUseFirmware, firmwareReasons.use(caller, firmware));
}

/**
 * Without a password, the stored one is kept; throws 206 if none is stored. Null, or empty name and password, clears
 * both (SE-10).
 */
function restCredentials(
  ctx: Context,
  sensor: { id: string; rest_password_sealed: Buffer | null },
  change: SensorChange,
): TargetValues["rest"] {
  if (change.sensorFeatureCredentials === undefined) return undefined;
  const entry = change.sensorFeatureCredentials[0];
  if (!entry || (entry.username === "" && !entry.password)) return { username: null, sealed: null };
  if (entry.username === "")
    throw new AppError(errorCode.missingArgument, { field: "sensorFeatureCredentials.username" });
  if (entry.password) {
    const sealed = seal(ctx.config, `sensor-rest:${sensor.id}`, entry.password);
    return { username: entry.username, sealed };
  }
  if (entry.password === "" || sensor.rest_password_sealed === null)
    throw new AppError(errorCode.passwordMissing, {
      field: "sensorFeatureCredentials.password",
      ...sensorReasons.passwordMissing,
    });
  return { username: entry.username };
}
