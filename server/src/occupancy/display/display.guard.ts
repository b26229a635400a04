// Who may read a display: sessions that may view the location, and tokens of its links; what both may is looked at again when
// rights change (T-24).
import { errorCode } from "@psp/contract/errors.ts";
import { checkDisplayLink, exchangeDisplayKey } from "@psp/contract/occupancy/occupancy.api.ts";
import { type Actor, canView } from "@psp/contract/permission/can.ts";
import { withOwnView } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { FastifyRequest } from "fastify";
import type { AfterProof } from "../../auth/auth.service.ts";
import type { Context } from "../../context.ts";
import type { Sessions } from "../../credential/session.service.ts";
import { AppError, tooMany } from "../../kit/app-error.ts";
import type { SessionActor } from "../../kit/caller.ts";
import { hashToken } from "../../kit/tokens.ts";
import { clientKey, createRateLimit } from "../../kit/limits/rate-limit.ts";
import type { Leases } from "../../open/lease.ts";
import { findOwners } from "../../owned/owner.ts";
import { admitLink, issueToken, openLink, type SealedLogin, tokenPrefix } from "./display.service.ts";
import { findPlace, findToken, touchToken } from "./display.store.ts";

/** Who reads: a session by its id, or a display by the digest of its token; and the account behind it. */
export type DisplayReader = { kind: "session" | "display"; key: string; accountId: string };
export type Refusal = "unknown" | "invisible";

export type DisplayGuard = ReturnType<typeof createDisplayGuard>;

/** What signing in offers here: sessions behind tickets and tokens, and its limits around a password. */
type SignIn = {
  admit(token: string): Promise<SessionActor | null>;
  whenProved<T>(client: string, login: SealedLogin & { requestId: string }, then: AfterProof<T>): Promise<T>;
};

const touchEveryMs = 24 * 3_600_000;
const maxKept = 20_000;
/** Opening a box takes milliseconds of the one thread that serves everybody. Those of a link that works count for nothing. */
const boxesPerClient = { max: 60, windowMs: 60_000 };
const boxesOfAll = { max: 50, windowMs: 1_000 };

export function createDisplayGuard(
  ctx: Context,
  leases: Pick<Leases, "beforeChecks">,
  sessions: Pick<Sessions, "byToken" | "byId">,
  auth: SignIn,
) {
  const tokens = createMemory(async (key) => loadToken(ctx, key));
  const owners = createMemory(async (locationId) => loadOwner(ctx, locationId));
  const prove = createLinkProof(ctx, auth);
  leases.beforeChecks((change) => {
    if (change.kind === "entity" && change.event.type === "sensor") return;
    tokens.forget();
    owners.forget();
  });

  /** Notes once a day that a token is in use, so that it is not discarded as a display that was given up. */
  async function touch(token: KnownToken): Promise<void> {
    const now = ctx.clock.now();
    if (now - token.usedAtMs < touchEveryMs) return;
    token.usedAtMs = now;
    await touchToken(ctx.db, token.id, new Date(now));
  }

  /** The account behind a reader, as far as it may read anything at this location. */
  async function actorOf({ kind, key }: DisplayReader, locationId: string): Promise<Actor | null> {
    if (kind === "session") return sessions.byId(key);
    const token = await tokens.get(key);
    if (token?.locationId !== locationId) return null;
    await touch(token);
    return token.actor;
  }

  /** Why the reader may not read the display of this location; null when it may. */
  async function refusalOf(reader: DisplayReader, locationId: string): Promise<Refusal | null> {
    const actor = await actorOf(reader, locationId);
    if (!actor) return "unknown";
    const owner = await owners.get(locationId);
    return owner && canView(actor, "measurement", owner) ? null : "invisible";
  }

  async function readerOf(
    text: string,
    session: (token: string) => Promise<Pick<SessionActor, "sessionId" | "id"> | null>,
  ): Promise<DisplayReader | null> {
    if (text.startsWith(tokenPrefix)) {
      const key = hashToken(text).toString("base64");
      const token = await tokens.get(key);
      return token && { kind: "display", key, accountId: token.actor.id };
    }
    const actor = await session(text);
    return actor && { kind: "session", key: actor.sessionId, accountId: actor.id };
  }

  async function admitted(reader: DisplayReader | null, locationId: string): Promise<DisplayReader | Refusal> {
    return reader === null ? "unknown" : ((await refusalOf(reader, locationId)) ?? reader);
  }

  return {
    refusalOf,
    /** The display of this reader is still open. */
    async keep({ kind, key }: DisplayReader): Promise<void> {
      const token = kind === "display" ? await tokens.get(key) : null;
      if (token) await touch(token);
    },
    /** By a session's token, a ticket (which is used up) or a display's token. */
    async admit(token: string, locationId: string): Promise<DisplayReader | Refusal> {
      return admitted(await readerOf(token, auth.admit), locationId);
    },
    /** Throws 106 or 105; by a session's or a display's token. */
    async requireReader(token: string | null, locationId: string): Promise<void> {
      const reader = token === null ? null : await readerOf(token, sessions.byToken);
      const found = await admitted(reader, locationId);
      if (found === "unknown") throw new AppError(errorCode.unauthorized);
      if (found === "invisible") throw new AppError(errorCode.notFound);
    },
    /** Exchanges the key of a link for a token. */
    async exchange(request: FastifyRequest, locationId: string, k: string, refused: RefusedLogin) {
      return prove(request, exchangeDisplayKey.name, k, issueToken(ctx, locationId, k), refused);
    },
    /** Whether a link that is being made will open the display; throws 106 with the field at fault. */
    async check(request: FastifyRequest, locationId: string, k: string, refused: RefusedLogin) {
      return prove(request, checkDisplayLink.name, k, admitLink(locationId, k), refused).catch((error: unknown) => {
        if (error instanceof AppError && error.code === errorCode.unauthorized && error.details === undefined)
          throw new AppError(errorCode.unauthorized, { field: "password", reason: "Email or password is wrong" });
        throw error;
      });
    },
  };
}

