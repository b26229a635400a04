// First check of every external text: length and stacked combining marks, before anything else processes it (T-26).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { excessiveMarksPattern, rawLengthFactor, toDeviceText } from "./text-bounds.ts";

/** A text of at most `max` characters without stacked combining marks (400). */
export function boundedText(max: number, tooLong = `At most ${max} characters`) {
  return z
    .string()
    .max(max, { error: tooLong, abort: true })
    .refine((text) => !excessiveMarksPattern.test(text), {
      error: "Remove special characters",
      params: { code: errorCode.invalidInput },
      abort: true,
    });
}

/** Like boundedText, but `max` applies to the trimmed, NFC-normalized text. */
export function boundedNormalizedText(max: number, tooLong = `At most ${max} characters`) {
  return boundedText(max * rawLengthFactor, tooLong);
}

/**
 * Display text from a device. It is truncated and cleaned instead of rejected, so that the rest of the message is kept. Don't use
 * it for values that are compared.
 */
export const deviceText = (max: number) => z.string().transform((text) => toDeviceText(text, max));
