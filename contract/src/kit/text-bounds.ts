// Looks at a text from outside before anything reads it (T-26); free of schemas, so that the login screen has it, too.

/** What is trimmed and composed may have been longer before: an accent that was typed apart, blanks around it. */
export const rawLengths = 4;

/**
 * More combining marks in a row than any script writes on one letter. Composing sorts the marks of a letter, and the time
 * for that grows with the square of their number. The look back makes the search itself linear.
 */
export const pile = /(?<!\p{M})\p{M}{31}/u;

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
