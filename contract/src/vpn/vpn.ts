// The VPN of a sensor on the wire: what the sensor supports, the desired state, and the state according to the VPN server.
import { z } from "zod";

/** The state according to the VPN server. Contains nothing that the device itself reports. */
const vpnStatusSchema = z.object({
  connected: z.boolean(),
  connectedSince: z.string().nullable(),
  disconnectedSince: z.string().nullable(),
  serverID: z.string(),
  serverName: z.string(),
  /** Null if the VPN server is not configured, so that no link points to it. */
  serverBaseUrl: z.string().nullable(),
  publicAddress: z.string().nullable(),
  vpnAddress: z.string().nullable(),
  vpnSensorID: z.string(),
});
export type VpnStatus = z.output<typeof vpnStatusSchema>;

export const vpnSchema = z.object({
  /** The common name in the sensor's certificate, which is also part of its host name. */
  vpnSensorID: z.string().nullable(),
  enabledOnSensor: z.boolean(),
  connect: z.boolean(),
  clientCertID: z.string().nullable(),
  vpnServerIDs: z.array(z.string()),
  staticClientConfigID: z.string().nullable(),
  /** Services that the sensor offers inside the VPN. `hmi` is its configuration page. */
  clientServices: z.array(z.string()),
  vpnStatus: vpnStatusSchema.nullable(),
});
export type Vpn = z.output<typeof vpnSchema>;
