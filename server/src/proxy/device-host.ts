// Which requests are for a sensor's own pages: by their host, `{label}.{root}` (docs/rules/remote-access.md#device-hosts).
import type { IncomingMessage } from "node:http";
import { type DeviceRoot, hostLabel } from "@psp/contract/remote-access/device-root.ts";

/** Host names as browsers send them: without port, and without the dot that may end a name. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}

/** The label of a request for a sensor's page; an empty one for the root itself and for what no label is; null for other hosts. */
export function deviceLabel({ name }: DeviceRoot, { headers }: Pick<IncomingMessage, "headers">): string | null {
  const host = hostName(headers.host ?? "");
  if (host === name) return "";
  if (!host.endsWith(`.${name}`)) return null;
  const first = host.slice(0, -name.length - 1);
  return hostLabel.test(first) ? first : "";
}
