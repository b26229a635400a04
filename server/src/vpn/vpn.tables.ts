// Kysely types of VPN columns and tables (migration 0029): device support, request and status on the sensor, and holders of VPN servers.
import type { Timestamp } from "../db/columns.ts";

/** The last report; the server's name and base address come from the configuration. */
type StoredVpnStatus = {
  connected: boolean;
  connectedSince: string | null;
  disconnectedSince: string | null;
  serverID: string;
  publicAddress: string | null;
  vpnAddress: string | null;
};

export type StoredVpn = {
  enabledOnSensor?: boolean;
  connect?: boolean;
  until?: string | null;
  vpnStatus?: StoredVpnStatus | null;
};

declare module "../db/tables.ts" {
  interface Tables {
    vpn_server: { id: string; holder_id: string; held_until: Timestamp };
  }
}