/**
 * Opens a link, with the limits of signing in and its trace of what is refused. Throws 429, before the box is opened, when
 * too many were tried by this client or by all.
 */
function createLinkProof(ctx: Context, auth: Pick<SignIn, "whenProved">) {
  const byClient = createRateLimit(ctx.clock, boxesPerClient.max, boxesPerClient.windowMs);
  const all = createRateLimit(ctx.clock, boxesOfAll.max, boxesOfAll.windowMs);

  return async function prove<T>(
    request: FastifyRequest,
    call: string,
    k: string,
    then: AfterProof<T>,
    refused: RefusedLogin,
  ): Promise<T> {
    const client = clientKey(request.ip);
    const waitS = byClient.peek(client) || all.take("all") || byClient.take(client);
    if (waitS > 0) throw tooMany(waitS);
    const login = openLink(ctx, k);
    if (login === null) throw new AppError(errorCode.unauthorized);
    const done = await auth
      .whenProved(request.ip, { ...login, requestId: request.id }, then)
      .catch((error: unknown) => {
        refused(request, call, login.email, error);
        throw error;
      });
    byClient.giveBack(client);
    return done;
  };
}

/** Writes down that an address and its password were refused. */
export type RefusedLogin = (request: FastifyRequest, call: string, email: string, error: unknown) => void;

type KnownToken = { id: string; locationId: string; usedAtMs: number; actor: Actor };

async function loadToken(ctx: Context, key: string): Promise<KnownToken | null> {
  const row = await findToken(ctx.db, Buffer.from(key, "base64"));
  if (!row) return null;
  const { tokenId: id, locationId, lastUsedAt, permissions, ...actor } = row;
  const rights = { ...actor, permissions: permissions && withOwnView(permissions) };
  return { id, locationId, usedAtMs: lastUsedAt.getTime(), actor: rights };
}

async function loadOwner(ctx: Context, locationId: string): Promise<Owner | null> {
  const place = await findPlace(ctx.db, locationId);
  return place && ((await findOwners(ctx.db, [place.ownerId])).get(place.ownerId) ?? null);
}

/** What was found is kept until it is forgotten; what was not found is asked for again. */
function createMemory<T>(load: (key: string) => Promise<T | null>) {
  let kept = new Map<string, Promise<T | null>>();
  return {
    get(key: string): Promise<T | null> {
      const known = kept.get(key);
      if (known) return known;
      if (kept.size >= maxKept) kept = new Map();
      const own = kept;
      const loading = load(key);
      own.set(key, loading);
      const drop = () => void own.delete(key);
      loading.then((found) => found === null && drop(), drop);
      return loading;
    },
    forget: () => void (kept = new Map()),
  };
}
