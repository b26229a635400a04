// Sessions on device pages: their data, length and allowed methods (PC-01).
import { z } from "zod";

export const accessModes = ["edit", "view"] as const;
export type AccessMode = (typeof accessModes)[number];

/** In minutes. */
export const sessionMinutes = { min: 15, max: 480, standard: 60 } as const;

/** Returns a text such as "30 minutes", "1 hour" or "8 hours". */
export function formatSessionLength(minutes: number): string {
  if (minutes % 60 !== 0) return `${minutes} minutes`;
  return minutes === 60 ? "1 hour" : `${minutes / 60} hours`;
}
export const maxReasonLength = 200;
export const linkLifetimeSeconds = 60;

/** Read-only JSON-RPC methods, which are allowed in view sessions. */
const viewMethods: ReadonlySet<string> = new Set(["config.get", "preview.get"]);
/** JSON-RPC methods that only the server may call. `config.confirm` confirms that the sensor is reachable again. */
const serverMethods: ReadonlySet<string> = new Set(["config.confirm"]);

export function canCallMethod(mode: AccessMode, method: string): boolean {
  return mode === "view" ? viewMethods.has(method) : !serverMethods.has(method);
}

export const remoteSessionSchema = z.object({
  _id: z.string(),
  account: z.object({ _id: z.string(), name: z.string() }),
  mode: z.enum(accessModes),
  reason: z.string(),
  /** `waiting` means that the owner has not consented yet, and `granted` that the session was allowed but not opened yet. */
  state: z.enum(["waiting", "granted", "open"]),
  /** When the session was opened, or requested if it isn't open yet. */
  startedAt: z.string(),
  /** When the session ends; null unless it is open. */
  until: z.string().nullable(),
  minutes: z.int(),
  isOwn: z.boolean(),
  mayConsent: z.boolean(),
});
export type RemoteSession = z.output<typeof remoteSessionSchema>;
