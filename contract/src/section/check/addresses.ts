// Checks network addresses that users typed. All checks take linear time.

const octet = /^(?:0|[1-9]\d{0,2})$/;

/** Parses an IPv4 address; returns null if it is invalid. Rejects leading zeros, because some programs read them as octal. */
export function parseIpv4(text: string): number | null {
  if (text.length > 15) return null;
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let address = 0;
  for (const part of parts) {
    if (!octet.test(part) || Number(part) > 255) return null;
    address = address * 256 + Number(part);
  }
  return address;
}

/** Whether the text is an IPv4 address of a single host: not in 0.0.0.0/8, and neither loopback, multicast nor reserved. */
export function isUnicastIpv4(text: string): boolean {
  const address = parseIpv4(text);
  if (address === null) return false;
  const first = Math.floor(address / 2 ** 24);
  return first > 0 && first < 224 && first !== 127;
}

/** Whether both addresses are in the same network. `prefix` must be from 1 to 30. */
export function isSameNetwork(one: number, other: number, prefix: number): boolean {
  const size = 2 ** (32 - prefix);
  return Math.floor(one / size) === Math.floor(other / size);
}

export function isNetworkOrBroadcast(address: number, prefix: number): boolean {
  const size = 2 ** (32 - prefix);
  const host = address % size;
  return host === 0 || host === size - 1;
}

const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

export function isHostLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** Whether the text is a host name or an IPv4 address. If its last label is a number, it must be a valid address. */
export function isHost(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split(".");
  if (/^\d+$/.test(labels.at(-1) ?? "")) return isUnicastIpv4(text);
  return labels.every(isHostLabel);
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

export function isHostAndPort(text: string): boolean {
  const at = text.lastIndexOf(":");
  return at > 0 && isHost(text.slice(0, at)) && isPort(text.slice(at + 1));
}

const secure = /^(?:https|mqtts):\/\/([^/?#\s]+)(?:[/?#]\S*)?$/;

/** Whether the text is an https or mqtts URL without user info. */
export function isReceiverAddress(text: string): boolean {
  const authority = secure.exec(text)?.[1];
  return authority !== undefined && (isHost(authority) || isHostAndPort(authority));
}
