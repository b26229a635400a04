// Claiming: taking over a sensor by the registration code on its label (spec 2 §4, §5).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { sensorTypes } from "../sensor/sensor-type.ts";

/** Characters of a registration code, exactly (spec 2 §9). */
export const claimingCodeLength = 8;
/** Sensors in one call at most (decisions 13). */
export const maxClaims = 50;

/** As it is compared: labels are printed in capitals, people type as they like. */
export function normalCode(text: string): string {
  return text.trim().toUpperCase();
}

/** A text of another length is no code, whatever it says (spec 2 §5), nor is one that can't be stored. */
export function isClaimingCode(code: string): boolean {
  return [...code].length === claimingCodeLength && !code.includes("\u0000");
}

const maxTextLength = 64;
const codeText = boundedText(maxTextLength).transform(normalCode);

/** A code in an address: what can't be one names nothing. */
export const claimingCodeSchema = codeText.refine(isClaimingCode);

export const claimSchema = z.strictObject({ id: mac, type: z.enum(sensorTypes), claimingCode: codeText });
export type Claim = z.output<typeof claimSchema>;

export const claimableSchema = z.object({ id: z.string(), type: z.enum(sensorTypes) });
export type Claimable = z.output<typeof claimableSchema>;

const claimOutcomes = ["CLAIMED", "NOT_CLAIMABLE"] as const;
export const claimResultSchema = z.object({ id: z.string(), status: z.enum(claimOutcomes) });
export type ClaimResult = z.output<typeof claimResultSchema>;
