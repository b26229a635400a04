// An HTTP client for device hosts: sends any Host header, reads complete responses, follows no redirects, keeps no
// cookies.
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import type { Duplex } from "node:stream";

export type Page = { status: number; headers: IncomingHttpHeaders; body: string };
export type Ask = { method?: string; headers?: Record<string, string>; body?: string };

export function cookieOf(page: Page): string {
  const [cookie] = (page.headers["set-cookie"] ?? []).map((text) => /^psp_remote=([\w-]+);/.exec(text)?.[1]);
  if (cookie === undefined) throw new Error(`No cookie in ${page.status} ${JSON.stringify(page.headers)}`);
  return cookie;
}

/** Rejects if the connection breaks before the response is complete. */
export function visit(url: string, host: string, path: string, { method = "GET", headers = {}, body }: Ask = {}) {
  return new Promise<Page>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const request = httpRequest({
      hostname,
      port,
      path,
      method,
      headers: { host, ...length, ...headers },
      agent: false,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

/** Returns the raw stream of an accepted WebSocket, or the status of a refusal. */
export function upgrade(url: string, host: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; socket: Duplex | null }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const request = httpRequest({
      hostname,
      port,
      path,
      agent: false,
      headers: {
        host,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
    request.on("error", reject);
    request.on("upgrade", (response, socket) => {
      socket.on("error", () => undefined);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket });
    });
    request.on("response", (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket: null });
    });
    request.end();
  });
}
