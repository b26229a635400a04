// Builds the URL of a sensor's device page.
import { wireId } from "../kit/ids.ts";
import { parseDeviceRoot } from "./device-root.ts";

/** `protocol` and `port` of the console's own URL, and the configured root `[scheme://]host[:port]`. */
export type DeviceLinkRoot = { protocol: string; port: string; root: string };

/** `https://001628fa8e68.devices.example.com`; scheme and port default to the console's. */
export function deviceLink({ protocol, port, root }: DeviceLinkRoot, sensorId: string): string {
  const parsed = parseDeviceRoot(root);
  const scheme = parsed?.scheme ?? protocol.replace(":", "");
  const ownPort = scheme === "https" ? "443" : "80";
  const at = String(parsed?.port ?? port);
  return `${scheme}://${wireId(sensorId)}.${parsed?.name ?? root}${at === "" || at === ownPort ? "" : `:${at}`}`;
}

/** Single-use link that opens a session, valid for 60 s. */
export function autoLoginLink(at: DeviceLinkRoot, sensorId: string, token: string): string {
  return `${deviceLink(at, sensorId)}/?token=${encodeURIComponent(token)}`;
}
