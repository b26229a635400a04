// MAC addresses, the ids of sensors, without zod.

const macPattern = /^[0-9a-f]{2}(?:[:.-]?[0-9a-f]{2}){5}$/i;

/** Canonical `00:1E:C0:12:34:56`; null if it isn't a MAC address. */
export function parseMac(text: string): string | null {
  return macPattern.test(text) ? formatMac(text.replaceAll(/[^0-9a-f]/gi, "")) : null;
}

/** Formats twelve hexadecimal digits. Without a regular expression, because it runs for each message of a device. */
export function formatMac(digits: string): string {
  const all = digits.toUpperCase();
  return `${all.slice(0, 2)}:${all.slice(2, 4)}:${all.slice(4, 6)}:${all.slice(6, 8)}:${all.slice(8, 10)}:${all.slice(10)}`;
}

/** The MAC address with this number. */
export const toMac = (number: number): string => formatMac(number.toString(16).padStart(12, "0"));
