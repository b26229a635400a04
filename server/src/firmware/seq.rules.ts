// Assigns sequence numbers in SemVer order, by which devices distinguish newer from older firmware (ADR 0018).
import { semverKey } from "@psp/contract/firmware/semver.ts";

/** Sequence numbers for a release and its pre-releases. The release gets the last one. */
const room = 1_000_000;
/**
 * The free range is divided by this number, and a new highest pre-release gets the end of the first part. Pre-releases mostly come in
 * order, so most of the range must stay free above it.
 */
const smallStep = 1024;

/** A release's pre-releases lie between `low` and `high` by number, and between `fromKey` and `toKey` by sort key, all exclusive. */
export type SeqRange = { low: number; high: number; fromKey: string; toKey: string };

/** The range for a pre-release, or the fixed number of a release. */
export function toSeqRange(version: string): SeqRange | number {
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

/** Sequence numbers of the firmware with the same precedence, and with the next lower and the next higher one. */
export type Neighbors = { same: number | null; below: number | null; above: number | null };

/**
 * Chooses a number that fits the order of the owner's versions and, if possible, of the ancestors' versions (`line`). Ancestors choose
 * their numbers independently and must not block the owner. Null if no number is free.
 */
export function chooseSeq(span: SeqRange, own: Neighbors, line: Neighbors): number | null {
  if (own.same !== null) return own.same;
  if (line.same !== null && line.same > (own.below ?? span.low) && line.same < (own.above ?? span.high))
    return line.same;
  return seqBetween(span, line) ?? seqBetween(span, own);
}

function seqBetween({ low, high }: SeqRange, { below, above }: Neighbors): number | null {
  const from = below ?? low;
  const to = above ?? high;
  const between = from + Math.max(1, Math.floor((to - from) / (above === null ? smallStep : 2)));
  return between < to ? between : null;
}
