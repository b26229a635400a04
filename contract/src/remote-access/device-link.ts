// The address of a sensor's own pages, as its browser finds them (spec 2 §9, decisions 16).
import { wireId } from "../kit/ids.ts";

/** Where the console was opened, and where sensors' pages are: `host[:port]`. */
export type DeviceLinkRoot = { protocol: string; port: string; root: string };

/** `https://001628fa8e68.devices.example.com`; scheme and port are the console's unless the root names a port. */
export function deviceLink({ protocol, port, root }: DeviceLinkRoot, sensorId: string): string {
  const hasPort = /:\d+$/.test(root);
  return `${protocol}//${wireId(sensorId)}.${root}${hasPort || port === "" ? "" : `:${port}`}`;
}

/** The link that opens a session: single use, 60 s. */
export function autoLoginLink(at: DeviceLinkRoot, sensorId: string, token: string): string {
  return `${deviceLink(at, sensorId)}/?token=${encodeURIComponent(token)}`;
}
