// Builds the URL of a sensor's device page.
import { wireId } from "../kit/ids.ts";
import { parseDeviceRoot } from "./device-root.ts";

/** `protocol` and `port` belong to the console's own URL. `root` is the configured `[scheme://]host[:port]`. */
export type DeviceLinkRoot = { protocol: string; port: string; root: string };

/** Returns a URL such as `https://001628fa8e68.devices.example.com`. By default, scheme and port are those of the console. */
export function deviceLink({ protocol, port, root }: DeviceLinkRoot, sensorId: string): string {
  const parsed = parseDeviceRoot(root);
  const scheme = parsed?.scheme ?? protocol.replace(":", "");
  const ownPort = scheme === "https" ? "443" : "80";
  const at = String(parsed?.port ?? port);
  return `${scheme}://${wireId(sensorId)}.${parsed?.name ?? root}${at === "" || at === ownPort ? "" : `:${at}`}`;
}

/** Returns a link that opens a session. It can be used once, within 60 seconds. */
export function autoLoginLink(at: DeviceLinkRoot, sensorId: string, token: string): string {
  return `${deviceLink(at, sensorId)}/?token=${encodeURIComponent(token)}`;
}
