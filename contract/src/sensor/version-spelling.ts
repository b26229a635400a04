// Versions as sensors report them: spelled in many ways.

/** A version without spaces, a leading v and build metadata: what sensors spell differently, and mean the same by. */
export function plainVersion(version: string): string {
  const [core = ""] = version.replaceAll(/\s+/g, "").split("+");
  return core.replace(/^[vV](?=\d)/, "");
}

export const isSameVersion = (a: string, b: string): boolean => plainVersion(a) === plainVersion(b);
