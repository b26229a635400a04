// Limits for untrusted text, without zod so that the login page can use them (T-26).

/** A raw text may be this many times longer than the limit, because trimming and NFC can shorten it. */
export const rawLengthFactor = 4;

/**
 * More combining marks in a row than any script uses. NFC takes quadratic time in the number of marks, because it sorts them. The
 * lookbehind keeps the search linear.
 */
export const excessiveMarksPattern = /(?<!\p{M})\p{M}{31}/u;

const overfull = /(?<!\p{M})(\p{M}{30})\p{M}+/gu;
/** Line breaks, control characters and bidirectional overrides. */
const invisible = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

export function isBounded(text: string, max: number): boolean {
  return text.length <= max && !excessiveMarksPattern.test(text);
}

/** Trims and converts to NFC, so that texts compare equal however accents were typed. */
export function normalizeText(text: string): string {
  return text.trim().normalize("NFC");
}

const forbidden = /[<>[\]{}]/;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is refused here
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether a text contains brackets, control characters, line separators or lone surrogates. */
export function hasForbiddenCharacters(text: string): boolean {
  return forbidden.test(text) || control.test(text) || !text.isWellFormed();
}

/** Makes a device's text displayable: at most `max` characters in one line, well-formed, without excessive combining marks. */
export function toDeviceText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll(invisible, " ").replaceAll(overfull, "$1").trim();
}
