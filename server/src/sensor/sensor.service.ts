// Use cases about sensors: right, rule, transaction, announcement, in this order, always.
import {
  canAssignSensor,
  canCreateFor,
  canDelete,
  canEdit,
  canUseFirmware,
  isRoot,
} from "@psp/contract/permission/can.ts";
import { whyNotHandOverSensor } from "@psp/contract/permission/why-not.ts";
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import type { createSensor as createCall, listSensors as listCall } from "@psp/contract/sensor/sensor.api.ts";
import { endedInVain } from "@psp/contract/sensor/install-progress.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import type { Sensor, SensorChange } from "@psp/contract/sensor/sensor.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import { ownerOf, type PlacedOwner, requireNewOwner } from "../owned/owner.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import type { UpdateTask } from "../rollout/rollout.rules.ts";
import { bumped, checkVersion, type Write, write } from "../db/write.ts";
import { firmwareReasons } from "../firmware/firmware.reasons.ts";
import { findVisibleFirmware, requireVisibleFirmware } from "../firmware/firmware.service.ts";
import { requireVisibleLocation } from "./assignment.service.ts";
import { assignFirmware, forgetTasks } from "../rollout/rollout.service.ts";
import { seal } from "../kit/sealing.ts";
import { sql } from "kysely";
import { recordMove } from "./assignment.service.ts";
import { deleteLocked } from "./sensor.deletion.ts";
import { drawClaimingCodes, requirePlaceOf, withoutFormer } from "./hand-over.service.ts";
import { handedOver } from "./hand-over.store.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import { renewCredentialOnHandover } from "./sensor.renewal.ts";
import { findReferences, sightOf } from "./sensor.references.ts";
import * as devices from "./sensor.device.store.ts";
import * as store from "./sensor.store.ts";
import { sensorTrail, toSensor } from "./sensor.wire.ts";

type ListInput = Received<typeof listCall>["query"];

/** The list, its total on request, or all ids as a ready JSON text (SE-02). */
export async function listSensors(ctx: Context, caller: Caller, query: ListInput) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, includeDeleted, onlyIDs, after, ...rest } = query;
  const { sortBy, sortDesc, ...filter } = rest;
  const sort: SortKey[] = sortKeys({ sortBy, sortDesc });
  const conditions = store.sensorConditions(caller, filter, {
    includeDeleted,
    now: ctx.clock.date(),
    timeoutHours: ctx.config.connectionTimeoutHours,
  });
  if (onlyIDs) return { ids: await store.sensorIdsJson(ctx.db, conditions) };
  const counted = includeDeleted ? null : store.countedKinds(filter);
  const cut = { sort, skip, limit, after };
  const way = await store.wayTo(ctx.db, ctx.clock.now(), caller, cut, counted?.[0] === "sensor");
  const [rows, total] = await Promise.all([
    store.findSensorPage(ctx.db, caller, conditions, cut, way),
    includeTotals ? store.countSensors(ctx.db, caller, conditions, counted) : undefined,
  ]);
  const objects = await show(ctx, ctx.db, caller, rows);
  return { page: total === undefined ? { objects } : { objects, total } };
}

/** One visible sensor; what may not be seen is not there (105). */
export async function getSensor(ctx: Context, caller: Caller, id: string): Promise<Sensor> {
  const sensor = await findShown(ctx, ctx.db, caller, id);
  if (!sensor) throw new AppError(105);
  return sensor;
}

/** The sensors as this viewer gets to see them. */
async function show(ctx: Context, db: Reader, caller: Caller, rows: store.SensorRow[]): Promise<Sensor[]> {
  const around = await findReferences(db, rows);
  return rows.map((row) => toSensor(ctx, row, around, sightOf(caller, row, around)));
}

async function findShown(ctx: Context, db: Reader, caller: Caller, id: string): Promise<Sensor | null> {
  const row = await store.findSensor(db, caller, id);
  const [sensor] = row ? await show(ctx, db, caller, [row]) : [];
  return sensor ?? null;
}

/** Makes a sensor known by hand; it gets its credential when it enrols. */
export async function createSensor(
  ctx: Context,
  caller: Caller,
  input: Received<typeof createCall>["body"],
): Promise<Sensor | IdReply> {
  return write(ctx, caller, async (w) => {
    const owner = await requireNewOwner(w.tx, caller, input.owner);
    if (!canCreateFor(caller, "sensor", owner)) throw new AppError(303, sensorReasons.create(caller, owner));
    const awaited_since = ctx.clock.date();
    const values = { owner_id: owner.id, owner_path: owner.path, type: input.type, awaited_since };
    const made =
      (await store.insertSensor(w.tx, { id: input._id, ...values })) || (await makeAnew(ctx, w, input._id, values));
    if (!made) throw new AppError(102, { field: "_id", ...sensorReasons.taken }, { status: 409 });
    w.audit({
      action: "create",
      object: { type: "sensor", _id: input._id },
      owner,
      after: { owner: owner.id, type: input.type },
    });
    w.announce({
      name: "entityChanged",
      event: { type: "sensor", op: "create", id: input._id, ownerBefore: null, ownerAfter: owner.id },
    });
    // The creator may see less than they create.
    return answer(ctx, w.tx, caller, input._id);
  });
}

