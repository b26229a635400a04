// API calls for claiming sensors (docs/rules/claiming.md#calls).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { claimableSensorSchema, claimingCodeSchema, claimResultSchema, claimSchema, maxClaims } from "./claim.ts";

export const findClaimable = endpoint("findClaimable", "GET", "/claim/{code}", {
  summary: "The sensor that can be claimed by a registration code; 429 after too many wrong ones",
  params: z.strictObject({ code: claimingCodeSchema }),
  reply: claimableSensorSchema,
});

export const claimSensors = endpoint("claimSensors", "POST", "/claim/", {
  summary: "Takes over sensors by their registration codes; 404 when none could be claimed",
  body: z.strictObject({ sensors: z.array(claimSchema).min(1).max(maxClaims) }),
  reply: z.array(claimResultSchema),
});
