// What a simulated VPN server and the platform say to each other, one JSON object in a line: OpenVPN's management, without OpenVPN.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";

/** No line is longer. */
export const maxVpnLine = 1024 * 1024;

/** One connection of a client; a client that comes back has another number. */
const client = z.object({ id: z.int().min(0), name: boundedText(64) });
const connected = client.extend({
  publicAddress: boundedText(64),
  vpnAddress: boundedText(64),
  /** Milliseconds since 1970. */
  since: z.int().min(0),
});

/** The server's side: who wants to come in and waits for an answer, who came, who left, and on request who is there. */
export const vpnEventSchema = z.discriminatedUnion("event", [
  client.extend({ event: z.literal("connecting") }),
  connected.extend({ event: z.literal("connected") }),
  client.extend({ event: z.literal("disconnected") }),
  z.object({ event: z.literal("list"), clients: z.array(connected).max(10_000) }),
]);
export type VpnEvent = z.output<typeof vpnEventSchema>;

/** The platform's side. */
export const vpnOrderSchema = z.discriminatedUnion("do", [
  z.object({ do: z.enum(["allow", "deny", "kill"]), id: z.int().min(0) }),
  z.object({ do: z.literal("list") }),
]);
export type VpnOrder = z.output<typeof vpnOrderSchema>;
