// Detects requests for device pages by their host, `{label}.{root}` (docs/rules/remote-access.md#device-hosts).
import type { IncomingMessage } from "node:http";
import { type DeviceRoot, hostLabelPattern } from "@psp/contract/remote-access/device-root.ts";

/** Without port and trailing dot. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}

/** Returns the label of a device host. Empty for the root itself and for invalid labels; null for other hosts. */
export function findDeviceHostLabel(
  { name }: DeviceRoot,
  { headers }: Pick<IncomingMessage, "headers">,
): string | null {
  const host = hostName(headers.host ?? "");
  if (host === name) return "";
  if (!host.endsWith(`.${name}`)) return null;
  const first = host.slice(0, -name.length - 1);
  return hostLabelPattern.test(first) ? first : "";
}
