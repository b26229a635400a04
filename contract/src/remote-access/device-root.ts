// Where sensors' own pages are: below one host name, each under a name of its own (docs/rules/remote-access.md#device-hosts).

/** `https://devices.example.com:8443`; null where the console's own is meant. */
export type DeviceRoot = { scheme: "http" | "https" | null; name: string; port: number | null };

/** One part of a host name. */
export const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads `[scheme://]host[:port]`; null when it is anything else. After a scheme, a missing port is the scheme's own. */
export function parseDeviceRoot(text: string): DeviceRoot | null {
  const form = /^(?:(https?):\/\/)?([a-z0-9.-]{1,190})(?::(\d{1,5}))?$/;
  const [, scheme, name = "", port] = form.exec(text.toLowerCase()) ?? [];
  const isName = name !== "" && name.split(".").every((part) => hostLabel.test(part));
  // The last word of an address is a number, that of a name never is.
  if (!isName || /(^|\.)\d+$/.test(name) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const own = scheme === undefined ? null : scheme === "https" ? 443 : 80;
  return {
    scheme: scheme === undefined ? null : (scheme as "http" | "https"),
    name,
    port: port === undefined ? own : Number(port),
  };
}
