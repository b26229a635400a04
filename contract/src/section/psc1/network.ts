// PS.C1 section Network. Nearly every field may cut the connection.
import {
  isHost,
  isHostLabel,
  isNetworkOrBroadcast,
  isSameNetwork,
  isUnicastIpv4,
  parseIpv4,
} from "../check/addresses.ts";
import type { RuleContext, Section } from "../field.ts";
import { integerField } from "../field-presets.ts";

const fixed = { applies: ({ inSection: at }: RuleContext) => at("mode") === "static" } as const;
const prefixes = { min: 8, max: 30 } as const;

/** Returns null for an invalid address. The field of that address reports the error. */
function addressAt(value: unknown): number | null {
  return typeof value === "string" && isUnicastIpv4(value) ? parseIpv4(value) : null;
}

function prefixAt({ inSection: at }: RuleContext): number | null {
  const prefix = at("prefix");
  const isPrefix = typeof prefix === "number" && Number.isInteger(prefix);
  return isPrefix && prefix >= prefixes.min && prefix <= prefixes.max ? prefix : null;
}

function faultOfHost(label: string, value: unknown, context: RuleContext): string | null {
  const [address, prefix] = [addressAt(value), prefixAt(context)];
  if (address === null || prefix === null || !isNetworkOrBroadcast(address, prefix)) return null;
  return `${label} must not be the first or the last address of the network.`;
}

function faultOfGateway(value: unknown, context: RuleContext): string | null {
  const [gateway, address, prefix] = [addressAt(value), addressAt(context.inSection("address")), prefixAt(context)];
  if (gateway === null || address === null || prefix === null) return null;
  if (gateway === address || !isSameNetwork(gateway, address, prefix))
    return "The gateway must be in the same network.";
  return faultOfHost("Gateway", value, context);
}

export const networkSection: Section = {
  key: "network",
  segment: "network",
  label: "Network",
  parts: [
    {
      kind: "choice",
      path: "mode",
      label: "Address assignment",
      mark: "confirm",
      options: [
        { value: "dhcp", label: "DHCP" },
        { value: "static", label: "Static" },
      ],
      default: "dhcp",
    },
    {
      ...fixed,
      kind: "text",
      path: "address",
      label: "IP address",
      mark: "confirm",
      max: 15,
      required: true,
      default: "",
      must: { be: isUnicastIpv4, sentence: "IP address must be an IPv4 address." },
      rule: (address, context) => faultOfHost("IP address", address, context),
    },
    { ...integerField("prefix", "Prefix length", prefixes.min, prefixes.max, 24), ...fixed, mark: "confirm" },
    {
      ...fixed,
      kind: "text",
      path: "gateway",
      label: "Gateway",
      mark: "confirm",
      max: 15,
      required: true,
      default: "",
      must: { be: isUnicastIpv4, sentence: "Gateway must be an IPv4 address." },
      rule: faultOfGateway,
    },
    {
      kind: "hosts",
      path: "dns",
      label: "DNS servers",
      mark: "confirm",
      be: isUnicastIpv4,
      max: 2,
      sentence: "DNS servers must be IPv4 addresses.",
      default: [],
      rule: (servers, context) =>
        fixed.applies(context) && !(Array.isArray(servers) && servers.length > 0)
          ? "Enter at least one DNS server."
          : null,
    },
    {
      kind: "hosts",
      path: "ntp",
      label: "Time servers",
      be: isHost,
      max: 3,
      sentence: "Time servers must be host names or IPv4 addresses.",
      default: [],
    },
    {
      kind: "text",
      path: "hostname",
      label: "Host name",
      mark: "confirm",
      max: 63,
      required: true,
      // The device derives its default name from its id.
      default: "",
      must: {
        be: isHostLabel,
        sentence: "Host name may only contain letters, digits and hyphens, not at an end.",
      },
    },
  ],
  facts: [
    { path: "address", label: "IP address", kind: "text" },
    { path: "mac", label: "MAC address", kind: "text" },
    { path: "linkMbps", label: "Link", kind: "number", of: (n) => `${n} Mbit/s` },
  ],
};
