// The query part of addresses: how it is read and written, and what of it travels along a link (SH-01, decisions 14).
import { accountListQuery } from "@psp/contract/account/account.api.ts";
import { firmwareListQuery } from "@psp/contract/firmware/firmware.api.ts";
import { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import { locationListQuery } from "@psp/contract/location/location.api.ts";
import { roleListQuery } from "@psp/contract/role/role.api.ts";
import { sensorListQuery } from "@psp/contract/sensor/sensor.api.ts";

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

const lists = [
  accountListQuery,
  firmwareListQuery,
  initTokenListQuery,
  locationListQuery,
  roleListQuery,
  sensorListQuery,
];

/** Names that belong to some list: its filters, its page, its order, its view. */
const listParameters: ReadonlySet<string> = new Set([...lists.flatMap(({ shape }) => Object.keys(shape)), "viewType"]);

/** What of the query stays when another area is entered: everything but the parameters of lists. */
export function withoutListParameters(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([name]) => !listParameters.has(name)));
}

/** `keep` for dialogs, tabs of a page and the footer; `dropList` for the header and for links into another area. */
export type QueryPolicy = "keep" | "dropList" | "none";

/** A path with what the policy lets through of the present query. */
export function addressOf(path: string, search: Search, policy: QueryPolicy): string {
  if (policy === "none") return path;
  return path + searchText(policy === "keep" ? search : withoutListParameters(search));
}

/** Where to go after signing in: a path of this console only, never another site. */
export function safeReturn(from: string | string[] | undefined): string | null {
  if (typeof from !== "string" || !from.startsWith("/") || from.startsWith("//") || from.includes("\\")) return null;
  return from;
}
