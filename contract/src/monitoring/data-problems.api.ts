// The call about what is wrong with the data of sensors: rejected records, a wrong clock, a shared identity.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac } from "../kit/ids.ts";
import { idText } from "../kit/page.ts";

export const dataProblemSchema = z.object({
  sens: z.string(),
  /** Records of the last 30 days that could not be stored, the most frequent reasons first; null for none. */
  rejected: z
    .object({
      count: z.int(),
      since: z.string(),
      reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
      /** The newest of them. `record` is null for callers who may not edit the sensor. */
      last: z.object({ at: z.string(), reason: z.string(), record: z.unknown() }),
    })
    .nullable(),
  /** How far the clock is ahead, negative for behind; null while it is right or not known. */
  clockOffMs: z.number().nullable(),
  /** When the sensor restarted its record numbers last, within 30 days. */
  restartedAt: z.string().nullable(),
  /** Two devices that used the identity of the sensor within the last hour. */
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
