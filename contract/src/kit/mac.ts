// The spellings of a MAC address, which is a sensor's id; free of schemas.

/** Any spelling of a MAC: twelve hex digits with `:`, `-`, `.` or nothing between. */
const macPattern = /^[0-9a-f]{2}(?:[:.-]?[0-9a-f]{2}){5}$/i;

/** `00:1E:C0:12:34:56` from any case and separator, or null when it is no MAC. */
export function parseMac(text: string): string | null {
  if (!macPattern.test(text)) return null;
  const hex = text.replaceAll(/[^0-9a-f]/gi, "").toUpperCase();
  return hex.match(/../g)?.join(":") ?? null;
}
