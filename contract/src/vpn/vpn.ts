// The VPN of a sensor on the wire: capability, desired state, and the VPN server's view.
import { z } from "zod";

/** Reported by the VPN server only; what the device itself reports is not included. */
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
  /** Common name of the sensor's certificate, and part of its host name. */
  vpnSensorID: z.string().nullable(),
  enabledOnSensor: z.boolean(),
  connect: z.boolean(),
  clientCertID: z.string().nullable(),
  vpnServerIDs: z.array(z.string()),
  staticClientConfigID: z.string().nullable(),
  /** Services the sensor offers within the VPN; `hmi` is its configuration page. */
  clientServices: z.array(z.string()),
  vpnStatus: vpnStatusSchema.nullable(),
});
export type Vpn = z.output<typeof vpnSchema>;
