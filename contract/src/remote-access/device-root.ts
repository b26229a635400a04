// The root of device page URLs: one host name with a subdomain per sensor (docs/rules/remote-access.md#device-hosts).

/** For `scheme` and `port`, null means the same as the console. */
export type DeviceRoot = { scheme: "http" | "https" | null; name: string; port: number | null };

export const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses `[scheme://]host[:port]`; null if invalid. With a scheme, the default port is the scheme's. */
export function parseDeviceRoot(text: string): DeviceRoot | null {
  const form = /^(?:(https?):\/\/)?([a-z0-9.-]{1,190})(?::(\d{1,5}))?$/;
  const [, scheme, name = "", port] = form.exec(text.toLowerCase()) ?? [];
  const isName = name !== "" && name.split(".").every((part) => hostLabel.test(part));
  // A host whose last label is a number would be an IP address.
  if (!isName || /(^|\.)\d+$/.test(name) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const own = scheme === undefined ? null : scheme === "https" ? 443 : 80;
  return {
    scheme: scheme === undefined ? null : (scheme as "http" | "https"),
    name,
    port: port === undefined ? own : Number(port),
  };
}
