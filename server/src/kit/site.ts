// Compares registrable domains, which decide whether pages of two hosts can set each other's cookies (RFC 6265 5.3, Public Suffix List).
import { parseVpnBase } from "@psp/contract/vpn/vpn-state.ts";
import { getDomain } from "tldts";
import type { Config } from "../config.ts";

/**
 * Whether a page of one host can set cookies for the other through `Domain`, because both have the same registrable domain. Ignores
 * ports. IP addresses, single labels like `localhost` and public suffixes like `co.uk` and `github.io` have no registrable domain.
 * Browsers refuse cookies for them from any other host.
 */
export function isSameSite(host: string, other: string): boolean {
  const domain = registrableDomain(host);
  return domain !== null && domain === registrableDomain(other);
}

const registrableDomain = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true, validateHostname: false });

/** The warning if DEVICE_LINK_ROOT lets device pages set cookies for the console; else null. */
export function findSharedDomainWarning({
  deviceRoot,
  publicUrl,
}: Pick<Config, "deviceRoot" | "publicUrl">): string | null {
  if (!isSameSite(new URL(publicUrl).hostname, deviceRoot.name)) return null;
  return `DEVICE_LINK_ROOT (${deviceRoot.name}) has the same registrable domain as PUBLIC_URL (${publicUrl}), so pages of sensors can set cookies for the console. Use a host below another domain.`;
}

/** Warnings about device and VPN hosts that have the same registrable domain as the console. */
export function findSiteWarnings(config: Pick<Config, "deviceRoot" | "publicUrl" | "vpnServers">): string[] {
  const { hostname } = new URL(config.publicUrl);
  const shared = findSharedDomainWarning(config);
  const vpn = config.vpnServers
    .filter(({ baseUrl }) => isSameSite(hostname, parseVpnBase(baseUrl)?.host ?? ""))
    .map(
      ({ id, baseUrl }) =>
        `VPN_SERVERS: the base address of ${id} (${baseUrl}) has the same registrable domain as PUBLIC_URL (${config.publicUrl}), so pages of sensors can set cookies for the console. Use a host below another domain.`,
    );
  return [...(shared === null ? [] : [shared]), ...vpn];
}
