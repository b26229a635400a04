// The number of a version among all firmware of its type: it rises in SemVer order, so that devices tell newer from older by one number.

/** What one release and its pre-releases share. */
const room = 1_000_000;
const mostMajor = 9_000;
/** A nightly comes after a nightly: most of the room stays above. */
const smallStep = 1024;

type Neighbours = { below: number | null; above: number | null };

/** A number strictly between those of the neighbours, or null when there is none left. */
export function seqBetween(version: string, { below, above }: Neighbours): number | null {
  const [core = ""] = version.split("+")[0]?.split("-") ?? [];
  const [major = 0, minor = 0, patch = 0] = core.split(".").map(Number);
  const isOrdinary = major < mostMajor && minor < 1000 && patch < 1000;
  const base = isOrdinary ? ((major * 1000 + minor) * 1000 + patch) * room : 0;
  const seat = isOrdinary ? base + room - 1 : Number.MAX_SAFE_INTEGER;
  const low = Math.max(below ?? 0, base);
  const high = Math.min(above ?? Number.MAX_SAFE_INTEGER, seat);
  const isRelease = !version.split("+")[0]?.includes("-");
  if (isOrdinary && isRelease && seat > (below ?? -1) && seat < (above ?? Number.MAX_SAFE_INTEGER)) return seat;
  // A neighbour out of the ordinary may leave no room where this one belongs.
  const from = low < high ? low : (below ?? 0);
  const to = low < high ? high : (above ?? Number.MAX_SAFE_INTEGER);
  const isLast = to === seat;
  const between = from + Math.max(1, Math.floor((to - from) / (isLast ? smallStep : 2)));
  return between > from && between < to ? between : null;
}
