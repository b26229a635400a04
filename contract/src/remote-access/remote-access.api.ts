// API calls for sessions on device pages (docs/rules/remote-access.md#sessions).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac, uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { maxReasonLength, remoteSessionSchema, sessionMinutes } from "./remote-access.ts";

const byId = z.strictObject({ id: mac });
const bySession = z.strictObject({ id: mac, sessionId: uuid });
const minutes = z.int().min(sessionMinutes.min).max(sessionMinutes.max);

export const callPsconnect = endpoint("callPsconnect", "POST", "/sensor/{id}/psconnect", {
  summary:
    "getAutoLoginToken: a token for one session on the sensor's own page; used once, within 60 seconds, at the sensor's host. Null while the owner's consent is awaited",
  params: byId,
  body: z.strictObject({
    func: safeText(64),
    params: z.strictObject({
      service: safeText(64),
      /** The configured device user for editing or for viewing. Callers who may not edit always get the user for viewing. */
      user: safeText(64),
      reason: safeText(maxReasonLength).optional(),
      minutes: minutes.optional(),
    }),
  }),
  secret: true,
  reply: z.object({ result: z.string().nullable() }),
});

export const listRemoteSessions = endpoint("listRemoteSessions", "GET", "/sensor/{id}/remote-session", {
  summary: "Open sessions on the sensor's own page, and those that wait for consent, oldest first",
  params: byId,
  reply: z.array(remoteSessionSchema),
});

export const changeRemoteSession = endpoint("changeRemoteSession", "PUT", "/sensor/{id}/remote-session/{sessionId}", {
  perMinute: 30,
  summary: "Extends an own session by minutes from now; or gives or refuses the owner's consent to one that waits",
  params: bySession,
  body: z.union([z.strictObject({ minutes }), z.strictObject({ consent: z.boolean() })]),
  reply: remoteSessionSchema.nullable(),
});

export const endRemoteSession = endpoint("endRemoteSession", "DELETE", "/sensor/{id}/remote-session/{sessionId}", {
  summary: "Ends a session at once: one's own, or any of a sensor that the caller may edit",
  params: bySession,
  reply: z.object({ _id: z.string() }),
});

const consentSchema = z.object({ required: z.boolean() });
export const getRemoteConsent = endpoint("getRemoteConsent", "GET", "/auth/remote-consent", {
  summary: "Whether accounts above need the consent of the caller's account to open pages of its sensors",
  reply: consentSchema,
});
export const setRemoteConsent = endpoint("setRemoteConsent", "PUT", "/auth/remote-consent", {
  perMinute: 30,
  summary: "Requires that consent, or no longer; each account decides for itself alone",
  body: z.strictObject({ required: z.boolean() }),
  reply: consentSchema,
});
