// Which other application a person came from, told by the address or by the token of a reset link (AU-06).
import { allowedOrigin } from "@psp/contract/auth/auth.ts";
import { type Search, searchText } from "../address.ts";
import { paths } from "../paths.ts";

/** The payload is only read here, not verified, and the address is anybody's: the allow-list alone decides. */
function originInToken(token: string): unknown {
  try {
    const body = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return payload && typeof payload === "object" && "origin" in payload ? payload.origin : null;
  } catch {
    return null;
  }
}

/** The allow-listed origin of the query, else that of the token, else null (T-09). */
export function returnOrigin(search: Search, allowed: readonly string[]): string | null {
  const { origin, token } = search;
  return allowedOrigin(origin, allowed) ?? (typeof token === "string" ? originIn(token, allowed) : null);
}

function originIn(token: string, allowed: readonly string[]): string | null {
  return allowedOrigin(originInToken(token), allowed);
}

/** Our own login, without what belongs to the reset alone: a token must not travel along. */
export function ownLogin(search: Search, path: string = paths.login): string {
  const { token: _token, origin: _origin, ...rest } = search;
  return path + searchText(rest);
}
