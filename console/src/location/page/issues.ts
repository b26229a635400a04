// Entries of monitoring as they are stored: what came up, how bad it is, and whether somebody has taken note of it (spec 3 §3).
import type { Datapoint } from "@psp/contract/datapoint/datapoint.ts";

export type Issue = {
  id: string;
  at: string;
  sensor: string | null;
  type: string;
  status: "Ok" | "Warning" | "Error";
  message: string;
  acknowledgedAt: string | null;
};

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** What an entry lacks is shown as empty. */
export function issueOf({ id, startUTC, sens, data }: Datapoint): Issue {
  const status = textOf(data["issueStatus"]);
  return {
    id,
    at: startUTC,
    sensor: sens,
    type: textOf(data["issueType"]),
    status: status === "Error" || status === "Warning" ? status : "Ok",
    message: textOf(data["issueMessage"]),
    acknowledgedAt: textOf(data["acknowledgedAt"]) || null,
  };
}
