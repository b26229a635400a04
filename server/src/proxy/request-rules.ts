// Determines properties of a request: read or write, body, cross-origin, link token.
import type { IncomingMessage } from "node:http";
import { originOf, type PageOrigin } from "./header-rules.ts";

export const linkTokenPrefix = "remote_";
const linkToken = /^remote_[\w-]{40,60}$/;
const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export const isReadMethod = (method: string): boolean => readingMethods.has(method);

export function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

/** Returns the token of a link from the console. A `token` parameter of the sensor's own pages has another format. */
export function getLinkToken(url: string): string | null {
  if (!url.startsWith("/?")) return null;
  const token = new URLSearchParams(url.slice(2)).get("token");
  return token !== null && linkToken.test(token) ? token : null;
}

/**
 * Whether to refuse the request as cross-origin. Links from other sites to a page are allowed. The SameSite cookie is not enough,
 * because all device pages are on the same site.
 */
export function isCrossOrigin({ method = "GET", headers }: IncomingMessage, page: PageOrigin): boolean {
  if (headers["service-worker"] !== undefined) return true;
  const { origin } = headers;
  const isRead = isReadMethod(method) && headers.upgrade === undefined;
  if (origin !== undefined && origin !== originOf(page)) return true;
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isRead || headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}
