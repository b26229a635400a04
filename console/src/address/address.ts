// Parses and formats query parameters of URLs, and decides which of them links keep (SH-01, docs/rules/console.md#addresses).
/** Query parameters; repeated ones are arrays. */
export type SearchParams = Record<string, string | string[]>;

/** `?a=1&b=2&b=3` → `{a: "1", b: ["2", "3"]}`. */
export function parseSearch(text: string): SearchParams {
  const search: SearchParams = {};
  const params = new URLSearchParams(text);
  for (const name of params.keys()) {
    const [first = "", ...more] = params.getAll(name);
    search[name] = more.length === 0 ? first : [first, ...more];
  }
  return search;
}

/** Inverse of `parseSearch`; omits empty values, keeps commas, colons and slashes readable. */
export function formatSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") params.append(name, String(one));
    }
  }
  const text = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return text === "" ? "" : `?${text}`;
}

/**
 * Query parameters of all lists. They are repeated here, because importing the contract's schemas would bloat the critical path.
 * A test checks that the names match.
 */
export const listParameters: ReadonlySet<string> = new Set(
  "accountState acknowledged after artifactID artifactRunningID assigneeID choice claimable connected country email exclude fromToDates groups hasLocation ids includeDeleted includeTotals infoSoftwareFirmwareVersion installation issueStatus issueType keep lastContact limit line map measID monitored name occupancy olderThan onlyIDs onlyLocation open outdated ownerID ownerTreeID parentID roleID sensorID sensorIDs sensorType skip snoozed sortBy sortDesc state tag tagAny topLevel trouble vehicle vehicleID viewType withoutOwn".split(
    " ",
  ),
);

/** Query parameters of particular pages, such as the range of counts. `dropList` drops them too. */
const pageParameters: ReadonlySet<string> = new Set([
  "range",
  "by",
  "compare",
  "groupBy",
  "out",
  "account",
  "role",
  "issue",
  "at",
  "of",
]);

export function withoutListParameters(search: SearchParams): SearchParams {
  return Object.fromEntries(Object.entries(search).filter(([name]) => !listParameters.has(name)));
}

/** Use `keep` for dialogs, tabs of a page and the footer, and `dropList` for the header and links into other areas. */
export type QueryPolicy = "keep" | "dropList" | "none";

export function buildHref(path: string, search: SearchParams, policy: QueryPolicy): string {
  if (policy === "none") return path;
  if (policy === "keep") return path + formatSearch(search);
  const kept = Object.entries(withoutListParameters(search)).filter(([name]) => !pageParameters.has(name));
  return path + formatSearch(Object.fromEntries(kept));
}

/** Returns the path to open after login, or null if it isn't a path of this console. Prevents open redirects. */
export function safeReturnPath(from: string | string[] | undefined): string | null {
  if (typeof from !== "string" || !from.startsWith("/") || from.startsWith("//") || from.includes("\\")) return null;
  return from;
}
