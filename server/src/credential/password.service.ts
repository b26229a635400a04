// Checks passwords against the rules (docs/rules/sessions.md#passwords), for the chips on the screen and for every call that sets a
// password.
import { type PasswordEvaluationResult, passwordLength } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import { commonPasswords, commonWords } from "./common-passwords.rules.ts";
import { verifyPassword } from "./hashing.service.ts";
import { normalizePassword, normalizeWithoutDigits, isKnownPassword } from "./known-passwords.rules.ts";
import { findPasswordHash } from "./session.store.ts";

type PasswordOwner = { name?: string | undefined; email?: string | undefined };

const productNames = ["psplatform"];
/** Shorter names and mailbox names occur in passwords by chance. */
const minName = 3;
const minMailbox = 5;

/** Checks all requirements. Their texts are shown as chips (AU-07). */
export function evaluatePassword(password: string, owner: PasswordOwner = {}): PasswordEvaluationResult {
  const characters = [...password.normalize("NFC")];
  const { length } = characters;
  // Checks only the first part of an overlong password, to bound the time. The password is refused anyway.
  const text = characters.slice(0, passwordLength.max).join("");
  const details = [
    { requirement: `At least ${passwordLength.min} characters`, fulfilled: length >= passwordLength.min },
    { requirement: `At most ${passwordLength.max} characters`, fulfilled: length <= passwordLength.max },
    { requirement: "Not easy to guess", fulfilled: length > 0 && !isCommon(text) },
    { requirement: "Doesn't contain your name, your email or the product's name", fulfilled: !isPersonal(text, owner) },
  ];
  return { fulfilled: details.every(({ fulfilled }) => fulfilled), details };
}

export function requireGoodPassword(password: string, owner: PasswordOwner, field = "password"): void {
  const missing = evaluatePassword(password, owner).details.filter(({ fulfilled }) => !fulfilled);
  if (missing.length > 0)
    throw new AppError(errorCode.invalidPassword, {
      field,
      requirements: missing.map(({ requirement }) => requirement),
    });
}

/** Whether `password` is the login's current password. Takes the same time for a login without a password. */
export async function isPasswordOf(ctx: Context, credentialId: string, password: string): Promise<boolean> {
  return verifyPassword(ctx, await findPasswordHash(ctx.db, credentialId), password);
}

function isCommon(text: string): boolean {
  const lower = text.toLowerCase();
  const plain = normalizePassword(text);
  if (hasLittleVariety(lower) || isRun(plain) || isOneWord(lower)) return true;
  return [plain, onceOf(plain), onceOf(normalizeWithoutDigits(text))].some(
    (one) => commonPhrases.has(normalizeWithoutDigits(one)) || isKnownPassword(one),
  );
}

const commonPhrases: ReadonlySet<string> = new Set([...commonPasswords].map(normalizeWithoutDigits));

/** Returns the repeated part of a text that consists of repetitions, otherwise the text. */
function onceOf(text: string): string {
  for (let size = 1; size <= text.length / 2; size += 1) {
    if (text.length % size === 0 && text.slice(0, size).repeat(text.length / size) === text) return text.slice(0, size);
  }
  return text;
}

/** Whether the text has fewer than four different characters, or repeats a part of at most eight characters. */
function hasLittleVariety(text: string): boolean {
  const characters = [...text];
  if (new Set(characters).size < 4) return true;
  for (let size = 1; size <= Math.min(8, characters.length / 2); size += 1) {
    if (characters.every((character, n) => character === characters[n % size])) return true;
  }
  return false;
}

const rows = [
  "01234567890",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "qwertzuiop",
  "asdfghjkl",
  "zxcvbnm",
  "yxcvbnm",
  "azertyuiop",
];
const steps: ReadonlySet<string> = new Set(
  rows.flatMap((row) => [...row].slice(1).flatMap((next, n) => [`${row[n]}${next}`, `${next}${row[n]}`])),
);

/** Whether the text is mostly a sequence from the alphabet, the digits or a keyboard row. */
function isRun(plain: string): boolean {
  const characters = [...plain];
  const walked = characters.filter((next, n) => n > 0 && steps.has(`${characters[n - 1]}${next}`)).length;
  return characters.length > 1 && walked >= (characters.length - 1) * 0.75;
}

/** Whether the letters are one common word, once or repeated. Ignores digits and signs. */
function isOneWord(lower: string): boolean {
  const letters = lower.replaceAll(/[^\p{L}]/gu, "");
  for (let size = 3; size <= letters.length; size += 1) {
    if (letters.length % size !== 0) continue;
    const word = letters.slice(0, size);
    if (commonWords.has(word) && letters === word.repeat(letters.length / size)) return true;
  }
  return false;
}

function isPersonal(text: string, { name = "", email = "" }: PasswordOwner): boolean {
  const own = normalizePassword(text);
  const mailbox = normalizePassword(email.split("@")[0] ?? "");
  const words = [
    ...productNames,
    ...[normalizePassword(name)].filter((word) => word.length >= minName),
    ...[normalizePassword(email)].filter((word) => word.length >= minName),
    ...[mailbox].filter((word) => word.length >= minMailbox),
  ];
  return words.some((word) => own.includes(word));
}
