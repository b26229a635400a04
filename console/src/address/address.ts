// The query part of addresses: how it is read and written, and what of it travels along a link (SH-01, docs/rules/console.md#addresses).
/** A query as it is in the address: every value a text, or several under one name. */
export type Search = Record<string, string | string[]>;

/** `?a=1&b=2&b=3` → `{a: "1", b: ["2", "3"]}`. */
export function parseSearch(text: string): Search {
  const search: Search = {};
  const params = new URLSearchParams(text);
  for (const name of params.keys()) {
    const [first = "", ...more] = params.getAll(name);
    search[name] = more.length === 0 ? first : [first, ...more];
  }
  return search;
}

/** The reverse of `parseSearch`; empty values are left out, commas, colons and slashes stay readable. */
export function searchText(search: Record<string, unknown>): string {
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
 * Names that belong to some list: its filters, its page, its order, its view. Written out, because the schemas that say so
 * would be loaded before the login screen; a test compares them.
 */
export const listParameters: ReadonlySet<string> = new Set(
  "accountState acknowledged after artifactID artifactRunningID choice claimable connected country email exclude fromToDates groups ids includeDeleted includeTotals infoSoftwareFirmwareVersion installation issueStatus issueType keep lastContact limit measID monitored name occupancy onlyIDs onlyLocation ownerID parentID roleID sensorID sensorIDs sensorType skip sortBy sortDesc tag tagAny topLevel viewType withoutOwn".split(
    " ",
  ),
);

/** What single pages show, of counts, of access, of an invitation, of an issue; other pages keep none of it, lists of the same page all. */
const pageParameters: ReadonlySet<string> = new Set(["range", "by", "compare", "account", "role", "issue", "at"]);

/** What of the query stays when another area is entered: everything but the parameters of lists. */
export function withoutListParameters(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([name]) => !listParameters.has(name)));
}

/** `keep` for dialogs, tabs of a page and the footer; `dropList` for the header and for links into another area. */
export type QueryPolicy = "keep" | "dropList" | "none";

/** A path with what the policy lets through of the present query. */
export function addressOf(path: string, search: Search, policy: QueryPolicy): string {
  if (policy === "none") return path;
  if (policy === "keep") return path + searchText(search);
  const kept = Object.entries(withoutListParameters(search)).filter(([name]) => !pageParameters.has(name));
  return path + searchText(Object.fromEntries(kept));
}

/** Where to go after signing in: a path of this console only, never another site. */
export function safeReturn(from: string | string[] | undefined): string | null {
  if (typeof from !== "string" || !from.startsWith("/") || from.startsWith("//") || from.includes("\\")) return null;
  return from;
}
