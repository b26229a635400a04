// Use cases of a forgotten password: mailing a link and setting a new password (AU-04, AU-05).
import { timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { findAllowedOrigin, resetLimits } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import { queueMail } from "../mail/outbox.ts";
import { passwordResetMail } from "../mail/mail-texts.ts";
import { randomToken } from "../kit/tokens.ts";
import { normalizeEmail } from "./auth.service.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import { computeBinding, verifyResetToken, signResetToken } from "./reset-token.rules.ts";
import * as store from "./auth.store.ts";
import { endSessions } from "../credential/session.service.ts";

/** Longer than queueing a mail takes, so that the response time does not reveal whether a mail was sent. */
const answerAfterMs = 200;

/**
 * Queues a mail with a reset link if the address belongs to a complete login that got fewer than 3 such mails within the hour. The
 * newest link invalidates earlier ones. Always takes the same time (docs/rules/sessions.md#forgotten-passwords).
 */
export async function forgotPassword(
  ctx: Context,
  { email, origin, requestId }: { email: string; origin?: string | null | undefined; requestId: string },
): Promise<void> {
  // Real time, because tests set the server's clock.
  const waited = delay(answerAfterMs);
  const mailed = write(ctx, { system: requestId }, async (w) => {
    const row = await store.findResettableLogin(w.tx, { email: normalizeEmail(email) }, true);
    if (!row) return;
    const now = ctx.clock.date();
    const recent = (await store.findResetMailTimes(w.tx, row.credential_id)).filter(
      (at) => now.getTime() - at.getTime() < resetLimits.mailsPerMs,
    );
    if (recent.length >= resetLimits.mails) return;
    const nonce = randomToken();
    const returnTo = findAllowedOrigin(origin, ctx.config.allowedOrigins);
    const token = signResetToken(ctx.config, {
      sub: row.credential_id,
      jti: nonce,
      exp: Math.floor((now.getTime() + resetLimits.ttlMs) / 1000),
      ...(returnTo === null ? {} : { origin: returnTo }),
    });
    await store.saveResetBinding(w.tx, row.credential_id, computeBinding(nonce, row.password_hash), [...recent, now]);
    const link = `${ctx.config.publicUrl}/reset-password?token=${token}`;
    // Sent to the stored address, never to the submitted one.
    await queueMail(ctx, w, { to: row.email, ...passwordResetMail({ account: row.account_name, link }) });
    w.audit({ action: "forgot-password", ...subjectOf(row) });
  });
  await Promise.allSettled([mailed, waited]);
  await mailed;
}

/**
 * Sets the password, unlocks the login and ends all its sessions. Throws 102 for a bad token, with a reason if its signature is
 * valid. Throws 205 for a bad password, after which the link stays valid.
 */
export async function resetPassword(ctx: Context, input: { token: string; password: string; requestId: string }) {
  const token = verifyResetToken(ctx.config, input.token, ctx.clock.now());
  const refused = (reason?: string) =>
    new AppError(errorCode.invalidArgument, { field: "token", ...(reason === undefined ? {} : { reason }) });
  const find = async (...[db, hold]: [Parameters<typeof store.findResettableLogin>[0], boolean]) => {
    if (!token) throw refused();
    if (token.isExpired) throw refused("The link has expired");
    const row = await store.findResettableLogin(db, { id: token.payload.sub }, hold);
    if (!row) throw refused();
    if (!row.binding) throw refused("The link was already used");
    if (!timingSafeEqual(row.binding, computeBinding(token.payload.jti, row.password_hash)))
      throw refused("A newer link was sent, or the password was changed later");
    return row;
  };
  const { account_name: name, email } = await find(ctx.db, false);
  requireGoodPassword(input.password, { name, email });
  const hash = await hashPassword(ctx, input.password);
  await write(ctx, { system: input.requestId }, async (w) => {
    // Read again under the lock, so that only one of two concurrent uses succeeds.
    const row = await find(w.tx, true);
    await store.replacePassword(w.tx, row.credential_id, hash);
    await endSessions(w, { credentialIds: [row.credential_id] });
    w.audit({ action: "reset-password", ...subjectOf(row) });
  });
}

function subjectOf({ account_id: id, account_path: path }: store.ResetRow) {
  return { object: { type: "account", _id: id }, owner: { id, path } };
}
