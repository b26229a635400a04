// Filters headers between a browser and a device page, and adds the server's own. Device pages are treated as hostile (T-17).
import type { IncomingHttpHeaders } from "node:http";

/** The browser's origin of a device page, e.g. `https://001628fa8e68.devices.example.com`. */
export type PageOrigin = { scheme: "http" | "https"; host: string };

export const originOf = ({ scheme, host }: PageOrigin): string => new URL(`${scheme}://${host}`).origin;

/** Hop-by-hop headers (RFC 9110 7.6.1), and those unused in HTTP/2. */
const ofConnection = new Set(
  "connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade http2-settings expect host".split(
    " ",
  ),
);
/** Headers that only the server may send to a sensor. */
const ours = /^(?:x-psconnect-|x-psp-|x-forwarded-|x-real-ip$|forwarded$|via$|cookie$|referer$)/;
/** Headers that could change the meaning of a request after its check. */
const overriding =
  /method-?override|^(?:x-)?(?:http-|original-)?method$|^x-(?:original|rewrite|override)-(?:url|uri|host)$/;
/** WebSocket headers that HTTP/2 replaces. */
const ofHandshake = new Set(["sec-websocket-key", "sec-websocket-accept"]);

/** Prefixes of PS.Platform's cookies, on device hosts and on the console's host. */
const ourCookie = /^(?:__Host-)?psp_/i;

export const deviceSessionCookieName = ({ scheme }: Pick<PageOrigin, "scheme">) =>
  scheme === "https" ? "__Host-psp_remote" : "psp_remote";

function pairsOf(header: string | undefined): string[] {
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter(Boolean);
}

/** Limits database lookups, because another device page could set many cookies with this name. */
const maxCookies = 5;

export function readSessionCookies(header: string | undefined, page: PageOrigin): string[] {
  const name = `${deviceSessionCookieName(page)}=`;
  return pairsOf(header)
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length))
    .filter((value) => /^[\w-]{40,60}$/.test(value))
    .slice(0, maxCookies);
}

/** Servers that convert headers to CGI variables treat `_` like `-`. */
function mayReachSensor(spelled: string): boolean {
  const name = spelled.replaceAll("_", "-");
  return !ofConnection.has(name) && !ofHandshake.has(name) && !ours.test(name) && !overriding.test(name);
}

/** Returns request headers for the sensor. `user` tells the sensor the session's mode. */
export function toSensorHeaders(
  headers: IncomingHttpHeaders,
  user: string,
  page: PageOrigin,
): Record<string, string | string[]> {
  const named = new Set(pairsOf(headers.connection?.replaceAll(",", ";")).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !named.has(name) && mayReachSensor(name),
  ) as [string, string | string[]][];
  const cookie = pairsOf(headers.cookie)
    .filter((pair) => !ourCookie.test(pair))
    .join("; ");
  const { referer } = headers;
  return {
    ...Object.fromEntries(kept),
    ...(cookie === "" ? {} : { cookie }),
    ...(referer !== undefined && URL.parse(referer)?.origin === originOf(page) ? { referer } : {}),
    "x-psconnect-user": user,
    "x-forwarded-proto": page.scheme,
    "x-forwarded-host": page.host,
  };
}

/**
 * Response headers that only describe the content. Others are dropped, because they could set rules for the host, control the browser,
 * or allow other origins to read. `toBrowserHeaders` rewrites cookies, redirects and caching, and adds the policy.
 */
const passed = new Set(
  "accept-ranges age allow content-disposition content-encoding content-language content-length content-range content-type date etag expires last-modified pragma retry-after vary www-authenticate x-content-type-options".split(
    " ",
  ),
);

const maxSetCookies = 50;

