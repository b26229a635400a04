// Changes of an account's logins: a list is judged as a whole before anything happens (AC-11, decisions 5).
import { type CredentialChange, registrationSteps } from "@psp/contract/account/account.ts";
import { AppError } from "../app-error.ts";
import { hashPassword, requireGoodPassword } from "../auth/password.service.ts";
import { endSessions } from "../auth/session.service.ts";
import type { Caller } from "../caller.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../db/uuid.ts";
import { onDuplicate, type Write } from "../db/write.ts";
import { loginAddedMail } from "../mail/login-added.mail.ts";
import { queueMail } from "../mail/outbox.ts";
import * as store from "./account.store.ts";

type Stored = Pick<store.StoredCredential, "id" | "email" | "step">;
type CredentialPlan = {
  add: { email: string; newPassword: string }[];
  change: { id: string; email: string; newPassword: string; currentPassword?: string | undefined }[];
  remove: { id: string; email: string }[];
};

/** Throws 205 unless this is the present password of the caller's login, 429 after five wrong ones within a minute. */
export type PasswordCheck = (caller: Caller, password: string, field: string) => Promise<void>;

const keyOf = (email: string) => email.toLowerCase();

/**
 * What a list of changes comes to. Throws 207 for logins that are not complete, 201 for an address twice, 204 for one that
 * the account does not have, 200 when no complete login would be left.
 */
export function planCredentialChanges(
  existing: readonly Stored[],
  changes: readonly CredentialChange[],
): CredentialPlan {
  const isComplete = ({ step }: { step: number }) => step === registrationSteps.complete;
  if (existing.length > 0 && !existing.some(isComplete)) throw new AppError(207);
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
      throw new AppError(204, { field: "credentialChanges.email", message: "Not a login of this account" });
    if (!isComplete(credential)) throw new AppError(207);
    if (change.operation === "REMOVE") plan.remove.push(credential);
    else {
      const { newPassword, currentPassword } = change;
      plan.change.push({ ...credential, newPassword, currentPassword });
    }
  }
  const left = existing.filter(isComplete).length - plan.remove.length + plan.add.length;
  if (plan.remove.length > 0 && left === 0) throw new AppError(200);
  return plan;
}

/** Null where there is no plan: what speaks against it is told in its turn, after references and special rights (decisions 3). */
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
    const operations = list
      .map(({ operation }) => operation)
      .toSorted()
      .join();
    const added = operations === "ADD" && known.has(key);
    if (added || (list.length > 1 && operations !== "ADD,REMOVE"))
      throw new AppError(201, { field: "credentialChanges.email" });
  }
}

/** Throws when a present password was given that is wrong, or not the caller's own to know (402). */
export async function confirmPasswords({ change }: CredentialPlan, caller: Caller, confirm: PasswordCheck) {
  const field = "credentialChanges.currentPassword";
  for (const { id, currentPassword } of change) {
    if (currentPassword === undefined) continue;
    if (id !== caller.credentialId) throw new AppError(402, { field, message: "Only for one's own login" });
    await confirm(caller, currentPassword, field);
  }
}

/** Hashes of all new passwords by address; throws 205 when one breaks the rules. Before any row is locked: it takes a while. */
export async function hashNewPasswords({ add, change }: CredentialPlan, name: string): Promise<Map<string, string>> {
  const wanted = [...add, ...change];
  for (const { email, newPassword } of wanted)
    requireGoodPassword(newPassword, { name, email }, "credentialChanges.newPassword");
  const hashes = new Map<string, string>();
  for (const { email, newPassword } of wanted) hashes.set(keyOf(email), await hashPassword(newPassword));
  return hashes;
}

/** Carries a plan out. Sessions of changed and removed logins end, but for the one that changes its own password. */
export async function applyCredentialPlan(
  ctx: Context,
  w: Write,
  account: { id: string; name: string },
  plan: CredentialPlan,
  hashes: ReadonlyMap<string, string>,
  callingSession: string,
): Promise<void> {
  await store.removeCredentials(
    w.tx,
    plan.remove.map(({ id }) => id),
  );
  for (const { id, email } of plan.change) await store.setPassword(w.tx, id, hashOf(hashes, email));
  await endSessions(w, { credentialIds: plan.remove.map(({ id }) => id) });
  await endSessions(w, { credentialIds: plan.change.map(({ id }) => id), except: callingSession });
  const now = ctx.clock.date();
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
    };
    await onDuplicate("credential_email", 409, () => store.insertCredential(w.tx, credential));
    await queueMail(ctx, w, {
      to: email,
      ...loginAddedMail({ account: account.name, publicUrl: ctx.config.publicUrl }),
    });
  }
}

function hashOf(hashes: ReadonlyMap<string, string>, email: string): string {
  const hash = hashes.get(keyOf(email));
  // The list was hashed a moment ago, unless the logins were others then.
  if (hash === undefined) throw new AppError(102, { reason: "The logins have just changed" }, { status: 409 });
  return hash;
}
