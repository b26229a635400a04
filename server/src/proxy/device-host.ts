// Which requests are for a sensor's own pages: by their host, `{label}.{root}` (decisions 11 and 16).
import type { IncomingMessage } from "node:http";

/** `devices.example.com:8443`: where sensors' pages are, under a name for each. */
export type DeviceRoot = { name: string; port: number | null };

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Null when it is no host name with an optional port. */
export function parseDeviceRoot(text: string): DeviceRoot | null {
  const [, name = "", port] = /^([a-z0-9.-]{1,190})(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const isName = name !== "" && name.split(".").every((part) => label.test(part));
  // The last word of an address is a number, that of a name never is.
  if (!isName || /(^|\.)\d+$/.test(name) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return { name, port: port === undefined ? null : Number(port) };
}

/** Host names as browsers send them: without port, and without the dot that may end a name. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}

/** The label of a request for a sensor's page; an empty one for the root itself and for what no label is; null for other hosts. */
export function deviceLabel({ name }: DeviceRoot, { headers }: Pick<IncomingMessage, "headers">): string | null {
  const host = hostName(headers.host ?? "");
  if (host === name) return "";
  if (!host.endsWith(`.${name}`)) return null;
  const first = host.slice(0, -name.length - 1);
  return label.test(first) ? first : "";
}