/** The content security policy, in addition to the page's own. */
function policyFor({ host }: PageOrigin): string {
  return [
    "sandbox allow-scripts allow-same-origin allow-forms allow-downloads allow-modals allow-popups",
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    `connect-src 'self' ws://${host} wss://${host}`,
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Headers of every page on a device host, including the server's own pages. */
export function guardHeaders(page: PageOrigin): Record<string, string> {
  return {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), serial=(), bluetooth=(), payment=()",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex",
    "content-security-policy": policyFor(page),
  };
}

type Asked = { url: string; cookie: string | undefined };

/**
 * Returns response headers for the browser, "broken" if the sensor redirects to another host, or "httpsLoop" if it redirects to the
 * current URL.
 */
export function toBrowserHeaders(
  headers: IncomingHttpHeaders,
  page: PageOrigin,
  asked: Asked,
): Record<string, string | string[]> | "broken" | "httpsLoop" {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && passed.has(name)) as [
    string,
    string | string[],
  ][];
  const guards = guardHeaders(page);
  const location = headers.location === undefined ? undefined : ownPath(headers.location, page);
  if (location === null) return "broken";
  const refresh = headers["refresh"] === undefined ? undefined : ownRefresh(String(headers["refresh"]), page);
  if (refresh === null) return "broken";
  if (isHttpsLoop(headers, page, asked)) return "httpsLoop";
  const cookies = (headers["set-cookie"] ?? []).slice(0, maxSetCookies).flatMap((cookie) => ownCookie(cookie) ?? []);
  const policy = headers["content-security-policy"];
  return {
    ...Object.fromEntries(kept),
    ...guards,
    "content-security-policy": [
      ...(policy === undefined ? [] : [policy].flat()),
      guards["content-security-policy"] ?? "",
    ],
    "cache-control": privately(headers["cache-control"]),
    ...(cookies.length === 0 ? {} : { "set-cookie": cookies }),
    ...(location === undefined ? {} : { location }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

/**
 * Whether a sensor that is unaware of the tunnel redirects to `https:` of the requested URL, which would loop. A response with a new
 * cookie is not a loop, because some logins redirect this way.
 */
function isHttpsLoop(headers: IncomingHttpHeaders, page: PageOrigin, { url, cookie }: Asked): boolean {
  const refresh = /^\s*\d+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(String(headers["refresh"] ?? ""))?.[1];
  const address = URL.parse(headers.location ?? refresh ?? "");
  if (address?.protocol !== "https:") return false;
  const here = new URL(url, originOf(page));
  if (`${address.pathname}${address.search}` !== `${here.pathname}${here.search}`) return false;
  const names = new Set(pairsOf(cookie).map((pair) => pair.split("=")[0]));
  return (headers["set-cookie"] ?? []).every((one) => names.has(one.split("=")[0]?.trim()));
}

/** Path, query and fragment of a URL on the page's own host; else null. */
function ownPath(address: string, page: PageOrigin): string | null {
  const url = URL.parse(address, `${page.scheme}://${page.host}`);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  if (url.hostname !== new URL(originOf(page)).hostname) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}

function ownRefresh(text: string, page: PageOrigin): string | null {
  const [, seconds = "", address] =
    /^\s*(\d{1,6})\s*(?:[;,]\s*(?:url\s*=\s*)?["']?([^"']*)["']?)?\s*$/i.exec(text) ?? [];
  if (seconds === "") return null;
  if (address === undefined || address === "") return seconds;
  const path = ownPath(address, page);
  return path === null ? null : `${seconds}; url=${path}`;
}

/** Restricts the cookie to this host; null for names reserved by PS.Platform. */
function ownCookie(cookie: string): string | null {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  if (ourCookie.test(pair) || !pair.includes("=")) return null;
  return [pair, ...attributes.filter((attribute) => !/^domain\b/i.test(attribute))].join("; ");
}

/** Prevents shared caches from storing personal content. */
function privately(given: string | undefined): string {
  if (given === undefined) return "no-store";
  const kept = given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !/^(?:public|s-maxage|private|must-understand)\b/i.test(part));
  return ["private", ...kept].join(", ");
}
