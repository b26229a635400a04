// Sessions on sensors' own pages: who has one, why, until when, and what may be done in it (PC-01).
import { z } from "zod";

export const accessModes = ["edit", "view"] as const;
export type AccessMode = (typeof accessModes)[number];

/** How long a session may last, in minutes, and how long unless said otherwise. */
export const sessionMinutes = { min: 15, max: 480, standard: 60 } as const;

/** "30 minutes", "1 hour", "8 hours". */
export function sessionLength(minutes: number): string {
  if (minutes % 60 !== 0) return `${minutes} minutes`;
  return minutes === 60 ? "1 hour" : `${minutes / 60} hours`;
}
export const maxReason = 200;
/** How long a link with a token opens a session. */
export const linkSeconds = 60;

/** Methods of JSON-RPC on a sensor's host that change nothing; all that a session that only looks may call. */
const viewMethods: ReadonlySet<string> = new Set(["config.get", "preview.get"]);
/** The server's alone: it proves that the sensor is back. */
const serverMethods: ReadonlySet<string> = new Set(["config.confirm"]);

/** Whether a person in such a session may call it. */
export function mayCall(mode: AccessMode, method: string): boolean {
  return mode === "view" ? viewMethods.has(method) : !serverMethods.has(method);
}

export const remoteSessionSchema = z.object({
  _id: z.string(),
  account: z.object({ _id: z.string(), name: z.string() }),
  mode: z.enum(accessModes),
  reason: z.string(),
  /** `waiting`: for the consent of the sensor's owner; `granted`: not opened yet. */
  state: z.enum(["waiting", "granted", "open"]),
  /** When it was opened, or asked for while it is not open. */
  startedAt: z.string(),
  /** Null while it is not open. */
  until: z.string().nullable(),
  minutes: z.int(),
  /** The reader's own. */
  isOwn: z.boolean(),
  /** The reader may say yes or no to it. */
  mayConsent: z.boolean(),
});
export type RemoteSession = z.output<typeof remoteSessionSchema>;
