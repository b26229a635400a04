// Asking for a session on a sensor's own pages: with a reason and a length, and with the owner's consent where the owner wants it.
import { errorCode } from "@psp/contract/errors.ts";
import type { callPsconnect } from "@psp/contract/remote-access/remote-access.api.ts";
import { type AccessMode, linkLifetimeSeconds, sessionMinutes } from "@psp/contract/remote-access/remote-access.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { type Write, writeOnceOnly } from "../db/write.ts";
import { AppError, tooMany } from "../kit/app-error.ts";
import { updated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { consentDemand, requireConsent } from "../owned/consent.ts";
import { ownerOf } from "../owned/owner.ts";
import { linkTokenPrefix } from "../proxy/request-rules.ts";
import { mailQuestion } from "./consent.service.ts";
import { end, inSeconds, note, requirePagedSensor } from "./remote-access.service.ts";
import * as store from "./remote-access.store.ts";

type Ask = HandlerInput<typeof callPsconnect>["body"];
/** Whether the sensor answers through its tunnel; null where this process has no tunnels. */
export type Probe = (sensorId: string) => Promise<boolean | null>;

/** Sessions of one sensor at the same time: of its owner, of all others, and of one other account. */
const maxSessions = { owner: 10, others: 40, other: 5 };

/**
 * A token for one session, or null while its owner's consent is awaited. Throws 503 for an unknown function, 102 for an unknown service
 * or user, 509 while the sensor can't be reached, 429 when too many are asked for.
 */
export async function getAutoLoginToken(ctx: Context, caller: Caller, id: string, { func, params }: Ask, probe: Probe) {
  const sensor = await requirePagedSensor(ctx, caller, id);
  if (func !== "getAutoLoginToken")
    throw new AppError(errorCode.invalidRpc, { field: "func", reason: "There is no such function" });
  if (params.service !== "device-hmi")
    throw new AppError(errorCode.invalidArgument, { field: "params.service", reason: "There is no such service" });
  const asked = askedMode(ctx, params.user);
  const owner = await ownerOf(ctx.db, sensor.owner_id);
  const mode: AccessMode = asked === "edit" && canEdit(caller, "sensor", owner) ? "edit" : "view";
  const { isNeeded: needsConsent } = await consentDemand(ctx.db, caller, owner, sensor, mode, ctx.clock.date());
  // For the root account, where the owner has no login that could answer.
  if (!needsConsent) await requireConsent(ctx, caller, owner, sensor, mode);
  if (needsConsent && !params.reason?.trim())
    throw new AppError(errorCode.missingArgument, {
      field: "params.reason",
      reason: "The owner of this sensor wants to know why before agreeing.",
    });
  // What is not there can't be opened; the owner can be asked meanwhile.
  if (!needsConsent) await requireReachable(sensor, probe);
  // What opens something is not handed out twice.
  return writeOnceOnly(ctx, caller, "The key was used already", async (w) => {
    const now = ctx.clock.date();
    const known = needsConsent ? await store.findConsented(w.tx, sensor.num, caller.id, mode) : undefined;
    if (known?.consent === "waiting") return { result: null };
    if (!known) await makeRoom(ctx, w, sensor, caller);
    const token = linkTokenPrefix + randomToken();
    const link =
      needsConsent && !known ? {} : { token_hash: hashToken(token), token_until: inSeconds(now, linkLifetimeSeconds) };
    const session = known
      ? await store.updateSession(w.tx, known.id, { ...link, session_id: caller.sessionId })
      : await store.insertSession(w.tx, {
          id: uuidv7(now.getTime()),
          sensor_num: sensor.num,
          owner_id: owner.id,
          account_id: caller.id,
          session_id: caller.sessionId,
          mode,
          reason: params.reason?.trim() ?? "",
          minutes: params.minutes ?? sessionMinutes.standard,
          asked_at: now,
          consent: needsConsent ? "waiting" : null,
          ...link,
        });
    if (session.consent === "waiting") {
      note(w, "askRemoteAccess", sensor.id, owner, { mode, reason: session.reason, minutes: session.minutes });
      await mailQuestion(ctx, w, caller, sensor.id, session);
      w.announce(updated("sensor", sensor.id, owner.id));
      return { result: null };
    }
    return { result: token };
  });
}

/**
 * The owner always finds room: with too many sessions its oldest one ends. Throws 429 for others, when this account or all of them
 * have theirs.
 */
async function makeRoom(ctx: Context, w: Write, { num, owner_id: owner }: store.PagedSensor, caller: Caller) {
  await store.holdSensor(w.tx, num);
  const all = await store.findCurrent(w.tx, num, ctx.clock.date());
  const own = all.filter(({ account_id: account }) => account === caller.id);
  if (caller.id === owner) {
    await end(
      ctx,
      w,
      own.slice(0, Math.max(0, own.length - maxSessions.owner + 1)).map(({ id }) => id),
      "replaced",
    );
    return;
  }
  const others = all.filter(({ account_id: account }) => account !== owner);
  if (own.length >= maxSessions.other || others.length >= maxSessions.others) throw tooMany(60);
}

function askedMode({ config }: Context, user: string): AccessMode {
  if (user === config.autoLogin.edit) return "edit";
  if (user === config.autoLogin.view) return "view";
  throw new AppError(errorCode.invalidArgument, { field: "params.user", reason: "There is no such user" });
}

async function requireReachable(sensor: store.PagedSensor, probe: Probe): Promise<void> {
  const isConnected = sensor.psconnect?.connectionStatus === "connected";
  if (isConnected && (await probe(sensor.id)) !== false) return;
  throw new AppError(errorCode.comLinkSensor, { reason: "The sensor is not connected to PS.Connect" });
}
