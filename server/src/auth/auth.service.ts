// Use cases of signing in: sessions, tickets for the live socket, and presence (docs/rules/sessions.md).
import { type SessionUser, sessionLimits } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { normalizeText } from "@psp/contract/kit/text-bounds.ts";
import { getOwnAccount } from "../account/account.service.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { findSiteWarnings } from "../kit/site.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { announcing, type UnitOfWork, write } from "../db/write.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { publishAccount } from "../owned/change.ts";
import * as store from "./auth.store.ts";
import { verifyPassword } from "../credential/hashing.service.ts";
import { endSessions } from "../credential/session.service.ts";

/** After this many wrong passwords in a row, only known browsers may sign in until the password is reset. */
const failuresUntilLocked = 100;

export type LoginInput = {
  email: string;
  password: string;
  browser: string | null;
  userAgent: string | null;
  requestId: string;
};

/** Opens a session. Throws 106 for any failure (address, password, step, deleted, locked), always after the same time. */
export async function login(ctx: Context, input: LoginInput) {
  const known = input.browser !== null && /^[\w-]{43}$/.test(input.browser) ? input.browser : null;
  const token = randomToken();
  const browser = known ?? randomToken();
  const now = ctx.clock.date();
  const expiresAt = new Date(now.getTime() + sessionLimits.absoluteMs);
  await withVerifiedPassword(ctx, { ...input, browser: known }, async (w, row) => {
    await store.rememberBrowser(w.tx, row.credential_id, hashToken(browser), now);
    await store.insertSession(w.tx, {
      id: uuidv7(now.getTime()),
      token_hash: hashToken(token),
      account_id: row.account_id,
      credential_id: row.credential_id,
      created_at: now,
      last_used_at: now,
      expires_at: expiresAt,
      user_agent: input.userAgent?.slice(0, 300) ?? null,
    });
    const owner = { id: row.account_id, path: row.account_path };
    w.audit({ action: "login", object: { type: "account", _id: row.account_id }, owner });
  });
  ctx.metrics.logins.inc({ outcome: "ok" });
  return { token, browser, expiresAt };
}

type Proved = Pick<store.LoginRow, "credential_id" | "account_id" | "account_path">;
export type AfterVerification<T> = (w: UnitOfWork, proved: Proved) => Promise<T>;

/** Verifies the password and then runs `then` in a transaction that locks the login. Fails like `login`. */
export async function withVerifiedPassword<T>(
  ctx: Context,
  { email, password, browser, requestId }: Omit<LoginInput, "userAgent">,
  then: AfterVerification<T>,
): Promise<T> {
  const row = await store.findLogin(ctx.db, normalizeEmail(email), browser === null ? null : hashToken(browser));
  const isKnown = row?.is_known_browser ?? false;
  const stored = row && isOpen(row) ? row.password_hash : null;
  // Runs during the comparison, so that the response time does not reveal whether the address exists. The attempt is counted before
  // its result is known; otherwise many queued attempts could all use the last remaining one.
  const counting = store.takeAttempt(ctx.db, row?.credential_id ?? null, failuresUntilLocked);
  const [isCounted, isRight] = await Promise.all([
    counting,
    verifyPassword(ctx, stored, password, isKnown ? "known" : "anyone"),
  ]).catch(async (error: unknown) => {
    // An attempt that was rejected before the comparison does not count. Otherwise a flood from strangers would lock everybody out.
    await store.returnAttempt(ctx.db, (await counting) ? (row?.credential_id ?? null) : null);
    throw error;
  });
  const hash = isCounted || isKnown ? stored : null;
  if (hash !== null) ctx.metrics.passwordsCompared.inc();
  if (!isRight || !row || hash === null) return throwInvalidLogin(ctx);
  const done = await write(ctx, { system: requestId }, async (w) => {
    // The password may have changed during the comparison.
    if (!(await store.lockCredential(w.tx, row.credential_id, hash))) return null;
    if (isCounted) await store.clearFailedLogins(w.tx, row.credential_id);
    return { value: await then(w, row) };
  });
  return done === null ? throwInvalidLogin(ctx) : done.value;
}

export async function findAccountByEmail(ctx: Context, email: string): Promise<{ id: string; path: string } | null> {
  const row = await store.findLogin(ctx.db, normalizeEmail(email), null);
  return row && { id: row.account_id, path: row.account_path };
}

/** Normalizes for comparison: trimmed, Unicode NFC, lower case. Text that PostgreSQL can't store matches nothing. */
export function normalizeEmail(email: string): string {
  return normalizeText(email.toWellFormed()).toLowerCase().replaceAll("\u0000", "\uFFFD");
}

function isOpen(row: store.LoginRow): boolean {
  return row.step === 2 && !row.account_deleted;
}

function throwInvalidLogin(ctx: Context): never {
  ctx.metrics.logins.inc({ outcome: "refused" });
  throw new AppError(errorCode.unauthorized);
}

export async function getSessionUser(ctx: Context, actor: Omit<Caller, "request">): Promise<SessionUser> {
  const account = await getOwnAccount(ctx, actor);
  const warnings = actor.parentAccounts.length === 0 ? findSiteWarnings(ctx.config) : [];
  return {
    ...account,
    permissions: actor.permissions,
    email: actor.email,
    ...(warnings.length === 0 ? {} : { configurationWarnings: warnings }),
  };
}

// Distinguishes tickets from bearer tokens.
const ticketPrefix = "ticket_";

/** Returns a one-time ticket for the socket's URL, where a session token must not appear. Throws 106 if the session has ended. */
export async function issueTicket(ctx: Context, caller: Caller): Promise<{ ticket: string; expiresAt: string }> {
  const ticket = ticketPrefix + randomToken();
  const expiresAt = new Date(ctx.clock.now() + sessionLimits.ticketMs);
  const row = { hash: hashToken(ticket), session_id: caller.sessionId, expires_at: expiresAt };
  if (!(await store.insertTicket(ctx.db, row))) throw new AppError(errorCode.unauthorized);
  return { ticket, expiresAt: expiresAt.toISOString() };
}

/** Uses up a ticket and returns its session id. Returns null if the ticket is invalid, used or expired. */
export async function redeemTicket(ctx: Context, token: string): Promise<string | null> {
  return token.startsWith(ticketPrefix) ? store.consumeTicket(ctx.db, hashToken(token), ctx.clock.date()) : null;
}

export async function logout(ctx: Context, sessionId: string): Promise<void> {
  await write(ctx, { system: "logout" }, (w) => endSessions(w, { sessionId }));
}

/** Publishes a change of presence to viewers of the account (AC-16). */
export async function publishPresence(ctx: Context, accountId: string): Promise<void> {
  await announcing(ctx, async (tx, announce) => {
    await store.touchPresence(tx, accountId, ctx.clock.date());
    publishAccount({ announce }, "update", accountId, { presence: true });
  });
}
