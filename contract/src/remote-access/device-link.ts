// The address of a sensor's own pages, as its browser finds them.
import { wireId } from "../kit/ids.ts";
import { parseDeviceRoot } from "./device-root.ts";

/** Where the console was opened (`location.protocol` and `.port`), and where sensors' pages are: `[scheme://]host[:port]`. */
export type DeviceLinkRoot = { protocol: string; port: string; root: string };

/** `https://001628fa8e68.devices.example.com`; scheme and port are the console's unless the root names them. */
export function deviceLink({ protocol, port, root }: DeviceLinkRoot, sensorId: string): string {
  const parsed = parseDeviceRoot(root);
  const scheme = parsed?.scheme ?? protocol.replace(":", "");
  const ownPort = scheme === "https" ? "443" : "80";
  const at = String(parsed?.port ?? port);
  return `${scheme}://${wireId(sensorId)}.${parsed?.name ?? root}${at === "" || at === ownPort ? "" : `:${at}`}`;
}

/** The link that opens a session: single use, 60 s. */
export function autoLoginLink(at: DeviceLinkRoot, sensorId: string, token: string): string {
  return `${deviceLink(at, sensorId)}/?token=${encodeURIComponent(token)}`;
}
