// The VPN of a sensor as it travels: what the sensor can, what was asked of it, and what the VPN server says of it.
import { z } from "zod";

/** Facts of the VPN server only: what a device says of its own connection is not in here. */
const vpnStatusSchema = z.object({
  connected: z.boolean(),
  connectedSince: z.string().nullable(),
  disconnectedSince: z.string().nullable(),
  serverID: z.string(),
  serverName: z.string(),
  /** Null when the server is not among the configured ones: no link may lead to it. */
  serverBaseUrl: z.string().nullable(),
  publicAddress: z.string().nullable(),
  vpnAddress: z.string().nullable(),
  vpnSensorID: z.string(),
});
export type VpnStatus = z.output<typeof vpnStatusSchema>;

export const vpnSchema = z.object({
  /** Under which name the sensor connects: the common name of its certificate, and a part of its host name. */
  vpnSensorID: z.string().nullable(),
  enabledOnSensor: z.boolean(),
  /** The sensor is asked to be connected. */
  connect: z.boolean(),
  clientCertID: z.string().nullable(),
  vpnServerIDs: z.array(z.string()),
  staticClientConfigID: z.string().nullable(),
  /** What the sensor offers inside the VPN; `hmi` is its configuration page. */
  clientServices: z.array(z.string()),
  vpnStatus: vpnStatusSchema.nullable(),
});
export type Vpn = z.output<typeof vpnSchema>;
