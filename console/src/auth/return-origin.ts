// What the address says of a reset link: which other application a person came from, and how long it is good for (AU-05, AU-06).
import { allowedOrigin } from "@psp/contract/auth/auth.ts";
import { type Search, searchText } from "../address/address.ts";
import { paths } from "../address/paths.ts";

/** The payload is only read here, not verified, and the address is anybody's: nothing is decided by it alone. */
function payloadOf(token: string): Record<string, unknown> {
  try {
    const body = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return payload && typeof payload === "object" ? (payload as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** By the clock of this machine: good enough to say so before somebody thinks of a password; the server decides. */
export function seemsExpired(token: string): boolean {
  const { exp } = payloadOf(token);
  return typeof exp === "number" && exp * 1000 <= Date.now();
}

/** The allow-listed origin of the query, else that of the token, else null (T-09). */
export function returnOrigin(search: Search, allowed: readonly string[]): string | null {
  const { origin, token } = search;
  const inToken = typeof token === "string" ? payloadOf(token)["origin"] : undefined;
  return allowedOrigin(origin, allowed) ?? allowedOrigin(inToken, allowed);
}

/** Our own login, without what belongs to the reset alone: a token must not travel along. */
export function ownLogin(search: Search, path: string = paths.login): string {
  const { token: _token, origin: _origin, ...rest } = search;
  return path + searchText(rest);
}
