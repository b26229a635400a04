// Compares firmware versions however sensors spell them.

/** A version without spaces, a leading v and build metadata, so that spellings of the same version are equal. */
export function plainVersion(version: string): string {
  const [core = ""] = version.replaceAll(/\s+/g, "").split("+");
  return core.replace(/^[vV](?=\d)/, "");
}

export const isSameVersion = (a: string, b: string): boolean => plainVersion(a) === plainVersion(b);
