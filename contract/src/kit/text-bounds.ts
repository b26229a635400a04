// Looks at a text from outside before anything reads it (T-26); free of schemas, so that the login screen has it, too.

/** What is trimmed and composed may have been longer before: an accent that was typed apart, blanks around it. */
export const rawLengths = 4;

/**
 * More combining marks in a row than any script writes on one letter. Composing sorts the marks of a letter, and the time
 * for that grows with the square of their number. The look back makes the search itself linear.
 */
export const pile = /(?<!\p{M})\p{M}{31}/u;

/** What would make a pile: the marks after the thirtieth. */
const overfull = /(?<!\p{M})(\p{M}{30})\p{M}+/gu;
/** Ends of lines, control characters, and what turns the direction of the text that follows. */
const invisible = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** True when a text is short enough to be read at all and holds no pile of marks. */
export function isBounded(text: string, max: number): boolean {
  return text.length <= max && !pile.test(text);
}

/** Trimmed and composed (NFC): some keyboards send an accent as a character of its own, and it must be found like any other. */
export function composed(text: string): string {
  return text.trim().normalize("NFC");
}

const forbidden = /[<>[\]{}]/;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is refused here
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** True when a text breaks the input rule: brackets of any kind, or control characters. */
export function breaksInputRule(text: string): boolean {
  return forbidden.test(text) || control.test(text) || !text.isWellFormed();
}

/** A text of a device as people read it: its first `max` characters on one line, well-formed, without piles of marks. */
export function toDeviceText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll(invisible, " ").replaceAll(overfull, "$1").trim();
}
