// Limits for untrusted text, without zod so that the login page can use them (T-26).

/** Trimming and NFC can shorten a text, so the raw text may be longer than the limit by this factor. */
export const rawLengthFactor = 4;

/**
 * More combining marks in a row than any script uses. NFC sorting takes quadratic time in their number. The lookbehind keeps
 * the search linear.
 */
export const excessiveMarks = /(?<!\p{M})\p{M}{31}/u;

/** The marks after the thirtieth. */
const overfull = /(?<!\p{M})(\p{M}{30})\p{M}+/gu;
/** Line breaks, control characters and bidirectional overrides. */
const invisible = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

export function isBounded(text: string, max: number): boolean {
  return text.length <= max && !excessiveMarks.test(text);
}

/** Trims and converts to NFC, so that texts compare equal however accents were typed. */
export function normalizeText(text: string): string {
  return text.trim().normalize("NFC");
}

const forbidden = /[<>[\]{}]/;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is refused here
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether a text contains brackets or control characters. */
export function hasForbiddenCharacters(text: string): boolean {
  return forbidden.test(text) || control.test(text) || !text.isWellFormed();
}

/** Makes device text displayable: first `max` characters, one line, well-formed, no stacked combining marks. */
export function toDeviceText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll(invisible, " ").replaceAll(overfull, "$1").trim();
}
