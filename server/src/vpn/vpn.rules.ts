// Computes the VPN state of a sensor for the API, from stored values and the configured VPN servers (T-17).
import { wireId } from "@psp/contract/kit/ids.ts";
import type { Vpn } from "@psp/contract/vpn/vpn.ts";
import type { VpnServerConfig } from "@psp/contract/vpn/vpn-servers.ts";
import type { StoredVpn } from "./vpn.tables.ts";

/** Null if the device never reported the VPN option. */
export function toVpn(servers: readonly VpnServerConfig[], sensorId: string, stored: StoredVpn | null): Vpn | null {
  if (stored === null) return null;
  const vpnSensorID = wireId(sensorId);
  const isEnabled = stored.enabledOnSensor === true;
  return {
    vpnSensorID,
    enabledOnSensor: isEnabled,
    connect: stored.connect === true,
    clientCertID: null,
    vpnServerIDs: servers.map(({ id }) => id),
    staticClientConfigID: null,
    clientServices: isEnabled ? ["hmi"] : [],
    vpnStatus: statusOf(servers, vpnSensorID, stored.vpnStatus ?? null),
  };
}

/** A sensor is never shown as connected to a server that is no longer configured, and gets no link to it. */
function statusOf(
  servers: readonly VpnServerConfig[],
  vpnSensorID: string,
  stored: StoredVpn["vpnStatus"],
): Vpn["vpnStatus"] {
  if (!stored) return null;
  const server = servers.find(({ id }) => id === stored.serverID);
  return {
    connected: stored.connected && server !== undefined,
    connectedSince: stored.connectedSince,
    disconnectedSince: stored.disconnectedSince,
    serverID: stored.serverID,
    serverName: server?.name ?? stored.serverID,
    serverBaseUrl: server?.baseUrl ?? null,
    publicAddress: stored.publicAddress,
    vpnAddress: stored.vpnAddress,
    vpnSensorID,
  };
}
