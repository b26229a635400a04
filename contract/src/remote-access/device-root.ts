// The root of device page URLs: one host name with a subdomain per sensor (docs/rules/remote-access.md#device-hosts).

/** If `scheme` or `port` is null, device pages use that of the console. */
export type DeviceRoot = { scheme: "http" | "https" | null; name: string; port: number | null };

export const hostLabelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses `[scheme://]host[:port]`; returns null if it is invalid. If a scheme is given, the port defaults to the scheme's. */
export function parseDeviceRoot(text: string): DeviceRoot | null {
  const form = /^(?:(https?):\/\/)?([a-z0-9.-]{1,190})(?::(\d{1,5}))?$/;
  const [, scheme, name = "", port] = form.exec(text.toLowerCase()) ?? [];
  const isName = name !== "" && name.split(".").every((part) => hostLabelPattern.test(part));
  // A host whose last label is a number would be parsed as an IP address.
  if (!isName || /(^|\.)\d+$/.test(name) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const own = scheme === undefined ? null : scheme === "https" ? 443 : 80;
  return {
    scheme: scheme === undefined ? null : (scheme as "http" | "https"),
    name,
    port: port === undefined ? own : Number(port),
  };
}
