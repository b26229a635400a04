// Authorizes readers of displays, by session or by display token, and checks them again when rights change (T-24).
import { errorCode } from "@psp/contract/errors.ts";
import { checkDisplayLink, exchangeDisplayKey } from "@psp/contract/occupancy/occupancy.api.ts";
import { type Actor, canView } from "@psp/contract/permission/can.ts";
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { FastifyRequest } from "fastify";
import type { AfterVerification } from "../../auth/auth.service.ts";
import type { Context } from "../../context.ts";
import type { SessionService } from "../../credential/session.service.ts";
import { AppError, tooManyRequests } from "../../kit/app-error.ts";
import type { SessionActor } from "../../kit/caller.ts";
import { hashToken } from "../../kit/tokens.ts";
import { clientKey, createRateLimit } from "../../kit/limits/rate-limit.ts";
import type { Leases } from "../../open/lease.ts";
import { findOwners } from "../../owned/owner.ts";
import { registerLink, issueToken, decryptLink, type SealedLogin, displayTokenPrefix } from "./display.service.ts";
import { findDisplayLocation, findToken, touchToken } from "./display.store.ts";

/** `key`: id of the session, or hash of the display's token. */
export type DisplayReader = { kind: "session" | "display"; key: string; accountId: string };
export type Refusal = "unknown" | "invisible";

export type DisplayGuard = ReturnType<typeof createDisplayGuard>;

type SignIn = {
  admit(token: string): Promise<SessionActor | null>;
  withVerifiedPassword<T>(
    client: string,
    login: SealedLogin & { requestId: string },
    then: AfterVerification<T>,
  ): Promise<T>;
};

const touchEveryMs = 24 * 3_600_000;
const maxKept = 20_000;
/** Limits the decryption of links, which blocks the event loop for milliseconds. Valid links do not count. */
const boxesPerClient = { max: 60, windowMs: 60_000 };
const boxesOfAll = { max: 50, windowMs: 1_000 };

export function createDisplayGuard(
  ctx: Context,
  leases: Pick<Leases, "registerCache">,
  sessions: Pick<SessionService, "byToken" | "byId">,
  auth: SignIn,
) {
  const tokens = createCache(async (key) => loadToken(ctx, key));
  const owners = createCache(async (locationId) => loadOwner(ctx, locationId));
  const prove = createLinkProof(ctx, auth);
  leases.registerCache((change) => {
    if (change.kind === "entity" && change.event.type === "sensor") return;
    tokens.forget();
    owners.forget();
  });

  /** Updates the last use once a day, so that the token is not deleted as unused. */
  async function touch(token: KnownToken): Promise<void> {
    const now = ctx.clock.now();
    if (now - token.usedAtMs < touchEveryMs) return;
    token.usedAtMs = now;
    await touchToken(ctx.db, token.id, new Date(now));
  }

  /** Returns the reader's account; null if the session has ended, or if the token is invalid or for another location. */
  async function findReaderActor({ kind, key }: DisplayReader, locationId: string): Promise<Actor | null> {
    if (kind === "session") return sessions.byId(key);
    const token = await tokens.get(key);
    if (token?.locationId !== locationId) return null;
    await touch(token);
    return token.actor;
  }

  async function findRefusal(reader: DisplayReader, locationId: string): Promise<Refusal | null> {
    const actor = await findReaderActor(reader, locationId);
    if (!actor) return "unknown";
    const owner = await owners.get(locationId);
    return owner && canView(actor, "measurement", owner) ? null : "invisible";
  }

  async function readerOf(
    text: string,
    session: (token: string) => Promise<Pick<SessionActor, "sessionId" | "id"> | null>,
  ): Promise<DisplayReader | null> {
    if (text.startsWith(displayTokenPrefix)) {
      const key = hashToken(text).toString("base64");
      const token = await tokens.get(key);
      return token && { kind: "display", key, accountId: token.actor.id };
    }
    const actor = await session(text);
    return actor && { kind: "session", key: actor.sessionId, accountId: actor.id };
  }

  async function admitted(reader: DisplayReader | null, locationId: string): Promise<DisplayReader | Refusal> {
    return reader === null ? "unknown" : ((await findRefusal(reader, locationId)) ?? reader);
  }

  return {
    refusalOf: findRefusal,
    /** Call it regularly while the display is open, so that its token is not deleted as unused. */
    async keep({ kind, key }: DisplayReader): Promise<void> {
      const token = kind === "display" ? await tokens.get(key) : null;
      if (token) await touch(token);
    },
    /** Accepts a session's token, a one-time ticket or a display's token. */
    async admit(token: string, locationId: string): Promise<DisplayReader | Refusal> {
      return admitted(await readerOf(token, auth.admit), locationId);
    },
    /** Accepts a session's or a display's token. Throws 106 if it is invalid, 105 if the location is not visible. */
    async requireReader(token: string | null, locationId: string): Promise<void> {
      const reader = token === null ? null : await readerOf(token, sessions.byToken);
      const found = await admitted(reader, locationId);
      if (found === "unknown") throw new AppError(errorCode.unauthorized);
      if (found === "invisible") throw new AppError(errorCode.notFound);
    },
    async exchange(request: FastifyRequest, locationId: string, k: string, refused: OnRefusedLogin) {
      return prove(request, exchangeDisplayKey.name, k, issueToken(ctx, locationId, k), refused);
    },
    /** Checks that a new link will open the display, and registers the link. Throws 106 with the field at fault. */
    async check(request: FastifyRequest, locationId: string, k: string, refused: OnRefusedLogin) {
      return prove(request, checkDisplayLink.name, k, registerLink(locationId, k), refused).catch((error: unknown) => {
        if (error instanceof AppError && error.code === errorCode.unauthorized && error.details === undefined)
          throw new AppError(errorCode.unauthorized, { field: "password", reason: "Email or password is wrong" });
        throw error;
      });
    },
  };
}