/** A deleted sensor is nobody's: it can be made known again, as a new one. False while it belongs to somebody. */
async function makeAnew(
  ctx: Context,
  w: Write,
  id: string,
  values: { owner_id: string; owner_path: string; type: string; awaited_since: Date },
): Promise<boolean> {
  const num = await devices.lockDeleted(w.tx, id);
  if (num === null) return false;
  await forgetTasks(ctx, w, [id]);
  await devices.forgetDevice(w.tx, num);
  const bare = { firmware_id: null, claiming_code: null, visible_from: ctx.clock.date() };
  await devices.resetSensor(w.tx, id, { ...bumped(ctx), ...values, ...bare });
  return true;
}

/** Changes what a person may change of a sensor; omitted fields stay (decisions 3). */
export async function updateSensor(
  ctx: Context,
  caller: Caller,
  id: string,
  change: SensorChange,
): Promise<Sensor | IdReply> {
  return write(ctx, caller, async (w) => {
    const sensor = await requireEditable(w.tx, caller, id);
    const before = sensorTrail(sensor);
    const refs = await references(w.tx, caller, sensor, change);
    requireSpecialRights(caller, refs);
    if (change.claimable && !sensor.claiming_code)
      throw new AppError(102, { field: "claimable", ...sensorReasons.noCode });
    // What is stored is the former owner's and goes with them.
    const rest = restCredentials(ctx, refs.owner ? { ...sensor, rest_password_sealed: null } : sensor, change);
    checkVersion(caller, sensor.version);
    if (change.artifact === null || refs.firmware)
      await assignFirmware(ctx, w, { sensorIds: [id], firmwareId: change.artifact ?? null, by: caller.id });

    const after = await w.tx
      .updateTable("sensor")
      .set({
        ...bumped(ctx),
        // Who names what the sensor has already means it, too: no batch that was asked for before may change it (ADR 0041).
        ...(change.owner !== undefined ? { owner_mark: store.nextMark } : {}),
        ...(change.artifact !== undefined ? { firmware_mark: store.nextMark } : {}),
        ...(refs.owner ? await givenTo(ctx, w.tx, refs.owner.to) : {}),
        ...(change.measID !== undefined ? { location_id: change.measID } : {}),
        ...(change.groups !== undefined ? { groups: [...new Set(change.groups ?? [])] } : {}),
        ...(change.claimable !== undefined ? { claimable: change.claimable } : {}),
        ...rest,
      })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (after.location_id !== sensor.location_id) await recordMove(ctx, w.tx, sensor.num, after.location_id);
    const now = sensorTrail(after);
    tell(w, "update", after, sensor.owner_id, refs.owner ? withoutFormer(before, now) : before, now);
    if (refs.owner) {
      await renewCredentialOnHandover(w.tx, [id]);
      w.audit({ action: "release", object: { type: "sensor", _id: id }, owner: refs.owner.from, before });
      w.announce({ name: "sensorsDropped", event: { sensorIds: [id] } });
    } else w.announce({ name: "desiredChanged", event: { sensorIds: [id] } });
    return answer(ctx, w.tx, caller, id);
  });
}

/** The columns of a sensor that goes to this account. */
async function givenTo(ctx: Context, tx: Tx, to: PlacedOwner) {
  const [code = ""] = await drawClaimingCodes(tx, 1);
  const anew = handedOver("sensor", { ownerId: to.id, at: ctx.clock.date(), freshCode: sql`${code}::text` });
  return { owner_id: to.id, owner_path: to.path, ...anew };
}

/** Deletes a sensor: its credential is void at once, its history stays for the audit trail only. */
export async function deleteSensor(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const sensor = await store.lockSensor(w.tx, caller, id);
    if (!sensor) throw new AppError(105);
    const owner = await ownerOf(w.tx, sensor.owner_id);
    if (!canDelete(caller, "sensor", owner)) throw new AppError(304, sensorReasons.remove(caller, owner));
    checkVersion(caller, sensor.version);
    await deleteLocked(ctx, w, [sensor]);
    return { _id: id };
  });
}

/** The operator grants or withdraws the monitoring licence; nobody else may (306). */
export async function grantLicenses(
  ctx: Context,
  caller: Caller,
  id: string,
  licenses: { monitoring?: boolean | undefined },
): Promise<Sensor | IdReply> {
  return write(ctx, caller, async (w) => {
    const sensor = await store.lockSensor(w.tx, caller, id);
    if (!sensor) throw new AppError(105);
    if (!isRoot(caller)) throw new AppError(306, sensorReasons.onlyOperator);
    checkVersion(caller, sensor.version);
    const after = await w.tx
      .updateTable("sensor")
      .set({ ...bumped(ctx), license_monitoring: licenses.monitoring ?? sensor.license_monitoring })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    tell(w, "grantLicenses", after, sensor.owner_id, sensorTrail(sensor), sensorTrail(after));
    return answer(ctx, w.tx, caller, id);
  });
}

