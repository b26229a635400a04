// What a QR code on a label may hold: a registration link of this console or of a configured domain (docs/rules/claiming.md#scanning).
import { paths } from "../address/paths.ts";

type Page = { protocol: string; host: string };

/** Codes of `code` and `c` in the order given, without repeats. */
export function codesOf(query: string): string[] {
  const codes = [...new URLSearchParams(query)].flatMap(([name, value]) =>
    (name === "code" || name === "c") && value.trim() !== "" ? [value.trim()] : [],
  );
  return [...new Set(codes)];
}

/** The codes of a scanned text; null for an invalid one. `page` is where the console runs, `domains` those allowed beside it. */
export function codesInLink(text: string, page: Page, domains: readonly string[]): string[] | null {
  const url = URL.parse(text.trim());
  if (url === null || url.username !== "" || url.password !== "") return null;
  const codes = codesOf(queryOfOwn(url, page) ?? queryOfConfigured(url, domains) ?? "");
  return codes.length > 0 ? codes : null;
}

function queryOfOwn(url: URL, page: Page): string | null {
  if (url.protocol !== page.protocol || url.host !== page.host) return null;
  if (url.pathname === paths.registerSensors) return url.search;
  return url.pathname === "/" ? hashQuery(url.hash) : null;
}

/** Any path of a configured host, by https. */
function queryOfConfigured(url: URL, domains: readonly string[]): string | null {
  const known = domains.some((domain) => domain.toLowerCase() === url.host);
  if (url.protocol !== "https:" || !known) return null;
  return `${url.search.slice(1)}&${hashQuery(url.hash) ?? ""}`;
}

/** The query of `#/sensor/register?code=…`, as older labels have it. */
function hashQuery(hash: string): string | null {
  const prefix = `#${paths.registerSensors}?`;
  return hash.startsWith(prefix) ? hash.slice(prefix.length) : null;
}

/**
 * The present spelling of an address from a label: `/#/sensor/register?c=A` becomes `/sensor/register?code=A`. One name
 * for all codes keeps their order. Null when the address is fine as it is.
 */
export function presentAddress(url: URL): string | null {
  const old = url.pathname === "/" ? hashQuery(url.hash) : null;
  const isScreen = url.pathname === paths.registerSensors || url.pathname.startsWith(`${paths.registerSensors}/`);
  if (old === null && !(isScreen && url.searchParams.has("c"))) return null;
  const params = [...new URLSearchParams(old ?? url.search)].map(([name, value]) => [
    name === "c" ? "code" : name,
    value,
  ]);
  return `${old === null ? url.pathname : paths.registerSensors}?${new URLSearchParams(params).toString()}`;
}