/**
 * Opens a link with the same limits and audit as signing in. Throws 429 before decrypting the link if this client, or all clients
 * together, tried too often.
 */
function createLinkProof(ctx: Context, auth: Pick<SignIn, "withVerifiedPassword">) {
  const byClient = createRateLimit(ctx.clock, boxesPerClient.max, boxesPerClient.windowMs);
  const all = createRateLimit(ctx.clock, boxesOfAll.max, boxesOfAll.windowMs);

  return async function prove<T>(
    request: FastifyRequest,
    call: string,
    k: string,
    then: AfterVerification<T>,
    refused: OnRefusedLogin,
  ): Promise<T> {
    const client = clientKey(request.ip);
    const waitS = byClient.peek(client) || all.take("all") || byClient.take(client);
    if (waitS > 0) throw tooManyRequests(waitS);
    const login = decryptLink(ctx, k);
    if (login === null) throw new AppError(errorCode.unauthorized);
    const done = await auth
      .withVerifiedPassword(request.ip, { ...login, requestId: request.id }, then)
      .catch((error: unknown) => {
        refused(request, call, login.email, error);
        throw error;
      });
    byClient.giveBack(client);
    return done;
  };
}

export type OnRefusedLogin = (request: FastifyRequest, call: string, email: string, error: unknown) => void;

type KnownToken = { id: string; locationId: string; usedAtMs: number; actor: Actor };

async function loadToken(ctx: Context, key: string): Promise<KnownToken | null> {
  const row = await findToken(ctx.db, Buffer.from(key, "base64"));
  if (!row) return null;
  const { tokenId: id, locationId, lastUsedAt, permissions, ...actor } = row;
  const rights = { ...actor, permissions: permissions && withOwnAccountView(permissions) };
  return { id, locationId, usedAtMs: lastUsedAt.getTime(), actor: rights };
}

async function loadOwner(ctx: Context, locationId: string): Promise<Owner | null> {
  const place = await findDisplayLocation(ctx.db, locationId);
  return place && ((await findOwners(ctx.db, [place.ownerId])).get(place.ownerId) ?? null);
}

/** Caches found values, but not misses. */
function createCache<T>(load: (key: string) => Promise<T | null>) {
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
