// The server's own pages on device hosts, identical for existing and unknown sensors.
import type { ServerResponse } from "node:http";
import { guardHeaders, type PageOrigin, deviceSessionCookieName } from "./header-rules.ts";

const pages = {
  refused: {
    status: 403,
    title: "You don't have access to this page",
    text: "Open the sensor's configuration page from the console. A session ends when its time is up, when someone ends it, and when you log out.",
  },
  forbidden: {
    status: 403,
    title: "Not allowed",
    text: "This session is read-only, or the request came from another page. Nothing was sent to the sensor.",
  },
  lost: {
    status: 502,
    title: "The sensor is not connected",
    text: "The sensor is not connected to PS.Connect right now. Your session stays open. Reload this page when the sensor is back online.",
  },
  broken: {
    status: 502,
    title: "The sensor sent an invalid response",
    text: "The response was incomplete or redirects to another host. Your session stays open.",
  },
  httpsLoop: {
    status: 502,
    title: "The sensor keeps redirecting to HTTPS",
    text: "The connection to the sensor is already encrypted, but the sensor doesn't know that. Turn off the redirect to HTTPS on its local configuration page, then reload this page.",
  },
  silent: {
    status: 504,
    title: "The sensor does not respond",
    text: "There was no response within 30 seconds. Your session stays open. Try again.",
  },
  busy: {
    status: 503,
    title: "Too many requests",
    text: "This session has too many open requests. Wait a moment, then try again.",
  },
  tooLarge: { status: 413, title: "Request too large", text: "A request to a sensor can have at most 1 MiB." },
  unreadable: { status: 400, title: "Invalid request", text: "This request can't be sent to a sensor." },
} as const;

export type Refusal = keyof typeof pages;

export const statusLineOf = (refusal: Refusal) => `${pages[refusal].status} ${pages[refusal].title}`;

export function sendRefusal(response: ServerResponse, refusal: Refusal, page: PageOrigin, consoleUrl: string): void {
  if (response.headersSent) return void response.destroy();
  const { status, title, text } = pages[refusal];
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto;padding:0 1.5rem}h1{font-size:1.4rem}</style>
</head>
<body><main><h1>${title}</h1><p>${text}</p><p><a href="${consoleUrl}" rel="noreferrer">Go to the console</a></p></main></body>
</html>
`;
  const spent = `${deviceSessionCookieName(page)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${page.scheme === "https" ? "; Secure" : ""}`;
  response.writeHead(status, {
    ...guardHeaders(page),
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...(refusal === "refused" ? { "set-cookie": spent, "clear-site-data": '"storage"' } : {}),
    // An unread body would block the connection.
    connection: "close",
  });
  response.end(body);
}
