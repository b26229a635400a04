// Open sign-up: an account that waits for review, and an answer that never reveals which addresses are known (RG-03, T-08).
import { setTimeout as delay } from "node:timers/promises";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { SignUp } from "@psp/contract/registration/registration.ts";
import { giveWay } from "../account/account.ending.service.ts";
import { AppError } from "../kit/app-error.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import type { Context } from "../context.ts";
import { lockRights } from "../db/locks.ts";
import { nextLabels } from "../db/path-label.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { onDuplicate, write, type Write } from "../db/write.ts";
import { announceAccount } from "../owned/change.ts";
import { queueMail } from "../mail/outbox.ts";
import { addressKnownMail } from "../mail/mail-texts.ts";
import { acceptedNow } from "./registration.service.ts";
import * as store from "./registration.store.ts";

/** Longer than either way takes, so that the time of the answer does not reveal which one it was. */
const answerAfterMs = 200;
/** Until a person shows that they read the mailbox. */
const stepsOfSignUp: ReadonlySet<number> = new Set([registrationSteps.toReview, registrationSteps.confirmEmail]);
const notices = { max: 3, perMs: 3_600_000 };

/**
 * Makes an account at step -1, also in the place of a rejected one, or notifies the owner of a known address by mail; returns
 * alike and after the same time. Throws 205 for a bad password, no matter whose address it is.
 */
export async function signUp(ctx: Context, form: SignUp, requestId: string): Promise<void> {
  const { email, password } = form.credentials;
  requireGoodPassword(password, { name: form.name, email }, "credentials.password");
  // In both cases: it is what takes longest.
  const passwordHash = await hashPassword(ctx, password);
  // The machine's time, not the product's clock, which tests set.
  const waited = delay(answerAfterMs);
  try {
    await signUpOrNotify(ctx, form, passwordHash, requestId).catch((error: unknown) => {
      // Another call was faster with the same address: now it is known.
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
    // Before the address is held: the accounts that go come first in the order of locks.
    await giveWay(ctx, w, [form.credentials], "rejected");
    const known = await store.holdAddress(w.tx, email);
    if (!known) return createSignUp(ctx, w, form, passwordHash);
    const isOpenSignUp = stepsOfSignUp.has(known.step) && known.invited_at === null;
    if (isOpenSignUp && known.has_password) await dropPassword(w, known);
    await notifyOwner(ctx, w, { ...known, isOpenSignUp });
  });
}

/**
 * Two have signed up with the address, and it is not known yet which of them reads its mails: if the first one's password
 * stayed, the second one would confirm it. So neither counts, and the mailbox sets one ('Forgot password?').
 */
async function dropPassword(w: Write, known: store.KnownAddress): Promise<void> {
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

/** At most three an hour: no mailbox is flooded from here (T-09). */
async function notifyOwner(ctx: Context, w: Write, known: store.KnownAddress & { isOpenSignUp: boolean }) {
  const now = ctx.clock.date();
  const recent = (await store.findNoticeTimes(w.tx, known.id)).filter(
    (at) => now.getTime() - at.getTime() < notices.perMs,
  );
  if (recent.length >= notices.max) return;
  await store.putNoticeTimes(w.tx, known.id, [...recent, now]);
  const { step, isOpenSignUp } = known;
  const mail = addressKnownMail({ step, isOpenSignUp, publicUrl: ctx.config.publicUrl });
  await queueMail(ctx, w, { to: known.email, ...mail });
}

async function createSignUp(ctx: Context, w: Write, form: SignUp, passwordHash: string): Promise<void> {
  const root = await store.findRoot(w.tx);
  const now = ctx.clock.date();
  const id = uuidv7(now.getTime());
  const [label = ""] = await nextLabels(w.tx, 1);
  const { name, phone, street, streetNumber, zip, city, country, supplier } = form;
  const address = { phone, street, street_number: streetNumber, zip, city, country, supplier: supplier || null };
  const path = root.path + label;
  const place = { parent_id: root.id, ancestor_ids: [root.id], path, role_id: null };
  const { email } = form.credentials;
  await onDuplicate("credential_email", errorCode.emailUsed, () =>
    store.insertSignUp(
      w.tx,
      { id, name, ...place, ...address, created_at: now, updated_at: now },
      { id: uuidv7(now.getTime()), email, passwordHash, legal: acceptedNow(ctx, form.legal), at: now },
    ),
  );
  const after = { name, credentials: [{ email, step: registrationSteps.toReview }] };
  w.audit({ action: "sign-up", object: { type: "account", _id: id }, owner: { id, path }, after });
  announceAccount(w, "create", id);
}
