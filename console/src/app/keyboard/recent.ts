// Recently opened objects per account in local storage; stores ids only.
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { NamedType } from "../../entity/reference/useNames.ts";

export type RecentObject = { type: NamedType; id: string };

const kept = 6;
const keyOf = (accountId: string) => `psp-recent-${accountId}`;

const uuid = "[0-9a-f]{8}-[0-9a-f-]{27}";
const addresses: readonly (readonly [RegExp, NamedType])[] = [
  [/^\/sensor\/(?:aps|zod|psc1)\/([^/]+)/i, "sensor"],
  [new RegExp(`^/location/(${uuid})`), "measurement"],
  [new RegExp(`^/account/(${uuid})`), "account"],
  [new RegExp(`^/role/(${uuid})`), "role"],
  [new RegExp(`^/firmware/(${uuid})`), "artifact"],
];

function objectAt(path: string): RecentObject | null {
  for (const [form, type] of addresses) {
    const found = form.exec(decodeURIComponent(path))?.[1];
    const id = type === "sensor" && found !== undefined ? parseMac(found) : found;
    if (id !== undefined && id !== null) return { type, id };
  }
  return null;
}

export function readRecentObjects(accountId: string): RecentObject[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(keyOf(accountId)) ?? "[]");
    return Array.isArray(read) ? read.filter(isRecent).slice(0, kept) : [];
  } catch {
    return [];
  }
}

const types = new Set<string>(addresses.map(([, type]) => type));
const isRecent = (one: unknown): one is RecentObject =>
  typeof one === "object" &&
  one !== null &&
  types.has(String((one as RecentObject).type)) &&
  typeof (one as RecentObject).id === "string";

export function recordRecentObject(accountId: string, path: string): void {
  const object = objectAt(path);
  if (object === null) return;
  const others = readRecentObjects(accountId).filter(({ type, id }) => type !== object.type || id !== object.id);
  try {
    localStorage.setItem(keyOf(accountId), JSON.stringify([object, ...others].slice(0, kept)));
  } catch {
    // Storage may be full or blocked.
  }
}
