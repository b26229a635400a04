// Use cases of registration links in mails: the form, verifying the address, and refusing it (RG-01, RG-02, RG-05, RG-06).
import { timingSafeEqual } from "node:crypto";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { newestAgreement } from "@psp/contract/legal/agreements.ts";
import {
  invitationLifetimeMs,
  lockableAddressFields,
  type Registration,
  type RegistrationState,
  type Verification,
} from "@psp/contract/registration/registration.ts";
import { endUnwantedRegistration } from "../account/account.ending.service.ts";
import { AppError } from "../kit/app-error.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { requireGoodPassword } from "../credential/password.service.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import type { LegalDetails } from "../credential/credential.tables.ts";
import { write, type UnitOfWork } from "../db/write.ts";
import { publishAccount } from "../owned/change.ts";
import { queueMail } from "../mail/outbox.ts";
import { confirmRegistrationMail } from "../mail/mail-texts.ts";
import { hashToken } from "../kit/tokens.ts";
import * as store from "./registration.store.ts";
import { issueVerificationLink } from "../credential/verification.service.ts";

export type RegistrationLink = { id: string; regId: string };

/**
 * Throws 105 if the registration does not exist or has ended. For an expired invitation, the error includes a reason.
 */
async function requireRegistration(ctx: Context, db: Reader, link: RegistrationLink, hold: boolean) {
  const row = await store.findRegistration(db, link.id, hashToken(link.regId), hold);
  if (!row) throw new AppError(errorCode.notFound);
  const isOld = row.invited_at !== null && ctx.clock.now() >= row.invited_at.getTime() + invitationLifetimeMs;
  if (isOld && row.step === registrationSteps.invited)
    throw new AppError(errorCode.notFound, { reason: "The invitation has expired" });
  return row;
}

export async function getRegistration(ctx: Context, link: RegistrationLink): Promise<RegistrationState> {
  return toRegistration(await requireRegistration(ctx, ctx.db, link, false));
}

/** Accepts an invited person's form, at most once, and mails the code that verifies the address. */
export async function completeRegistration(
  ctx: Context,
  link: RegistrationLink,
  form: Registration,
  requestId: string,
): Promise<RegistrationState> {
  const seen = requireOpen(await requireRegistration(ctx, ctx.db, link, false));
  requireFields(form, seen);
  const { password } = form.credentials;
  requireGoodPassword(password, { name: accountName(form, seen), email: seen.email }, "credentials.password");
  // Slow, so it runs before rows are locked.
  const passwordHash = await hashPassword(ctx, password);
  return write(ctx, { system: requestId }, async (w) => {
    // Read again under the lock, so that only one of two concurrent forms succeeds.
    const row = requireOpen(await requireRegistration(ctx, w.tx, link, true));
    requireFields(form, row);
    const now = ctx.clock.date();
    await store.fillCredential(w.tx, row.credential_id, { passwordHash, legal: acceptTerms(ctx, form.legal) });
    await store.updateAccountFields(w.tx, row.account_id, filledIn(form, row), now);
    await mailCode(ctx, w, { ...row, name: accountName(form, row) }, link.regId);
    announceChange(w, row, "register");
    return atStep(registrationSteps.confirmEmail);
  });
}

function requireOpen(row: store.RegistrationRow): store.RegistrationRow {
  if (row.step !== registrationSteps.invited)
    throw new AppError(errorCode.invalidArgument, { field: "regId", reason: "The form was already sent" });
  return row;
}

/**
 * Requires all fields if the form may set the postal address. Throws 108 for a missing name, 104 for any other field. Name, phone and
 * department are not required of accounts that belong to the organization of an account above.
 */
function requireFields(form: Registration, row: store.RegistrationRow): void {
  const require = (present: boolean, field: string) => {
    if (!present) throw new AppError(errorCode.missingArgument, { field });
  };
  const isShared = sharesOrganization(row);
  if (!isShared) {
    require(Boolean(form.legal.department), "legal.department");
    require(form.phone !== "", "phone");
  }
  if (isLocked(row)) return;
  if (!isShared) {
    if (form.name === undefined) throw new AppError(errorCode.nameMissing, { field: "name" });
    require(form.phone !== undefined, "phone");
  }
  for (const field of lockableAddressFields) require(form[field] !== undefined, field);
}

/** The account's name after registration: the person's for a colleague, else the organization's or the one that its creator chose. */
function accountName({ name, legal }: Registration, row: store.RegistrationRow): string {
  if (row.is_colleague) return `${legal.firstName} ${legal.familyName}`;
  return sharesOrganization(row) ? row.name : (name ?? row.name);
}

