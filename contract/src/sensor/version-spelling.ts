// Compares firmware versions regardless of spelling.

/** Removes spaces, a leading v and build metadata. */
export function plainVersion(version: string): string {
  const [core = ""] = version.replaceAll(/\s+/g, "").split("+");
  return core.replace(/^[vV](?=\d)/, "");
}

export const isSameVersion = (a: string, b: string): boolean => plainVersion(a) === plainVersion(b);
