// Requests a session on device pages, with a reason, a duration, and the owner's consent if required.
import { errorCode } from "@psp/contract/errors.ts";
import type { callPsconnect } from "@psp/contract/remote-access/remote-access.api.ts";
import { type AccessMode, linkLifetimeSeconds, sessionMinutes } from "@psp/contract/remote-access/remote-access.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, writeOnceOnly } from "../db/write.ts";
import { AppError, tooManyRequests } from "../kit/app-error.ts";
import { entityUpdated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { getConsentRequirement, requireConsent } from "../owned/consent.ts";
import { getOwner } from "../owned/owner.ts";
import { linkTokenPrefix } from "../proxy/request-rules.ts";
import { mailConsentRequest } from "./consent.service.ts";
import { endSessions, addSeconds, auditSession, requireDevicePageSensor } from "./remote-access.service.ts";
import * as store from "./remote-access.store.ts";

type Ask = HandlerInput<typeof callPsconnect>["body"];
/** Whether the sensor responds through its tunnel; null if this process has no tunnels. */
export type SensorProbe = (sensorId: string) => Promise<boolean | null>;

/** Maximum concurrent sessions per sensor: of its owner, of all other accounts together, and of one other account. */
const maxSessions = { owner: 10, others: 40, other: 5 };

/**
 * Returns a session's one-time token, or null while the owner's consent is pending. Throws 503 for an unknown function, 102 for an
 * unknown service or user, 509 if the sensor is unreachable, 429 beyond the limits.
 */
export async function getAutoLoginToken(
  ctx: Context,
  caller: Caller,
  id: string,
  { func, params }: Ask,
  probe: SensorProbe,
) {
  const sensor = await requireDevicePageSensor(ctx, caller, id);
  if (func !== "getAutoLoginToken")
    throw new AppError(errorCode.invalidRpc, { field: "func", reason: "There is no such function" });
  if (params.service !== "device-hmi")
    throw new AppError(errorCode.invalidArgument, { field: "params.service", reason: "There is no such service" });
  const asked = askedMode(ctx, params.user);
  const owner = await getOwner(ctx.db, sensor.owner_id);
  const mode: AccessMode = asked === "edit" && canEdit(caller, "sensor", owner) ? "edit" : "view";
  const { isNeeded: needsConsent } = await getConsentRequirement(ctx.db, caller, owner, sensor, mode, ctx.clock.date());
  // Audits an override, if the root account needs no consent because the owner has no login that could give it.
  if (!needsConsent) await requireConsent(ctx, caller, owner, sensor, mode);
  if (needsConsent && !params.reason?.trim())
    throw new AppError(errorCode.missingArgument, {
      field: "params.reason",
      reason: "The owner of this sensor asks for a reason.",
    });
  // A request for consent does not need a reachable sensor.
  if (!needsConsent) await requireReachable(sensor, probe);
  // A token must not be issued twice.
  return writeOnceOnly(ctx, caller, "This idempotency key was already used", async (w) => {
    const now = ctx.clock.date();
    const known = needsConsent ? await store.findConsentedSession(w.tx, sensor.num, caller.id, mode) : undefined;
    if (known?.consent === "waiting") return { result: null };
    if (!known) await makeRoom(ctx, w, sensor, caller);
    const token = linkTokenPrefix + randomToken();
    const link =
      needsConsent && !known ? {} : { token_hash: hashToken(token), token_until: addSeconds(now, linkLifetimeSeconds) };
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
      auditSession(w, "askRemoteAccess", sensor.id, owner, { mode, reason: session.reason, minutes: session.minutes });
      await mailConsentRequest(ctx, w, caller, sensor.id, session);
      w.announce(entityUpdated("sensor", sensor.id, owner.id));
      return { result: null };
    }
    return { result: token };
  });
}

/** The owner always gets a session: at the limit, the owner's oldest session ends. Others get 429 at their limits. */
async function makeRoom(ctx: Context, w: UnitOfWork, { num, owner_id: owner }: store.DevicePageSensor, caller: Caller) {
  await store.serializeRequests(w.tx, num);
  const all = await store.findCurrentSessions(w.tx, num, ctx.clock.date());
  const own = all.filter(({ account_id: account }) => account === caller.id);
  if (caller.id === owner) {
    await endSessions(
      ctx,
      w,
      own.slice(0, Math.max(0, own.length - maxSessions.owner + 1)).map(({ id }) => id),
      "replaced",
    );
    return;
  }
  const others = all.filter(({ account_id: account }) => account !== owner);
  if (own.length >= maxSessions.other || others.length >= maxSessions.others) throw tooManyRequests(60);
}

function askedMode({ config }: Context, user: string): AccessMode {
  if (user === config.autoLogin.edit) return "edit";
  if (user === config.autoLogin.view) return "view";
  throw new AppError(errorCode.invalidArgument, { field: "params.user", reason: "There is no such user" });
}

async function requireReachable(sensor: store.DevicePageSensor, probe: SensorProbe): Promise<void> {
  const isConnected = sensor.psconnect?.connectionStatus === "connected";
  if (isConnected && (await probe(sensor.id)) !== false) return;
  throw new AppError(errorCode.comLinkSensor, { reason: "The sensor is not connected to PS.Connect" });
}
