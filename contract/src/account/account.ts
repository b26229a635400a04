// Accounts: nodes of the customer tree, with an address and login credentials (docs/rules/accounts.md#fields).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { uuid } from "../kit/ids.ts";
import { boundedNormalizedText, boundedText } from "../kit/bounded-text.ts";
import { normalizeText, hasForbiddenCharacters } from "../kit/text-bounds.ts";
import { maxEmailLength } from "./email.ts";
import { safeName, safeText } from "../kit/safe-text.ts";

export const registrationSteps = { rejected: -2, toReview: -1, invited: 0, confirmEmail: 1, complete: 2 } as const;
export const registrationStepSchema = z.union([-2, -1, 0, 1, 2].map((step) => z.literal(step)));

/** Compared case-insensitively. Brackets in an address are an invalid e-mail (204), not a violation of the input rule (400). */
export const emailSchema = boundedNormalizedText(maxEmailLength, "Invalid email")
  .transform(normalizeText)
  .refine((text) => text.length > 0, {
    error: "The email is required",
    params: { code: errorCode.emailMissing },
    abort: true,
  })
  .pipe(z.email({ error: "Invalid email" }).max(maxEmailLength, "Invalid email"))
  .refine((text) => !hasForbiddenCharacters(text), {
    error: "Invalid email",
    params: { code: errorCode.invalidEmail },
  });

/** Checks only that the password isn't empty. The server checks the password rules. */
export const newPasswordSchema = boundedText(1024).refine((text) => text.length > 0, {
  error: "The password is required",
  params: { code: errorCode.passwordMissing },
  abort: true,
});

/**
 * Requires that both passwords are equal. Combine it with a form by `and`, because zod skips the refinements of a form while one
 * of its fields is invalid.
 */
export function matchingPasswordsSchema(sentence: string) {
  return z
    .object({ password: z.string(), repeatPassword: z.string() })
    .refine(({ password, repeatPassword }) => password === repeatPassword, {
      path: ["repeatPassword"],
      error: sentence,
    });
}

export const ownerRefSchema = z.object({
  _id: z.string(),
  name: z.string(),
  isDeleted: z.boolean(),
  status: z.object({ numActiveSessions: z.int(), lastSeenAt: z.string().nullable() }).optional(),
});
export type OwnerRef = z.output<typeof ownerRefSchema>;

const accountRoleSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: z.object({ _id: z.string(), name: z.string() }).nullable(),
});

const legalSchema = z.object({
  firstName: z.string(),
  familyName: z.string(),
  department: z.string(),
  dpaAcceptedAt: z.string(),
  eulaAcceptedAt: z.string(),
  dpaVersion: z.string(),
});

export const accountSchema = z.object({
  _id: z.string(),
  name: z.string(),
  /** Null if the role is deleted or hidden from the caller. */
  role: accountRoleSchema.nullable(),
  credentials: z.array(z.object({ email: z.string() })),
  registrationInfo: z.array(
    z.object({
      stepReached: registrationStepSchema,
      legal: legalSchema.nullable(),
      credentials: z.object({ email: z.string() }),
    }),
  ),
  parentAccounts: z.array(z.string()),
  status: z.object({ numActiveSessions: z.int(), lastSeenAt: z.string().nullable() }),
  phone: z.string().nullable(),
  street: z.string().nullable(),
  streetNumber: z.string().nullable(),
  zip: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string().nullable(),
  supplier: z.string().nullable(),
  readonlyAddress: z.boolean(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Account = z.output<typeof accountSchema>;

export const newAccountSchema = z.strictObject({
  name: safeName(),
  role: uuid,
  email: emailSchema,
  /** Without it, the account belongs to the caller's organization (docs/rules/accounts.md#creating-accounts). */
  otherOrganization: z.boolean().optional(),
});

/**
 * The current password of the caller's login. Required for changes to the caller's own account, and rejected for others
 * (ADR 0009).
 */
const currentPassword = boundedText(4096).optional();

const credentialChangeSchema = z.discriminatedUnion("operation", [
  z.strictObject({ operation: z.literal("ADD"), email: emailSchema, newPassword: newPasswordSchema, currentPassword }),
  z.strictObject({
    operation: z.literal("CHANGE_PASSWORD"),
    email: emailSchema,
    newPassword: newPasswordSchema,
    currentPassword,
  }),
  z.strictObject({ operation: z.literal("REMOVE"), email: emailSchema, currentPassword }),
]);
export type CredentialChange = z.output<typeof credentialChangeSchema>;

export const accountChangeSchema = z.strictObject({
  name: safeName().optional(),
  role: uuid.optional(),
  credentialChanges: z.array(credentialChangeSchema).max(50).optional(),
  acceptRegistration: z.boolean().optional(),
  directParentAccount: uuid.optional(),
  phone: safeText(20).nullable().optional(),
  street: safeText(100).nullable().optional(),
  streetNumber: safeText(10).nullable().optional(),
  zip: safeText(10).nullable().optional(),
  city: safeText(100).nullable().optional(),
  country: safeText(60).nullable().optional(),
  supplier: safeText(100).nullable().optional(),
});
export type AccountChange = z.output<typeof accountChangeSchema>;
