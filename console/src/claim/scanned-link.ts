// Parses registration links of this console or a configured domain (docs/rules/claiming.md#scanning).
import { paths } from "../address/paths.ts";
import { hashQuery } from "./label-url.ts";

type Page = { protocol: string; host: string };

/** Values of `code` and `c` in order, deduplicated. */
export function codesInQuery(query: string): string[] {
  const codes = [...new URLSearchParams(query)].flatMap(([name, value]) =>
    (name === "code" || name === "c") && value.trim() !== "" ? [value.trim()] : [],
  );
  return [...new Set(codes)];
}

/**
 * Codes of a registration link, or null if it is invalid. `page` is the console's own location, `domains` are other allowed
 * hosts.
 */
export function codesInLink(text: string, page: Page, domains: readonly string[]): string[] | null {
  const url = URL.parse(text.trim());
  if (url === null || url.username !== "" || url.password !== "") return null;
  const codes = codesInQuery(queryOfOwn(url, page) ?? queryOfConfigured(url, domains) ?? "");
  return codes.length > 0 ? codes : null;
}

function queryOfOwn(url: URL, page: Page): string | null {
  if (url.protocol !== page.protocol || url.host !== page.host) return null;
  if (url.pathname === paths.registerSensors) return url.search;
  return url.pathname === "/" ? hashQuery(url.hash) : null;
}

/** Query of an https URL with a configured host, else null. */
function queryOfConfigured(url: URL, domains: readonly string[]): string | null {
  const known = domains.some((domain) => domain.toLowerCase() === url.host);
  if (url.protocol !== "https:" || !known) return null;
  return `${url.search.slice(1)}&${hashQuery(url.hash) ?? ""}`;
}
