// Use cases around signing in: sessions, tickets for the live socket, presence (docs/rules/sessions.md).
import { type SessionUser, sessionLimits } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { normalizeText } from "@psp/contract/kit/text-bounds.ts";
import { ownAccount } from "../account/account.service.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { siteWarnings } from "../kit/site.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { type Write, write } from "../db/write.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { announceAccount } from "../owned/change.ts";
import * as store from "./auth.store.ts";
import { verifyPassword } from "../credential/hashing.service.ts";
import { endSessions } from "../credential/session.service.ts";

/** After this many wrong passwords in a row only browsers that signed in before may try, until the password is reset. */
const failuresUntilLocked = 100;

export type LoginInput = {
  email: string;
  password: string;
  /** Value of the browser's long-lived cookie, if it has one. */
  browser: string | null;
  userAgent: string | null;
  requestId: string;
};

/**
 * Opens a session. Whatever is wrong (address, password, step, deleted, locked) answers 106 alike and takes as long.
 */
export async function login(ctx: Context, input: LoginInput) {
  const known = input.browser !== null && /^[\w-]{43}$/.test(input.browser) ? input.browser : null;
  const token = randomToken();
  const browser = known ?? randomToken();
  const now = ctx.clock.date();
  const expiresAt = new Date(now.getTime() + sessionLimits.absoluteMs);
  await whenProved(ctx, { ...input, browser: known }, async (w, row) => {
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

/** Whose password is right. */
type Proved = Pick<store.LoginRow, "credential_id" | "account_id" | "account_path">;
export type AfterProof<T> = (w: Write, proved: Proved) => Promise<T>;

/** Compares the password; if it is right, `then` runs in a transaction that holds the login as it is. Else as for `login`. */
export async function whenProved<T>(
  ctx: Context,
  { email, password, browser, requestId }: Omit<LoginInput, "userAgent">,
  then: AfterProof<T>,
): Promise<T> {
  const row = await store.findLogin(ctx.db, addressOf(email), browser === null ? null : hashToken(browser));
  const isKnown = row?.is_known_browser ?? false;
  const stored = row && isOpen(row) ? row.password_hash : null;
  // In parallel, so that recording the try of a known address costs no time that could be measured. Each is counted
  // before its outcome counts: tries that are queued must not all believe to be the last one allowed.
  const counting = store.takeTry(ctx.db, row?.credential_id ?? null, failuresUntilLocked);
  const [isCounted, isRight] = await Promise.all([
    counting,
    verifyPassword(ctx, stored, password, isKnown ? "known" : "anyone"),
  ]).catch(async (error: unknown) => {
    // Turned away before anything was compared: else a flood from strangers would lock everybody out.
    await store.returnTry(ctx.db, (await counting) ? (row?.credential_id ?? null) : null);
    throw error;
  });
  const hash = isCounted || isKnown ? stored : null;
  if (hash !== null) ctx.metrics.passwordsCompared.inc();
  if (!isRight || !row || hash === null) return refuse(ctx);
  const done = await write(ctx, { system: requestId }, async (w) => {
    // The password may have been changed while this one was compared.
    if (!(await store.holdCredential(w.tx, row.credential_id, hash))) return null;
    if (isCounted) await store.clearFailedLogins(w.tx, row.credential_id);
    return { value: await then(w, row) };
  });
  return done === null ? refuse(ctx) : done.value;
}

/** The account of a login, by its address in any spelling; null when no one logs in with it. */
export async function findAccountOf(ctx: Context, email: string): Promise<{ id: string; path: string } | null> {
  const row = await store.findLogin(ctx.db, addressOf(email), null);
  return row && { id: row.account_id, path: row.account_path };
}

/** How an address is compared: without case and outer spaces, composed; what PostgreSQL can't hold matches nothing. */
export function addressOf(email: string): string {
  return normalizeText(email.toWellFormed()).toLowerCase().replaceAll("\u0000", "\uFFFD");
}

function isOpen(row: store.LoginRow): boolean {
  return row.step === 2 && !row.account_deleted;
}

function refuse(ctx: Context): never {
  ctx.metrics.logins.inc({ outcome: "refused" });
  throw new AppError(errorCode.unauthorized);
}

/** The signed-in account as the console needs it. */
export async function sessionUser(ctx: Context, actor: Omit<Caller, "request">): Promise<SessionUser> {
  const account = await ownAccount(ctx, actor);
  const warnings = actor.parentAccounts.length === 0 ? siteWarnings(ctx.config) : [];
  return {
    ...account,
    permissions: actor.permissions,
    email: actor.email,
    ...(warnings.length === 0 ? {} : { configurationWarnings: warnings }),
  };
}

// Distinguished from bearer tokens by its look; either way only what is stored is accepted.
const ticketPrefix = "ticket_";

/** A one-time ticket for the socket's address, where a session token must not appear. Throws 106 when the session has ended. */
export async function issueTicket(ctx: Context, caller: Caller): Promise<{ ticket: string; expiresAt: string }> {
  const ticket = ticketPrefix + randomToken();
  const expiresAt = new Date(ctx.clock.now() + sessionLimits.ticketMs);
  const row = { hash: hashToken(ticket), session_id: caller.sessionId, expires_at: expiresAt };
  if (!(await store.insertTicket(ctx.db, row))) throw new AppError(errorCode.unauthorized);
  return { ticket, expiresAt: expiresAt.toISOString() };
}

/** Session id behind a ticket, used up by asking; null when it is none, or spent, or too old. */
export async function redeemTicket(ctx: Context, token: string): Promise<string | null> {
  return token.startsWith(ticketPrefix) ? store.takeTicket(ctx.db, hashToken(token), ctx.clock.date()) : null;
}

/** Ends this session for good. */
export async function logout(ctx: Context, sessionId: string): Promise<void> {
  await write(ctx, { system: "logout" }, (w) => endSessions(w, { sessionId }));
}

/** The account came or went: its dot changes for everybody who sees it (AC-16). */
export async function notePresence(ctx: Context, accountId: string): Promise<void> {
  await store.touchPresence(ctx.db, accountId, ctx.clock.date());
  announceAccount({ announce: ctx.bus.emit }, "update", accountId, { presence: true });
}
