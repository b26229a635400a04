// Parsing of MAC addresses, the ids of sensors, without zod.

const macPattern = /^[0-9a-f]{2}(?:[:.-]?[0-9a-f]{2}){5}$/i;

/** Canonical `00:1E:C0:12:34:56`; null if it isn't a MAC address. */
export function parseMac(text: string): string | null {
  if (!macPattern.test(text)) return null;
  const hex = text.replaceAll(/[^0-9a-f]/gi, "").toUpperCase();
  return hex.match(/../g)?.join(":") ?? null;
}
