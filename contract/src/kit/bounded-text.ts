// The first look at every text that comes from outside: its length and its piles of marks, before anything reads it (T-26).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { pile, rawLengths, toDeviceText } from "./text-bounds.ts";

/** A text of at most `max` characters without piles of marks (400); what comes after it sees no other. */
export function boundedText(max: number, tooLong = `At most ${max} characters`) {
  return z
    .string()
    .max(max, { error: tooLong, abort: true })
    .refine((text) => !pile.test(text), {
      error: "Remove special characters",
      params: { code: errorCode.invalidInput },
      abort: true,
    });
}

/** The same for a text of at most `max` characters when it is trimmed and composed. */
export function boundedRaw(max: number, tooLong = `At most ${max} characters`) {
  return boundedText(max * rawLengths, tooLong);
}

/**
 * What a device says to people, in `toDeviceText`'s form. Any text passes: one that is too long would take the message around it along.
 * Not for what is compared with anything.
 */
export const deviceText = (max: number) => z.string().transform((text) => toDeviceText(text, max));
