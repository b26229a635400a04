// The number of a version: it rises in SemVer order, so that devices distinguish newer from older by one number (ADR 0018).
import { semverKey } from "@psp/contract/firmware/semver.ts";

/** What one release and its pre-releases share; the release has the last of it. */
const room = 1_000_000;
/** A nightly comes after a nightly: most of the room stays above. */
const smallStep = 1024;

/** The range of the pre-releases of a version's release: their numbers, and their keys; both ends are not theirs. */
export type Span = { low: number; high: number; fromKey: string; toKey: string };

/** The span that a pre-release belongs into, or the number that a release has, whatever else there is. */
export function placeOf(version: string): Span | number {
  const [core = ""] = version.split(/[-+]/, 1);
  const [major = 0, minor = 0, patch = 0] = core.split(".").map(Number);
  const low = ((major * 1000 + minor) * 1000 + patch) * room;
  const high = low + room - 1;
  const key = semverKey(core);
  return isPreRelease(version) ? { low, high, fromKey: `${key.slice(0, -1)}-`, toKey: key } : high;
}

function isPreRelease(version: string): boolean {
  const [withoutBuild = ""] = version.split("+", 1);
  return withoutBuild.includes("-");
}

/** The number of the same precedence, and those next to it. */
export type Neighbors = { same: number | null; below: number | null; above: number | null };

/**
 * A number in order with what the owner has, and with what it and those above it have (`line`) as far as these leave room:
 * they number theirs without asking those below, and must not stop them. Null when there is none.
 */
export function seqAmong(span: Span, own: Neighbors, line: Neighbors): number | null {
  if (own.same !== null) return own.same;
  if (line.same !== null && line.same > (own.below ?? span.low) && line.same < (own.above ?? span.high))
    return line.same;
  return seqBetween(span, line) ?? seqBetween(span, own);
}

function seqBetween({ low, high }: Span, { below, above }: Neighbors): number | null {
  const from = below ?? low;
  const to = above ?? high;
  const between = from + Math.max(1, Math.floor((to - from) / (above === null ? smallStep : 2)));
  return between < to ? between : null;
}
