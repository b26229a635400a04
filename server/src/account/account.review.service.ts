// Reviews a sign-up (docs/rules/accounts.md#review). Accepting moves it below the chosen parent and asks for confirmation of its
// email; rejecting sends a mail.
import { type AccountChange, registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canEdit, canView } from "@psp/contract/permission/can.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import { queueMail } from "../mail/outbox.ts";
import { registrationRejectedMail, verificationMail } from "../mail/mail-texts.ts";
import { issueRegistrationToken, issueVerificationLink } from "../credential/verification.service.ts";
import { accountReasons } from "./account.reasons.ts";
import * as writes from "./account.write.store.ts";
import type { StoredCredential } from "./account.store.ts";
import { moveSubtree, type TreePosition } from "../owned/tree.store.ts";

type Reviewed = TreePosition & { name: string };
export type Review = { accepted: boolean; pending: StoredCredential[]; parent: TreePosition | null };

/** Returns null if no review is requested. Throws 102 if no login waits for review, 104 without a parent, 103 for an invalid one. */
export async function prepareReview(
  reader: Reader,
  actor: Caller,
  account: Reviewed,
  credentials: StoredCredential[],
  { acceptRegistration, directParentAccount }: AccountChange,
): Promise<Review | null> {
  if (acceptRegistration === undefined) {
    if (directParentAccount !== undefined)
      throw new AppError(errorCode.invalidArgument, { field: "directParentAccount" });
    return null;
  }
  const pending = credentials.filter(({ step }) => step === registrationSteps.toReview);
  if (pending.length === 0)
    throw new AppError(errorCode.invalidArgument, { field: "acceptRegistration", ...accountReasons.nothingToReview });
  if (!acceptRegistration) return { accepted: false, pending, parent: null };
  if (directParentAccount === undefined)
    throw new AppError(errorCode.missingArgument, { field: "directParentAccount" });
  return { accepted: true, pending, parent: await requireNewParent(reader, actor, account, directParentAccount) };
}

/** Requires a new parent as `requireParent` does, which is neither `account` nor below it. */
async function requireNewParent(reader: Reader, actor: Caller, account: Reviewed, id: string): Promise<TreePosition> {
  const field = "directParentAccount";
  const parent = await requireParent(reader, actor, id, field);
  if (parent.path.startsWith(account.path))
    throw new AppError(errorCode.invalidOwner, { field, ...accountReasons.notBelowItself });
  return parent;
}

/**
 * Requires a parent for another account: not deleted, and one that the actor may view and edit; 103 otherwise. Locks it against
 * deletion until the commit.
 */
export async function requireParent(reader: Reader, actor: Caller, id: string, field: string) {
  const parent = await writes.lockParentAccount(reader, id);
  if (!parent || !canView(actor, "owner", parent)) throw new AppError(errorCode.invalidOwner, { field });
  if (!canEdit(actor, "owner", parent))
    throw new AppError(errorCode.invalidOwner, { field, ...accountReasons.parentNotEditable(parent) });
  return parent;
}

export async function applyReview(ctx: Context, w: UnitOfWork, account: Reviewed, review: Review): Promise<string[]> {
  for (const credential of review.pending) {
    if (review.accepted) await askToConfirm(ctx, w, account, credential);
    else await reject(ctx, w, account, credential);
  }
  const { parent } = review;
  if (!parent || parent.id === account.ancestor_ids.at(-1)) return [];
  return moveSubtree(w.tx, account, parent);
}

async function askToConfirm(
  ctx: Context,
  w: UnitOfWork,
  account: Reviewed,
  { id, email }: StoredCredential,
): Promise<void> {
  const registration = await issueRegistrationToken(w.tx, id);
  const link = await issueVerificationLink(ctx, w.tx, { accountId: account.id, credentialId: id }, registration);
  await queueMail(ctx, w, { to: email, ...verificationMail({ account: account.name, link }) });
}

async function reject(ctx: Context, w: UnitOfWork, account: Reviewed, { id, email }: StoredCredential): Promise<void> {
  await writes.rejectRegistration(w.tx, id);
  await queueMail(ctx, w, { to: email, ...registrationRejectedMail({ account: account.name }) });
}
