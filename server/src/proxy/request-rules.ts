// What a request says about itself: whether it reads, has a body, comes from a page of another origin, or carries a link's token.
import type { IncomingMessage } from "node:http";
import { originOf, type PageOrigin } from "./header-rules.ts";

export const linkTokenPrefix = "remote_";
const linkToken = /^remote_[\w-]{40,60}$/;
const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export const isReading = (method: string): boolean => readingMethods.has(method);

export function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

/** The token of a link from the console. Parameters of this name that a sensor uses itself look different. */
export function linkTokenOf(url: string): string | null {
  if (!url.startsWith("/?")) return null;
  const token = new URLSearchParams(url.slice(2)).get("token");
  return token !== null && linkToken.test(token) ? token : null;
}

/**
 * Asked for by a page of another origin: never a write or a WebSocket, and of reading only a person's navigation. Pages of
 * two sensors are of the same site: the cookie alone would not keep them apart.
 */
export function isForeign({ method = "GET", headers }: IncomingMessage, page: PageOrigin): boolean {
  if (headers["service-worker"] !== undefined) return true;
  const { origin } = headers;
  const isRead = isReading(method) && headers.upgrade === undefined;
  if (origin !== undefined && origin !== originOf(page)) return true;
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isRead || headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}
