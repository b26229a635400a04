// Protocol between a simulated VPN server and the platform, with one JSON object per line. It replaces OpenVPN's management
// interface.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";

export const maxVpnLineLength = 1024 * 1024;

/** One connection of a client. A client that reconnects gets a new id. */
const client = z.object({ id: z.int().min(0), name: boundedText(64) });
const connected = client.extend({
  publicAddress: boundedText(64),
  vpnAddress: boundedText(64),
  /** Milliseconds since 1970. */
  since: z.int().min(0),
});

/** Messages of the VPN server. They report that a client is connecting, has connected or has disconnected, or list all clients. */
export const vpnEventSchema = z.discriminatedUnion("event", [
  client.extend({ event: z.literal("connecting") }),
  connected.extend({ event: z.literal("connected") }),
  client.extend({ event: z.literal("disconnected") }),
  z.object({ event: z.literal("list"), clients: z.array(connected).max(10_000) }),
]);
export type VpnEvent = z.output<typeof vpnEventSchema>;

export const vpnCommandSchema = z.discriminatedUnion("do", [
  z.object({ do: z.enum(["allow", "deny", "kill"]), id: z.int().min(0) }),
  z.object({ do: z.literal("list") }),
]);
export type VpnCommand = z.output<typeof vpnCommandSchema>;
