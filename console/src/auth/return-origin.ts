// Reads the origin application and the expiry of a reset link (AU-05, AU-06).
import { findAllowedOrigin } from "@psp/contract/auth/auth.ts";
import { type SearchParams, formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";

/** The token isn't verified here and the URL is untrusted, so no decision may rely on the payload alone. */
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

/** Compares the expiry with the local clock, only to save the user a useless attempt. The server decides. */
export function seemsExpired(token: string): boolean {
  const { exp } = payloadOf(token);
  return typeof exp === "number" && exp * 1000 <= Date.now();
}

/** The allowed origin from the query, else from the token, else null (T-09). */
export function findReturnOrigin(search: SearchParams, allowed: readonly string[]): string | null {
  const { origin, token } = search;
  const inToken = typeof token === "string" ? payloadOf(token)["origin"] : undefined;
  return findAllowedOrigin(origin, allowed) ?? findAllowedOrigin(inToken, allowed);
}

/** Our login without reset parameters, so that the token isn't forwarded. */
export function ownLoginUrl(search: SearchParams, path: string = paths.login): string {
  const { token: _token, origin: _origin, ...rest } = search;
  return path + formatSearch(rest);
}
