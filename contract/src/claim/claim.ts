// Claiming: taking over a sensor by the registration code on its label (docs/rules/claiming.md#registration-codes).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { sensorTypes } from "../device/sensor-type.ts";

/** In characters (code points), not UTF-16 code units. */
export const claimingCodeLength = 8;
export const maxClaims = 50;

/** Labels are printed in capitals, but people type either case. */
export function normalizeClaimingCode(text: string): string {
  return text.trim().toUpperCase();
}

/**
 * Rejects impossible codes, so that they need no lookup: those of another length, and those with NUL, which the database can't
 * store.
 */
export function isClaimingCode(code: string): boolean {
  return [...code].length === claimingCodeLength && !code.includes("\u0000");
}

const maxTextLength = 64;
const codeText = boundedText(maxTextLength).transform(normalizeClaimingCode);

/** A code in the path. An impossible code is treated like an unknown one. */
export const claimingCodeSchema = codeText.refine(isClaimingCode);

export const claimSchema = z.strictObject({ id: mac, type: z.enum(sensorTypes), claimingCode: codeText });
export type Claim = z.output<typeof claimSchema>;

export const claimableSensorSchema = z.object({ id: z.string(), type: z.enum(sensorTypes) });
export type ClaimableSensor = z.output<typeof claimableSensorSchema>;

const claimOutcomes = ["CLAIMED", "NOT_CLAIMABLE"] as const;
export const claimResultSchema = z.object({ id: z.string(), status: z.enum(claimOutcomes) });
export type ClaimResult = z.output<typeof claimResultSchema>;
