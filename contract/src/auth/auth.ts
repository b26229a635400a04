// Sign-in: sessions, tickets and the signed-in user (docs/rules/sessions.md).
import { z } from "zod";
import { accountSchema, matchingPasswordsSchema } from "../account/account.ts";
import { maxEmailLength } from "../account/email.ts";
import { errorCode } from "../errors.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { permissionsSchema } from "../permission/document.ts";

export const sessionUserSchema = accountSchema.extend({
  permissions: permissionsSchema.nullable(),
  email: z.string(),
  /** Warnings about the server's configuration, one sentence each. Only sent to the root account. */
  configurationWarnings: z.array(z.string()).optional(),
});
export type SessionUser = z.output<typeof sessionUserSchema>;

/** Checks only that the password isn't empty. Callers compare or evaluate it. */
const givenPassword = boundedText(4096).refine((text) => text.length > 0, {
  error: "The password is required",
  params: { code: errorCode.passwordMissing },
});

/** Accepts any text as address: a malformed address is treated like an unknown one. */
export const loginSchema = z.strictObject({
  email: boundedText(1024).refine((text) => text.trim().length > 0, {
    error: "The email is required",
    params: { code: errorCode.emailMissing },
  }),
  password: givenPassword,
});

export const activeSessionSchema = z.object({
  _id: z.string(),
  current: z.boolean(),
  createdAt: z.string(),
  /** Rounded to the minute. */
  lastSeenAt: z.string(),
  expiresAt: z.string(),
  /** For example "Firefox on Windows"; null if the client did not identify itself. */
  client: z.string().nullable(),
});
export type ActiveSession = z.output<typeof activeSessionSchema>;

export const maxPasswordLength = 1024;

/** A password to evaluate, and texts that it must not contain (AU-07). */
export const passwordToEvaluateSchema = z.strictObject({
  password: boundedText(maxPasswordLength),
  name: boundedText(200).optional(),
  email: boundedText(maxEmailLength).optional(),
});
export type PasswordToEvaluate = z.output<typeof passwordToEvaluateSchema>;

/** `requirement` is the label of the requirement on the screen. */
export const passwordEvaluationSchema = z.object({
  fulfilled: z.boolean(),
  details: z.array(z.object({ requirement: z.string(), fulfilled: z.boolean() })),
});
export type PasswordEvaluationResult = z.output<typeof passwordEvaluationSchema>;

/**
 * Accepts any text as address, because the response must not reveal which addresses exist. `origin` is the origin of the
 * application that the mailed link leads to.
 */
export const forgotPasswordSchema = z.strictObject({
  email: boundedText(1024),
  origin: boundedText(2048).nullish(),
});

/** The reset-password form (AU-05); the server evaluates the requirements. */
export const resetFormSchema = z
  .strictObject({ password: z.string().min(1, "Password is required"), repeatPassword: z.string() })
  .and(matchingPasswordsSchema("Passwords do not match"));

/** The length is not checked here, because the password rules report it with details (205). */
export const resetPasswordSchema = z.strictObject({ password: givenPassword });

export const resetLimits = { ttlMs: 30 * 60_000, mails: 3, mailsPerMs: 3_600_000 } as const;

const exactOrigin = /^https?:\/\/[\w.-]+(:\d{1,5})?$/;

/** Returns the origin if it is in `allowed`, otherwise null. Only allowed origins may become links in mails (AU-06, T-09). */
export function findAllowedOrigin(origin: unknown, allowed: readonly string[]): string | null {
  return typeof origin === "string" && exactOrigin.test(origin) && allowed.includes(origin) ? origin : null;
}

export const passwordLength = { min: 15, max: 256 } as const;

export const sessionLimits = { idleMs: 7 * 86_400_000, absoluteMs: 30 * 86_400_000, ticketMs: 30_000 } as const;
