// What is stored of VPNs: on the sensor what it can, what was asked and what is; and who speaks with which VPN server (migration 0029).
import type { At } from "../db/columns.ts";

/** What the VPN server said last of a sensor; its name and base address are the configuration's. */
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
  /** Until when it was asked to be connected. */
  until?: string | null;
  vpnStatus?: StoredVpnStatus | null;
};

declare module "../db/tables.ts" {
  interface Tables {
    vpn_server: { id: string; holder_id: string; held_until: At };
  }
}
