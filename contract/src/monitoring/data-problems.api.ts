// API call for data problems of sensors: rejected records, wrong clock, shared identity.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac } from "../kit/ids.ts";
import { idText } from "../kit/page.ts";

export const dataProblemSchema = z.object({
  sens: z.string(),
  /** Rejected records of the last 30 days, most frequent reasons first; null if there are none. */
  rejected: z
    .object({
      count: z.int(),
      since: z.string(),
      reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
      /** `record` is null for callers who may not edit the sensor. */
      last: z.object({ at: z.string(), reason: z.string(), record: z.unknown() }),
    })
    .nullable(),
  /** How far the sensor's clock is off; positive if it is ahead. Null if it is right or unknown. */
  clockOffMs: z.number().nullable(),
  /** When the record numbers last restarted, within the last 30 days. */
  restartedAt: z.string().nullable(),
  /** Set if two devices used the sensor's identity within the last hour. */
  identity: z.object({ lastAt: z.string(), addresses: z.tuple([z.string(), z.string()]) }).nullable(),
});
export type DataProblem = z.output<typeof dataProblemSchema>;

export const listDataProblems = endpoint("listDataProblems", "GET", "/v2/data-problem", {
  summary:
    "What is wrong with the data of a sensor, or of the sensors at a location; those without problems are left out",
  query: z
    .strictObject({ sens: mac.optional(), measID: idText.optional() })
    .refine(({ sens, measID }) => (sens === undefined) !== (measID === undefined), { message: "sens or measID" }),
  reply: z.array(dataProblemSchema),
});
