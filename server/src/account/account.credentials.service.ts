// Changes of an account's logins: a list is judged as a whole before anything happens (AC-11).
import { type CredentialChange, registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { findExceedingScope } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { AppError } from "../kit/app-error.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import { endSessions } from "../credential/session.service.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { onDuplicate, type Write } from "../db/write.ts";
import { loginAddedMail, loginsChangedMail } from "../mail/mail-texts.ts";
import { queueMail } from "../mail/outbox.ts";
import { accountReasons } from "./account.reasons.ts";
import { giveWay } from "./account.ending.service.ts";
import * as store from "./account.store.ts";
import { insertCredentials } from "./account.write.store.ts";

type Stored = Pick<store.StoredCredential, "id" | "email" | "step">;
type Login = { email: string; newPassword: string };
type CredentialPlan = { add: Login[]; change: (Login & { id: string })[]; remove: { id: string; email: string }[] };

/** Throws 106 unless this is the current password of the caller's login, 429 after five wrong ones within a minute. */
export type PasswordCheck = (caller: Caller, password: string, field: string) => Promise<void>;

const isComplete = ({ step }: { step: number }) => step === registrationSteps.complete;

/** The logins that sign in for an account. */
export async function findCompleteLogins(reader: Reader, accountId: string): Promise<{ id: string; email: string }[]> {
  return (await store.credentialsOf(reader, accountId)).filter(isComplete);
}
const keyOf = (email: string) => email.toLowerCase();

/**
 * What a list of changes amounts to. Throws 207 for logins that are not complete, 201 for an address twice, 204 for one that
 * the account does not have, 200 when no complete login would be left.
 */
export function planCredentialChanges(existing: readonly Stored[], changes: readonly CredentialChange[]) {
  if (existing.length > 0 && !existing.some(isComplete)) throw new AppError(errorCode.registrationIncomplete);
  const known = new Map(existing.map((credential) => [keyOf(credential.email), credential]));
  requireOncePerAddress(known, changes);

  const plan: CredentialPlan = { add: [], change: [], remove: [] };
  for (const change of changes) {
    if (change.operation === "ADD") {
      plan.add.push(change);
      continue;
    }
    const credential = known.get(keyOf(change.email));
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

/** Null where there is no plan: what speaks against it is reported in its turn, after references and special rights. */
export function planIfPossible(...given: Parameters<typeof planCredentialChanges>): CredentialPlan | null {
  try {
    return planCredentialChanges(...given);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** An address may leave and come back in one list; any other repetition is one too many. */
function requireOncePerAddress(known: ReadonlyMap<string, Stored>, changes: readonly CredentialChange[]): void {
  for (const [key, list] of Map.groupBy(changes, ({ email }) => keyOf(email))) {
    const operations = String(list.map(({ operation }) => operation).toSorted());
    const added = operations === "ADD" && known.has(key);
    if (added || (list.length > 1 && operations !== "ADD,REMOVE"))
      throw new AppError(errorCode.emailTwice, { field: "credentialChanges.email" });
  }
}

const currentPasswordField = "credentialChanges.currentPassword";

/** One's own logins are changed with the current password in every entry (104), those of others without (402). */
export function requireCurrentPasswords(changes: readonly CredentialChange[], isOwn: boolean): void {
  const isMissing = ({ currentPassword }: CredentialChange) => currentPassword === undefined || currentPassword === "";
  if (isOwn && changes.some(isMissing)) throw new AppError(errorCode.missingArgument, { field: currentPasswordField });
  if (!isOwn && changes.some(({ currentPassword }) => currentPassword !== undefined))
    throw new AppError(errorCode.invalidFieldType, { field: currentPasswordField, ...accountReasons.onlyOwnLogin });
}

/** Throws 106 when one of the current passwords is wrong. */
export async function confirmPasswords(changes: readonly CredentialChange[], caller: Caller, confirm: PasswordCheck) {
  for (const password of new Set(changes.map(({ currentPassword }) => currentPassword ?? "")))
    await confirm(caller, password, currentPasswordField);
}

/**
 * Setting a password or adding a login lets the actor sign in for the account: it must lie below the actor and must not be able to
 * do what the actor can't. Returns the 308 that speaks against it, or null. One's own account is exempt.
 */
export function whyNotInferior(
  actor: Caller,
  account: { id: string; ancestor_ids: readonly string[] },
  permissions: Permissions | null,
): AppError | null {
  if (account.id === actor.id) return null;
  if (!account.ancestor_ids.includes(actor.id))
    return new AppError(errorCode.roleTooPowerful, accountReasons.loginsFromAbove);
  const scope = findExceedingScope(actor, permissions ?? {});
  return scope === null ? null : new AppError(errorCode.roleTooPowerful, { scope, ...accountReasons.loginsOfMightier });
}

/** Throws what `whyNotInferior` answers. */
export function requireInferior(...given: Parameters<typeof whyNotInferior>): void {
  const refusal = whyNotInferior(...given);
  if (refusal) throw refusal;
}

/** Hashes of all new passwords by address; throws 205 when one breaks the rules. Before any row is locked: it takes a while. */
export async function hashNewPasswords(ctx: Context, { add, change }: CredentialPlan, name: string) {
  const wanted = [...add, ...change];
  for (const { email, newPassword } of wanted)
    requireGoodPassword(newPassword, { name, email }, "credentialChanges.newPassword");
  const hashes = new Map<string, string>();
  for (const { email, newPassword } of wanted) hashes.set(keyOf(email), await hashPassword(ctx, newPassword));
  return hashes;
}

/** Carries a plan out. Sessions of changed and removed logins end, but for the one that changes its own password. */
export async function applyCredentialPlan(
  ctx: Context,
  w: Write,
  account: { id: string; name: string },
  plan: CredentialPlan,
  hashes: ReadonlyMap<string, string>,
  caller: Caller,
): Promise<void> {
  const now = ctx.clock.date();
  // Where somebody can sign in already, a login from above does not speak for the account's consent for some time.
  const isFromAbove = account.id !== caller.id && (await findCompleteLogins(w.tx, account.id)).length > 0;
  const fromAboveAt = isFromAbove ? now : null;
  await notifyOtherLogins(ctx, w, account, plan, caller);
  await store.removeCredentials(w.tx, plan.remove, ctx.clock.date());
  for (const { id, email } of plan.change) await store.setPassword(w.tx, id, hashOf(hashes, email), fromAboveAt);
  await endSessions(w, { credentialIds: plan.remove.map(({ id }) => id) });
  await endSessions(w, { credentialIds: plan.change.map(({ id }) => id), except: caller.sessionId });
  await giveWay(ctx, w, plan.add);
  let position = await store.nextPosition(w.tx, account.id);
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

/** A change is reported to all who sign in for the account, those who can't any more included. */
async function notifyOtherLogins(
  ctx: Context,
  w: Write,
  account: { id: string; name: string },
  { add, change, remove }: CredentialPlan,
  caller: Caller,
): Promise<void> {
  const changes = { added: add, changed: change, removed: remove };
  if (Object.values(changes).every((list) => list.length === 0)) return;
  // A new login is notified by its own mail.
  const added = new Set(add.map(({ email }) => keyOf(email)));
  const logins = await findCompleteLogins(w.tx, account.id);
  const { publicUrl } = ctx.config;
  const by = account.id === caller.id ? caller.email : caller.name;
  const facts = { account: account.name, by, ...changes, publicUrl };
  const gone = new Set(remove.map(({ id }) => id));
  for (const { id, email } of logins) {
    if (id === caller.credentialId || added.has(keyOf(email))) continue;
    await queueMail(ctx, w, { to: email, ...loginsChangedMail({ ...facts, isGone: gone.has(id) }) });
  }
}

function hashOf(hashes: ReadonlyMap<string, string>, email: string): string {
  const hash = hashes.get(keyOf(email));
  // The list was hashed a moment ago, unless the logins were others then.
  if (hash === undefined) throw new AppError(errorCode.invalidArgument, accountReasons.loginsChanged, { status: 409 });
  return hash;
}
