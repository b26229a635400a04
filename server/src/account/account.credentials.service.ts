// Changes the logins of an account. A list of changes is checked completely before any of them is applied (AC-11).
import { type CredentialChange, registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { findExceedingReach } from "@psp/contract/permission/reach.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { AppError } from "../kit/app-error.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import { endSessions } from "../credential/session.service.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { onDuplicate, type UnitOfWork } from "../db/write.ts";
import { loginAddedMail, loginsChangedMail } from "../mail/mail-texts.ts";
import { queueMail } from "../mail/outbox.ts";
import { loadHolder } from "../role/reach.service.ts";
import { findPermissions } from "../role/rights.service.ts";
import { accountReasons } from "./account.reasons.ts";
import { releaseAddresses } from "./account.ending.service.ts";
import * as store from "./account.store.ts";
import { insertCredentials } from "./account.write.store.ts";

type Stored = Pick<store.StoredCredential, "id" | "email" | "step">;
type Login = { email: string; newPassword: string };
type CredentialPlan = { add: Login[]; change: (Login & { id: string })[]; remove: { id: string; email: string }[] };

/** Throws 106 unless `password` is the current password of the caller's login, and 429 after five wrong passwords within a minute. */
export type PasswordCheck = (caller: Caller, password: string, field: string) => Promise<void>;

const isComplete = ({ step }: { step: number }) => step === registrationSteps.complete;

export async function findCompleteLogins(reader: Reader, accountId: string): Promise<{ id: string; email: string }[]> {
  return (await store.findCredentials(reader, accountId)).filter(isComplete);
}
const toEmailKey = (email: string) => email.toLowerCase();

/** Throws 207 for incomplete logins, 201 for a duplicate address, 204 for an unknown address, 200 if no complete login would be left. */
export function planCredentialChanges(existing: readonly Stored[], changes: readonly CredentialChange[]) {
  if (existing.length > 0 && !existing.some(isComplete)) throw new AppError(errorCode.registrationIncomplete);
  const known = new Map(existing.map((credential) => [toEmailKey(credential.email), credential]));
  requireOncePerAddress(known, changes);

  const plan: CredentialPlan = { add: [], change: [], remove: [] };
  for (const change of changes) {
    if (change.operation === "ADD") {
      plan.add.push(change);
      continue;
    }
    const credential = known.get(toEmailKey(change.email));
    if (!credential)
      throw new AppError(errorCode.invalidEmail, { field: "credentialChanges.email", ...accountReasons.notItsLogin });
    if (!isComplete(credential)) throw new AppError(errorCode.registrationIncomplete);
    if (change.operation === "REMOVE") plan.remove.push(credential);
    else plan.change.push({ ...credential, newPassword: change.newPassword });
  }
  const left = existing.filter(isComplete).length - plan.remove.length + plan.add.length;
  if (plan.remove.length > 0 && left === 0) throw new AppError(errorCode.credentialsMissing);
  return plan;
}

/** Returns null if the changes are invalid. The error is thrown later, because references and rights are checked first. */
export function tryPlanCredentialChanges(...given: Parameters<typeof planCredentialChanges>): CredentialPlan | null {
  try {
    return planCredentialChanges(...given);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** One list may remove and re-add an address; any other repetition is refused. */
function requireOncePerAddress(known: ReadonlyMap<string, Stored>, changes: readonly CredentialChange[]): void {
  for (const [key, list] of Map.groupBy(changes, ({ email }) => toEmailKey(email))) {
    const operations = String(list.map(({ operation }) => operation).toSorted());
    const added = operations === "ADD" && known.has(key);
    if (added || (list.length > 1 && operations !== "ADD,REMOVE"))
      throw new AppError(errorCode.emailTwice, { field: "credentialChanges.email" });
  }
}

const currentPasswordField = "credentialChanges.currentPassword";

/** Every change of one's own logins needs the current password (104). Changes of other accounts must not contain it (402). */
export function requireCurrentPasswords(changes: readonly CredentialChange[], isOwn: boolean): void {
  const isMissing = ({ currentPassword }: CredentialChange) => currentPassword === undefined || currentPassword === "";
  if (isOwn && changes.some(isMissing)) throw new AppError(errorCode.missingArgument, { field: currentPasswordField });
  if (!isOwn && changes.some(({ currentPassword }) => currentPassword !== undefined))
    throw new AppError(errorCode.invalidFieldType, { field: currentPasswordField, ...accountReasons.onlyOwnLogin });
}

export async function verifyCurrentPasswords(
  changes: readonly CredentialChange[],
  caller: Caller,
  confirm: PasswordCheck,
) {
  for (const password of new Set(changes.map(({ currentPassword }) => currentPassword ?? "")))
    await confirm(caller, password, currentPasswordField);
}

/**
 * Returns error 308 if the actor must not change the logins, else null. Setting a password or adding a login lets the actor sign in
 * to the account, so the account must be below the actor and reach no more than the actor. One's own account is exempt.
 */
export async function findLoginChangeError(reader: Reader, actor: Caller, account: Owner): Promise<AppError | null> {
  if (account.id === actor.id) return null;
  if (!account.parentAccounts.includes(actor.id))
    return new AppError(errorCode.roleTooPowerful, accountReasons.loginsFromAbove);
  const permissions = (await findPermissions(reader, account.roleId)) ?? {};
  const scope = findExceedingReach(actor, permissions, await loadHolder(reader, account, permissions));
  return scope === null
    ? null
    : new AppError(errorCode.roleTooPowerful, { scope, ...accountReasons.loginsWithMoreAccess });
}

export async function requireLoginsChangeable(...given: Parameters<typeof findLoginChangeError>): Promise<void> {
  const refusal = await findLoginChangeError(...given);
  if (refusal) throw refusal;
}

/** Returns the hashes of all new passwords by email address. Throws 205 for a weak one. Slow, so call it before rows are locked. */
export async function hashNewPasswords(ctx: Context, { add, change }: CredentialPlan, name: string) {
  const wanted = [...add, ...change];
  for (const { email, newPassword } of wanted)
    requireGoodPassword(newPassword, { name, email }, "credentialChanges.newPassword");
  const hashes = new Map<string, string>();
  for (const { email, newPassword } of wanted) hashes.set(toEmailKey(email), await hashPassword(ctx, newPassword));
  return hashes;
}

/** Applies a plan. Ends the sessions of changed and removed logins, except the caller's session if it changes its own password. */
export async function applyCredentialPlan(
  ctx: Context,
  w: UnitOfWork,
  account: { id: string; name: string },
  plan: CredentialPlan,
  hashes: ReadonlyMap<string, string>,
  caller: Caller,
): Promise<void> {
  const now = ctx.clock.date();
  // A login that a parent account adds or resets can't give consent for some time if the account already has complete logins.
  const isFromAbove = account.id !== caller.id && (await findCompleteLogins(w.tx, account.id)).length > 0;
  const fromAboveAt = isFromAbove ? now : null;
  await notifyOtherLogins(ctx, w, account, plan, caller);
  await store.removeCredentials(w.tx, plan.remove, ctx.clock.date());
  for (const { id, email } of plan.change) await store.setPassword(w.tx, id, hashOf(hashes, email), fromAboveAt);
  await endSessions(w, { credentialIds: plan.remove.map(({ id }) => id) });
  await endSessions(w, { credentialIds: plan.change.map(({ id }) => id), except: caller.sessionId });
  await releaseAddresses(ctx, w, plan.add);
  let position = await store.findNextCredentialPosition(w.tx, account.id);
  for (const { email } of plan.add) {
    const credential = {
      id: uuidv7(now.getTime()),
      account_id: account.id,
      email,
      step: registrationSteps.complete,
      position: position++,
      password_hash: hashOf(hashes, email),
      created_at: now,
      from_above_at: fromAboveAt,
    };
    await onDuplicate("credential_email", errorCode.emailUsed, () => insertCredentials(w.tx, [credential]));
    const mail = loginAddedMail({ account: account.name, publicUrl: ctx.config.publicUrl });
    await queueMail(ctx, w, { to: email, ...mail });
  }
}

async function notifyOtherLogins(
  ctx: Context,
  w: UnitOfWork,
  account: { id: string; name: string },
  { add, change, remove }: CredentialPlan,
  caller: Caller,
): Promise<void> {
  const changes = { added: add, changed: change, removed: remove };
  if (Object.values(changes).every((list) => list.length === 0)) return;
  // New logins are notified by a separate mail.
  const added = new Set(add.map(({ email }) => toEmailKey(email)));
  const logins = await findCompleteLogins(w.tx, account.id);
  const { publicUrl } = ctx.config;
  const by = account.id === caller.id ? caller.email : caller.name;
  const facts = { account: account.name, by, ...changes, publicUrl };
  const gone = new Set(remove.map(({ id }) => id));
  for (const { id, email } of logins) {
    if (id === caller.credentialId || added.has(toEmailKey(email))) continue;
    await queueMail(ctx, w, { to: email, ...loginsChangedMail({ ...facts, isGone: gone.has(id) }) });
  }
}

function hashOf(hashes: ReadonlyMap<string, string>, email: string): string {
  const hash = hashes.get(toEmailKey(email));
  // Missing only if the logins changed since the passwords were hashed.
  if (hash === undefined) throw new AppError(errorCode.invalidArgument, accountReasons.loginsChanged, { status: 409 });
  return hash;
}
