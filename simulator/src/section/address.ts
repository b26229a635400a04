// Network addresses in sections: IPv4, networks, host names and receiver URLs.
import { BlockList, isIP } from "node:net";

const hostName =
  /^(?!.{254})[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

function ipv4Of(text: unknown): number | null {
  if (typeof text !== "string" || isIP(text) !== 4) return null;
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Whether the text is an IPv4 address that is not in 0.0.0.0/8, loopback, multicast or reserved. */
export function isUnicast(text: unknown): boolean {
  const address = ipv4Of(text);
  if (address === null) return false;
  const first = Math.floor(address / 2 ** 24);
  return first !== 0 && first !== 127 && first < 224;
}

export function isSameNetwork(one: unknown, other: unknown, prefix: number): boolean {
  const [a, b] = [ipv4Of(one), ipv4Of(other)];
  const size = 2 ** (32 - prefix);
  return a !== null && b !== null && Math.floor(a / size) === Math.floor(b / size);
}

export function isHost(text: unknown): boolean {
  if (typeof text !== "string") return false;
  // A text of only digits and dots must be a valid IPv4 address.
  return /^[\d.]+$/.test(text) ? ipv4Of(text) !== null : hostName.test(text);
}

export type HostAndPort = { host: string; port: number };

/** `host:port`, the host may be an IPv6 address in brackets; null if invalid. */
export function parseHostAndPort(text: unknown): HostAndPort | null {
  if (typeof text !== "string" || text.length > 262) return null;
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const isKnown = inBrackets === undefined ? isHost(plain) : isIP(inBrackets) === 6;
  return isKnown && port >= 1 && port <= 65_535 ? { host: inBrackets ?? plain ?? "", port } : null;
}

/** The URL of a customer's receiver; null if invalid or with user info. */
export function parseReceiver(text: string): URL | null {
  if (!/^(https|mqtts):\/\//i.test(text)) return null;
  // The URL parser normalizes hosts only for special schemes such as https.
  const url = URL.parse(text.replace(/^mqtts/i, "https"));
  return url && url.username === "" && url.password === "" ? url : null;
}

const ownNetworks = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
] as const)
  ownNetworks.addSubnet(network, prefix);
ownNetworks.addAddress("::", "ipv6");
ownNetworks.addAddress("::1", "ipv6");
ownNetworks.addSubnet("fe80::", 10, "ipv6");

/** Whether the URL points to the device itself or its local network, to which no customer data may be sent. */
export function isLocalTarget({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (/^(.*\.)?localhost$/i.test(host)) return true;
  const family = isIP(host);
  // The list also matches IPv4-mapped IPv6 addresses.
  return family !== 0 && ownNetworks.check(host, family === 6 ? "ipv6" : "ipv4");
}
