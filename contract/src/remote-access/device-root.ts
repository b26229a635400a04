// Where sensors' own pages are: below one host name, each under a name of its own (decisions 11 and 16).

/** `devices.example.com:8443`. */
export type DeviceRoot = { name: string; port: number | null };

/** One part of a host name. */
export const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Null when it is no host name with an optional port. */
export function parseDeviceRoot(text: string): DeviceRoot | null {
  const [, name = "", port] = /^([a-z0-9.-]{1,190})(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const isName = name !== "" && name.split(".").every((part) => hostLabel.test(part));
  // The last word of an address is a number, that of a name never is.
  if (!isName || /(^|\.)\d+$/.test(name) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return { name, port: port === undefined ? null : Number(port) };
}