async function requireEditable(tx: Tx, caller: Caller, id: string) {
  const sensor = await store.lockSensor(tx, caller, id);
  if (!sensor) throw new AppError(105);
  const owner = await ownerOf(tx, sensor.owner_id);
  if (!canEdit(caller, "sensor", owner)) throw new AppError(305, sensorReasons.edit(caller, owner));
  return sensor;
}

type Stored = {
  owner_id: string;
  type: string;
  location_id: string | null;
  firmware_id: string | null;
  update_task: UpdateTask | null;
};

/** The present firmware named once more after its installation failed or was canceled: another attempt, by those who may use it. */
async function retriedFirmware(tx: Tx, caller: Caller, sensor: Stored, artifact: string | null | undefined) {
  if (!artifact || !endedInVain.some((status) => status === sensor.update_task?.status)) return null;
  const firmware = await findVisibleFirmware(tx, caller, artifact);
  return firmware && canUseFirmware(caller, firmware) ? firmware : null;
}

/** What the body points at, as far as it changes: each must exist and be visible before any right about it is asked. */
async function references(tx: Tx, caller: Caller, sensor: Stored, change: SensorChange) {
  const { owner, measID, artifact } = change;
  const to = owner !== undefined && owner !== sensor.owner_id ? await requireNewOwner(tx, caller, owner) : null;
  const isNamed = measID && (to !== null || measID !== sensor.location_id);
  const location = isNamed ? await requireVisibleLocation(tx, caller, measID) : null;
  if (to && location) await requirePlaceOf(tx, to, location.owner);
  const firmware = await (artifact && artifact !== sensor.firmware_id
    ? requireVisibleFirmware(tx, caller, artifact)
    : retriedFirmware(tx, caller, sensor, artifact));
  if (firmware && firmware.type !== sensor.type)
    throw new AppError(102, { field: "artifact", ...sensorReasons.otherType(firmware, sensor.type) });
  return { owner: to ? { from: await ownerOf(tx, sensor.owner_id), to } : null, location, firmware };
}

function requireSpecialRights(caller: Caller, refs: Awaited<ReturnType<typeof references>>): void {
  const { owner, location, firmware } = refs;
  if (owner)
    refuseIf(whyNotHandOverSensor(caller, owner.from, owner.to), ({ code }) =>
      code === 302 ? sensorReasons.handOver(caller, owner.from, owner.to) : sensorReasons.assign(caller, owner.to),
    );
  if (location && !canAssignSensor(caller, location.owner))
    throw new AppError(301, sensorReasons.useLocation(caller, location.owner));
  if (firmware && !canUseFirmware(caller, firmware)) throw new AppError(309, firmwareReasons.use(caller, firmware));
}

/**
 * An entry without password keeps the stored one, and is refused where none is stored (206); empty name and password, or
 * no entry, clear them (SE-10).
 */
function restCredentials(
  ctx: Context,
  sensor: { id: string; rest_password_sealed: Buffer | null },
  change: SensorChange,
) {
  if (change.sensorFeatureCredentials === undefined) return {};
  const entry = change.sensorFeatureCredentials[0];
  if (!entry || (entry.username === "" && !entry.password)) return { rest_username: null, rest_password_sealed: null };
  if (entry.username === "") throw new AppError(104, { field: "sensorFeatureCredentials.username" });
  if (entry.password) {
    const sealed = seal(ctx.config, `sensor-rest:${sensor.id}`, entry.password);
    return { rest_username: entry.username, rest_password_sealed: sealed };
  }
  if (entry.password === "" || sensor.rest_password_sealed === null)
    throw new AppError(206, { field: "sensorFeatureCredentials.password", ...sensorReasons.passwordMissing });
  return { rest_username: entry.username };
}

function tell(
  w: Write,
  action: string,
  after: { id: string; owner_id: string; owner_path: string },
  ownerBefore: string,
  before: unknown,
  now: unknown,
) {
  const owner = { id: after.owner_id, path: after.owner_path };
  w.audit({ action, object: { type: "sensor", _id: after.id }, owner, before, after: now });
  w.announce({
    name: "entityChanged",
    event: { type: "sensor", op: "update", id: after.id, ownerBefore, ownerAfter: after.owner_id },
  });
}

/** The sensor after a change; of one that left the caller's sight only the id. */
async function answer(ctx: Context, tx: Tx, caller: Caller, id: string): Promise<Sensor | IdReply> {
  return (await findShown(ctx, tx, caller, id)) ?? { _id: id };
}
