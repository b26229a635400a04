// Open sign-up: creates an account that waits for review; the response never reveals which addresses are known (RG-03, T-08).
import { setTimeout as delay } from "node:timers/promises";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { SignUp } from "@psp/contract/registration/registration.ts";
import { releaseAddresses } from "../account/account.ending.service.ts";
import { AppError } from "../kit/app-error.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import type { Context } from "../context.ts";
import { lockRights } from "../db/locks.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { onDuplicate, write, type UnitOfWork } from "../db/write.ts";
import { publishAccount } from "../owned/change.ts";
import { queueMail } from "../mail/outbox.ts";
import { addressInUseMail } from "../mail/mail-texts.ts";
import { acceptTerms } from "./registration.service.ts";
import * as store from "./registration.store.ts";

/** Longer than a sign-up takes with a new or a known address, so that the response time reveals nothing. */
const answerAfterMs = 200;
/** Steps before the person has proven access to the mailbox. */
const stepsOfSignUp: ReadonlySet<number> = new Set([registrationSteps.toReview, registrationSteps.confirmEmail]);
const notices = { max: 3, perMs: 3_600_000 };

/**
 * Creates an account at step -1, replacing a rejected one, or mails the owner of a known address. Response and duration
 * are the same in both cases. Throws 205 for a bad password, whatever the address.
 */
export async function signUp(ctx: Context, form: SignUp, requestId: string): Promise<void> {
  const { email, password } = form.credentials;
  requireGoodPassword(password, { name: form.name, email }, "credentials.password");
  // Hashes even for a known address, so that the response time does not reveal it.
  const passwordHash = await hashPassword(ctx, password);
  // Waits by the real clock, because tests set `ctx.clock`.
  const waited = delay(answerAfterMs);
  try {
    await signUpOrNotify(ctx, form, passwordHash, requestId).catch((error: unknown) => {
      // A concurrent sign-up took the address, so it is handled as a known one.
      if (error instanceof AppError && error.code === errorCode.emailUsed)
        return signUpOrNotify(ctx, form, passwordHash, requestId);
      throw error;
    });
  } finally {
    await waited;
  }
}

async function signUpOrNotify(ctx: Context, form: SignUp, passwordHash: string, requestId: string): Promise<void> {
  const { email } = form.credentials;
  await write(ctx, { system: requestId }, async (w) => {
    await lockRights(w.tx, "use");
    // Must precede `lockAddress`, because the lock order puts removed accounts before addresses.
    await releaseAddresses(ctx, w, [form.credentials], "rejected");
    const known = await store.lockAddress(w.tx, email);
    if (!known) return createSignUp(ctx, w, form, passwordHash);
    const isOpenSignUp = stepsOfSignUp.has(known.step) && known.invited_at === null;
    if (isOpenSignUp && known.has_password) await dropPassword(w, known);
    await notifyOwner(ctx, w, { ...known, isOpenSignUp });
  });
}

/**
 * Two sign-ups used this address, and it is unknown which of them is from the person who reads its mails. If the first
 * password were kept, that person could confirm a login with somebody else's password. So neither password counts, and
 * the mailbox's reader sets a new one ('Forgot password?').
 */
async function dropPassword(w: UnitOfWork, known: store.KnownAddress): Promise<void> {
  await store.clearPassword(w.tx, known.id);
  const { email, step } = known;
  w.audit({
    action: "sign-up",
    object: { type: "account", _id: known.account_id },
    owner: { id: known.account_id, path: known.account_path },
    before: { credentials: [{ email, step, hasPassword: true }] },
    after: { credentials: [{ email, step, hasPassword: false }] },
  });
}

/** Sends at most three mails an hour, so that no one can flood a mailbox (T-09). */
async function notifyOwner(ctx: Context, w: UnitOfWork, known: store.KnownAddress & { isOpenSignUp: boolean }) {
  const now = ctx.clock.date();
  const recent = (await store.findNoticeTimes(w.tx, known.id)).filter(
    (at) => now.getTime() - at.getTime() < notices.perMs,
  );
  if (recent.length >= notices.max) return;
  await store.saveNoticeMailTimes(w.tx, known.id, [...recent, now]);
  const { step, isOpenSignUp } = known;
  const mail = addressInUseMail({ step, isOpenSignUp, publicUrl: ctx.config.publicUrl });
  await queueMail(ctx, w, { to: known.email, ...mail });
}

async function createSignUp(ctx: Context, w: UnitOfWork, form: SignUp, passwordHash: string): Promise<void> {
  const root = await store.findRoot(w.tx);
  const now = ctx.clock.date();
  const id = uuidv7(now.getTime());
  const [label = ""] = await allocatePathLabels(w.tx, 1);
  const { name, phone, street, streetNumber, zip, city, country, supplier } = form;
  const address = { phone, street, street_number: streetNumber, zip, city, country, supplier: supplier || null };
  const path = root.path + label;
  const place = { parent_id: root.id, ancestor_ids: [root.id], path, role_id: null };
  const { email } = form.credentials;
  await onDuplicate("credential_email", errorCode.emailUsed, () =>
    store.insertSignUp(
      w.tx,
      { id, name, ...place, ...address, created_at: now, updated_at: now },
      { id: uuidv7(now.getTime()), email, passwordHash, legal: acceptTerms(ctx, form.legal), at: now },
    ),
  );
  const after = { name, credentials: [{ email, step: registrationSteps.toReview }] };
  w.audit({ action: "sign-up", object: { type: "account", _id: id }, owner: { id, path }, after });
  publishAccount(w, "create", id);
}