function filledIn(form: Registration, row: store.RegistrationRow): Parameters<typeof store.updateAccountFields>[2] {
  const { phone, supplier, street, streetNumber, zip, city, country } = form;
  const given = {
    name: accountName(form, row),
    shares_organization: sharesOrganization(row),
    phone: phone === "" ? undefined : phone,
    supplier: supplier === "" ? null : supplier,
    ...(isLocked(row) ? {} : { street, street_number: streetNumber, zip, city, country }),
    ...lockedHomeAddress(row),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The address of the organization becomes the account's address, unless one was entered for the account. */
function lockedHomeAddress(row: store.RegistrationRow) {
  if (!sharesOrganization(row) || row.home === null || hasEnteredAddress(row)) return {};
  const { name: _name, ...address } = row.home;
  return { ...address, readonly_address: true };
}

/** The server sets time and version; the request only confirms the check boxes (LE-01). */
export function acceptTerms(
  ctx: Context,
  { firstName, familyName, department = "" }: Registration["legal"],
): LegalDetails {
  const at = ctx.clock.date().toISOString();
  const { date: dpaVersion } = newestAgreement;
  return { firstName, familyName, department, dpaAcceptedAt: at, eulaAcceptedAt: at, dpaVersion };
}

/**
 * Verifies the address, which activates the login. Throws 102 for a wrong, used or expired code. For an expired code,
 * also mails a new one, because a person who has the code reads that mailbox.
 */
export async function verifyRegistration(ctx: Context, link: RegistrationLink, code: string, requestId: string) {
  const inTime = await write(ctx, { system: requestId }, async (w) => {
    const row = requireCode(await requireRegistration(ctx, w.tx, link, true), code);
    if (isExpired(ctx, row)) {
      await mailCode(ctx, w, row, link.regId);
      return false;
    }
    await store.finishRegistration(w.tx, row.credential_id);
    await store.updateAccountFields(w.tx, row.account_id, {}, ctx.clock.date());
    announceChange(w, row, "verify-email");
    return true;
  });
  if (!inTime) throw new AppError(errorCode.invalidArgument, { field: "code", reason: "expired" });
  return atStep(registrationSteps.complete);
}

/** Returns what the code would confirm, without using it up. Throws 102 for a wrong, used or expired code. */
export async function getVerification(ctx: Context, link: RegistrationLink, code: string): Promise<Verification> {
  const row = requireCode(await requireRegistration(ctx, ctx.db, link, false), code);
  if (isExpired(ctx, row)) throw new AppError(errorCode.invalidArgument, { field: "code", reason: "expired" });
  return { organization: organizationOf(row), email: row.email };
}

/** Ends a registration that the mailbox's owner did not request, so that the address can be used again. */
export async function endRegistration(ctx: Context, link: RegistrationLink, code: string, requestId: string) {
  return write(ctx, { system: requestId }, async (w) => {
    await lockRights(w.tx, "use");
    const row = requireCode(await requireRegistration(ctx, w.tx, link, true), code);
    const { account_id: accountId, credential_id: credentialId } = row;
    await endUnwantedRegistration(ctx, w, { accountId, credentialId, invited: row.invited_at !== null });
    return {};
  });
}

function requireCode(row: store.RegistrationRow, code: string): store.RegistrationRow {
  const expected = row.step === registrationSteps.confirmEmail ? row.verify_token : null;
  if (!expected || !timingSafeEqual(expected, hashToken(code)))
    throw new AppError(errorCode.invalidArgument, { field: "code" });
  return row;
}

function isExpired(ctx: Context, { token_expires_at }: store.RegistrationRow): boolean {
  return !token_expires_at || token_expires_at.getTime() <= ctx.clock.now();
}

async function mailCode(ctx: Context, w: UnitOfWork, row: store.RegistrationRow, registration: string): Promise<void> {
  const subject = { accountId: row.account_id, credentialId: row.credential_id };
  const link = await issueVerificationLink(ctx, w.tx, subject, registration);
  // Mails only the stored address, never a submitted one.
  await queueMail(ctx, w, { to: row.email, ...confirmRegistrationMail({ account: row.name, link }) });
}

function announceChange(
  w: UnitOfWork,
  { account_id: id, account_path: path }: store.RegistrationRow,
  action: string,
): void {
  w.audit({ action, object: { type: "account", _id: id }, owner: { id, path } });
  publishAccount(w, "update", id);
}

/**
 * Whether the form may not set the postal address. A stored country means that an import or an administrator entered
 * the address, which people must not change. An account of the same organization has the address of the organization.
 */
function isLocked(row: store.RegistrationRow): boolean {
  return hasEnteredAddress(row) || (sharesOrganization(row) && row.home !== null);
}

function hasEnteredAddress({ readonly_address, country }: store.RegistrationRow): boolean {
  return readonly_address || country !== null;
}

/** Without a registered organization above, accounts other than colleagues enter their own. */
function sharesOrganization({ is_colleague, shares_organization, home }: store.RegistrationRow): boolean {
  return is_colleague || (shares_organization && home !== null);
}

function organizationOf(row: store.RegistrationRow): string {
  return sharesOrganization(row) ? (row.home?.name ?? row.above_name ?? row.name) : row.name;
}

/** Includes personal data only while the form is open (T-08). */
function toRegistration(row: store.RegistrationRow): RegistrationState {
  const { step, email, phone } = row;
  if (step !== registrationSteps.invited) return atStep(step);
  const { street, street_number: streetNumber, zip, city, country } = addressOf(row);
  return {
    registrationInfo: [{ stepReached: step, credentials: { email } }],
    readonlyAddress: isLocked(row),
    ...(sharesOrganization(row) ? { readonlyOrganization: true } : {}),
    name: organizationOf(row),
    phone,
    street,
    streetNumber,
    zip,
    city,
    country,
  };
}

/** The address that was entered for the account; else the address of the account above, as a suggestion or locked. */
function addressOf(row: store.RegistrationRow): store.PostalAddress {
  const isStarted = hasEnteredAddress(row) || [row.street, row.zip, row.city].some((one) => one !== null);
  const isKept = sharesOrganization(row) ? hasEnteredAddress(row) : isStarted;
  return isKept ? row : (row.home ?? row);
}

function atStep(step: number): RegistrationState {
  return { registrationInfo: [{ stepReached: step }] };
}
