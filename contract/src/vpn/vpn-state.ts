// The VPN state of a sensor and the URL of its configuration page. Without zod, because pages need nothing more (ADR 0027).
import type { Vpn, VpnStatus } from "./vpn.ts";

export type VpnState = "ERROR" | "NOT_CONNECTED" | "PENDING" | "CONNECTED" | "SLEEPING";

/** Derives the state from the desired and the actual connection (docs/rules/remote-access.md#vpn-states). */
export function vpnStateOf(
  vpn: { connect: boolean; vpnStatus: Pick<VpnStatus, "connected"> | null } | null,
  hasCallFailed: boolean,
): VpnState {
  if (hasCallFailed) return "ERROR";
  if (vpn === null) return "NOT_CONNECTED";
  const { connect, vpnStatus } = vpn;
  const isConnected = vpnStatus?.connected === true;
  if (connect !== isConnected) return "PENDING";
  if (connect) return "CONNECTED";
  return vpnStatus === null ? "NOT_CONNECTED" : "SLEEPING";
}

/** How long a sensor stays connected after the last request, in milliseconds. */
export const vpnRequestMs = 3_600_000;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Maximum length of a DNS name. */
const maxHost = 253;

type VpnBase = { scheme: "http:" | "https:" | null; host: string; port: number | null };

/**
 * Parses the base address of a VPN server: `host[:port]` or an http(s) origin. Returns null for everything else, and also for IP
 * addresses because they can't have subdomains.
 */
export function parseVpnBase(text: string): VpnBase | null {
  if (text.length > maxHost + "https://:65535/".length) return null;
  const bare = /^https?:/i.test(text) ? text.replace(/\/$/, "") : text;
  const parts = /^(?:(https?:)\/\/)?([a-z0-9.-]+)(?::([0-9]{1,5}))?$/.exec(bare.toLowerCase());
  if (!parts) return null;
  const [, scheme, host = "", port] = parts;
  const labels = host.split(".");
  const isNumber = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "");
  if (host.length > maxHost || isNumber || !labels.every((one) => label.test(one))) return null;
  const number = port === undefined ? null : Number(port);
  if (number !== null && (number < 1 || number > 65_535)) return null;
  return { scheme: scheme === "http:" || scheme === "https:" ? scheme : null, host, port: number };
}

/**
 * Returns the URL of a sensor's configuration page in the VPN, or null if it has none. `scheme` applies if the server's base
 * address contains none.
 */
export function vpnLinkOf(vpn: Pick<Vpn, "vpnStatus"> | null, scheme: "http:" | "https:"): string | null {
  const { serverBaseUrl = null, vpnSensorID = "" } = vpn?.vpnStatus ?? {};
  const base = serverBaseUrl === null ? null : parseVpnBase(serverBaseUrl);
  const name = `hmi-${vpnSensorID}`.toLowerCase();
  if (base === null || vpnSensorID === "" || !label.test(name)) return null;
  const host = `${name}.${base.host}`;
  if (host.length > maxHost) return null;
  return `${base.scheme ?? scheme}//${host}${base.port === null ? "" : `:${base.port}`}/`;
}
