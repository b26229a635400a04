// The product's own pages on device hosts, identical for existing and unknown sensors.
import type { ServerResponse } from "node:http";
import { guardHeaders, type PageOrigin, sessionCookie } from "./header-rules.ts";

const pages = {
  refused: {
    status: 403,
    title: "This page is not open for you",
    text: "Open the sensor's configuration page from the console. A session ends when its time is over, when somebody ends it, and when you log out.",
  },
  forbidden: {
    status: 403,
    title: "Not allowed",
    text: "This session may only look, or the request came from another page. Nothing was sent to the sensor.",
  },
  lost: {
    status: 502,
    title: "The sensor is not connected",
    text: "The sensor has no connection to PS.Connect right now. Your session stays open: reload this page when the sensor is back.",
  },
  broken: {
    status: 502,
    title: "The sensor sent no usable answer",
    text: "The answer broke off, or leads to another host. Your session stays open.",
  },
  httpsLoop: {
    status: 502,
    title: "The sensor redirects to HTTPS without end",
    text: "The sensor sends every request to https:// of the same address. The way to the sensor is encrypted already, but the sensor can't know that. Turn off its redirect to HTTPS on its local configuration page, then reload this page.",
  },
  silent: {
    status: 504,
    title: "The sensor does not answer",
    text: "There was no answer within 30 seconds. Your session stays open: try again.",
  },
  busy: {
    status: 503,
    title: "Too much at once",
    text: "This session has too many open requests. Wait for some of them, then try again.",
  },
  tooLarge: { status: 413, title: "Too large", text: "A question to the sensor may have one mebibyte." },
  unreadable: { status: 400, title: "Not understood", text: "The request is not one that a sensor could be sent." },
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
  const spent = `${sessionCookie(page)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${page.scheme === "https" ? "; Secure" : ""}`;
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
