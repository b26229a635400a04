// Sessions at the door: which account a token stands for right now. Opaque tokens, stored hashed (decisions 4).
import { sessionLimits } from "@psp/contract/auth/auth.ts";
import { withOwnView } from "@psp/contract/permission/permissions.ts";
import "@fastify/cookie";
import type { FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { isDatabaseError } from "../db/database.ts";
import { hashToken } from "../kit/tokens.ts";
import { isTrustedOrigin } from "./origin.ts";

export type SessionActor = Omit<Caller, "request">;

export const cookieName = "psp_session";

export type Sessions = {
  /** The actor of a request by bearer token or cookie; throws 106. A changing call by cookie needs our own Origin. */
  authenticate(request: FastifyRequest): Promise<SessionActor>;
  /** The actor of a bearer token, or null. */
  byToken(token: string): Promise<SessionActor | null>;
  /** The actor of a session id with their present rights, or null when it ended. */
  byId(sessionId: string): Promise<SessionActor | null>;
  /** Ends everything cached; the next call reads the database again. */
  forget(): void;
};

type Entry = { actor: SessionActor; expiresAt: number; touchedAt: number };
const touchEveryMs = 60_000;
const maxCached = 20_000;

/**
 * Actors are cached per session and thrown away by the bus events that change them, before the changing call is
 * answered: a lost right is gone at the next call. With several processes the events travel by NOTIFY.
 */
export function createSessions(ctx: Context): Sessions {
  const cache = new Map<string, Entry>();
  const byHash = new Map<string, string>();
  let generation = 0;
  const forget = () => {
    generation += 1;
    cache.clear();
    byHash.clear();
  };
  ctx.bus.on("rightsChanged", forget);
  ctx.bus.on("sessionsEnded", forget);
  ctx.bus.on("entityChanged", ({ type, op, presence }) => {
    // What is new is nobody's yet; an import makes thousands.
    if (op !== "create" && ((type === "account" && !presence) || type === "role")) forget();
  });

  async function load(column: "token_hash" | "id", value: Buffer | string): Promise<Entry | null> {
    const before = generation;
    const row = await ctx.db
      .selectFrom("session")
      .innerJoin("account", "account.id", "session.account_id")
      .innerJoin("credential", "credential.id", "session.credential_id")
      .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
      .where(`session.${column}`, "=", value)
      .where("account.is_deleted", "=", false)
      .where("credential.is_deleted", "=", false)
      .select([
        "session.id as sessionId",
        "session.credential_id as credentialId",
        "session.last_used_at as lastUsedAt",
        "session.expires_at as expiresAt",
        "credential.email",
        "account.id",
        "account.name",
        "account.path",
        "account.ancestor_ids as parentAccounts",
        "role.id as roleId",
        "role.permissions",
      ])
      .executeTakeFirst();
    if (!row) return null;
    const { lastUsedAt, expiresAt, permissions, ...rest } = row;
    const entry: Entry = {
      actor: { ...rest, permissions: permissions ? withOwnView(permissions) : null },
      expiresAt: expiresAt.getTime(),
      touchedAt: lastUsedAt.getTime(),
    };
    if (before === generation) {
      if (cache.size >= maxCached) forget();
      cache.set(entry.actor.sessionId, entry);
    }
    return entry;
  }

  async function alive(entry: Entry | null): Promise<SessionActor | null> {
    if (!entry) return null;
    const now = ctx.clock.now();
    if (now >= entry.expiresAt || now - entry.touchedAt >= sessionLimits.idleMs) return null;
    if (now - entry.touchedAt >= touchEveryMs) {
      entry.touchedAt = now;
      const at = new Date(now);
      await ctx.db.updateTable("session").set({ last_used_at: at }).where("id", "=", entry.actor.sessionId).execute();
      await ctx.db.updateTable("account").set({ last_seen_at: at }).where("id", "=", entry.actor.id).execute();
    }
    return entry.actor;
  }

  async function byToken(token: string): Promise<SessionActor | null> {
    if (token.length < 20 || token.length > 200) return null;
    const hash = hashToken(token);
    const key = hash.toString("base64");
    const known = cache.get(byHash.get(key) ?? "");
    if (known) return alive(known);
    const entry = await load("token_hash", hash);
    if (entry && cache.has(entry.actor.sessionId)) byHash.set(key, entry.actor.sessionId);
    return alive(entry);
  }

  return {
    forget,
    byToken,
    byId: async (sessionId) => alive(cache.get(sessionId) ?? (await load("id", sessionId))),
    async authenticate(request) {
      const bearer = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.authorization ?? "")?.[1] ?? queryToken(request);
      const cookie = request.cookies[cookieName];
      if (!bearer && cookie && request.method !== "GET" && request.method !== "HEAD") requireOwnOrigin(ctx, request);
      const token = bearer ?? (request.headers.authorization ? undefined : cookie);
      const actor = token ? await byToken(token).catch(failedCheck) : null;
      if (!actor) throw new AppError(106);
      return actor;
    },
  };
}

/** Whose rights can't be looked up may neither be let in nor be told that the session is over. */
function failedCheck(error: unknown): never {
  if (!isDatabaseError(error)) throw error;
  throw new AppError(307, undefined, { headers: { "retry-after": "2" }, cause: error });
}

/** The data service takes the token as a parameter, too: spreadsheets and scripts can send nothing else (decisions 7). */
function queryToken(request: FastifyRequest): string | undefined {
  const { token } = request.query as { token?: unknown };
  return request.url.startsWith("/data/") && typeof token === "string" ? token : undefined;
}

/** A changing call that is carried by the cookie must come from one of our own pages (403/106 otherwise). */
export function requireOwnOrigin(ctx: Context, request: FastifyRequest): void {
  if (isTrustedOrigin(ctx.config, request.headers.origin, request.socket.localPort)) return;
  const { publicUrl } = ctx.config;
  const reason = `This console is set up for ${publicUrl}. Open it there.`;
  throw new AppError(106, { reason, publicUrl }, { status: 403 });
}
