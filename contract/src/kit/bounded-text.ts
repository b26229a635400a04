// The first look at every text that comes from outside: its length and its piles of marks, before anything reads it (T-26).
import { z } from "zod";

/** What is trimmed and composed may have been longer before: an accent that was typed apart, blanks around it. */
const rawLengths = 4;

/**
 * More combining marks in a row than any script writes on one letter. Composing sorts the marks of a letter, and the time
 * for that grows with the square of their number. The look back makes the search itself linear.
 */
const pile = /(?<!\p{M})\p{M}{31}/u;

/** True when a text is short enough to be read at all and holds no pile of marks. */
export function isBounded(text: string, max: number): boolean {
  return text.length <= max && !pile.test(text);
}

/** A text of at most `max` characters without piles of marks (400); what comes after it sees no other. */
export function boundedText(max: number, tooLong = `At most ${max} characters`) {
  return z
    .string()
    .max(max, { error: tooLong, abort: true })
    .refine((text) => !pile.test(text), { error: "Remove special characters", params: { code: 400 }, abort: true });
}

/** The same for a text of at most `max` characters when it is trimmed and composed. */
export function boundedRaw(max: number, tooLong = `At most ${max} characters`) {
  return boundedText(max * rawLengths, tooLong);
}

/** Trimmed and composed (NFC): some keyboards send an accent as a character of its own, and it must be found like any other. */
export function composed(text: string): string {
  return text.trim().normalize("NFC");
}
