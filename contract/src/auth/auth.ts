// Signing in: sessions, tickets, and what the signed-in account looks like (docs/rules/sessions.md).
import { z } from "zod";
import { accountSchema, repeatedPassword } from "../account/account.ts";
import { maxEmailLength } from "../account/email.ts";
import { errorCode } from "../errors.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { permissionsSchema } from "../permission/document.ts";

export const sessionUserSchema = accountSchema.extend({
  permissions: permissionsSchema.nullable(),
  /** The login behind this session. */
  email: z.string(),
  /** What the operator should change in the configuration, a sentence each; only for the account above all others. */
  configurationWarnings: z.array(z.string()).optional(),
});
export type SessionUser = z.output<typeof sessionUserSchema>;

/** A password that is compared or judged by others; only an empty one is distinguished. */
const givenPassword = boundedText(4096).refine((text) => text.length > 0, {
  error: "The password is required",
  params: { code: errorCode.passwordMissing },
});

/** The call takes any text: a malformed address is just a wrong one. */
export const loginSchema = z.strictObject({
  email: boundedText(1024).refine((text) => text.trim().length > 0, {
    error: "The email is required",
    params: { code: errorCode.emailMissing },
  }),
  password: givenPassword,
});

/** A place where somebody is signed in; nothing that could sign in. */
export const openSessionSchema = z.object({
  _id: z.string(),
  /** The session that asks. */
  current: z.boolean(),
  createdAt: z.string(),
  /** Exact to a minute. */
  lastSeenAt: z.string(),
  expiresAt: z.string(),
  /** "Firefox on Windows"; null when the client did not say what it is. */
  client: z.string().nullable(),
});
export type OpenSession = z.output<typeof openSessionSchema>;

/** Characters of a text that can be judged; whatever is longer is no password either. */
export const maxJudgedLength = 1024;

/** A password that somebody thinks about, with what it must not contain (AU-07). */
export const passwordToEvaluateSchema = z.strictObject({
  password: boundedText(maxJudgedLength),
  name: boundedText(200).optional(),
  email: boundedText(maxEmailLength).optional(),
});
export type PasswordToEvaluate = z.output<typeof passwordToEvaluateSchema>;

/** `requirement` is the sentence on the chip. */
export const evaluationSchema = z.object({
  fulfilled: z.boolean(),
  details: z.array(z.object({ requirement: z.string(), fulfilled: z.boolean() })),
});
export type Evaluation = z.output<typeof evaluationSchema>;

/** Any text is taken as an address, since the answer must not reveal which ones exist; `origin` is the application to return to. */
export const forgotPasswordSchema = z.strictObject({
  email: boundedText(1024),
  origin: boundedText(2048).nullish(),
});

/** The form of the reset-password view (AU-05); the requirements are evaluated by the server. */
export const resetFormSchema = z
  .strictObject({ password: z.string().min(1, "Password is required"), repeatPassword: z.string() })
  .and(repeatedPassword("Passwords do not match"));

/** The rules answer a bad password with their details (205), so its length is theirs to judge. */
export const resetPasswordSchema = z.strictObject({ password: givenPassword });

export const resetLimits = { ttlMs: 30 * 60_000, mails: 3, mailsPerMs: 3_600_000 } as const;

/** An origin as it is written: scheme, host, port if it has one, and nothing behind. */
const exactOrigin = /^https?:\/\/[\w.-]+(:\d{1,5})?$/;

/** The origin when it is exactly one of the allow-list, else null: nothing else may become a link (AU-06, T-09). */
export function allowedOrigin(origin: unknown, allowed: readonly string[]): string | null {
  return typeof origin === "string" && exactOrigin.test(origin) && allowed.includes(origin) ? origin : null;
}

export const passwordLength = { min: 15, max: 256 } as const;

export const sessionLimits = { idleMs: 7 * 86_400_000, absoluteMs: 30 * 86_400_000, ticketMs: 30_000 } as const;
