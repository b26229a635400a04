// Accepts HTTP upgrades only at existing paths; refuses and closes all others.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Returns the path without the query, neither decoded nor normalized. */
export function getUpgradePath(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}

export type UpgradeGuard = ReturnType<typeof createUpgradeGuard>;

/**
 * Refuses upgrades at unknown paths with 404, and at `paths` with 503 unless they are open. A trailing slash includes all paths below.
 * Without this guard, a connection for a path without a listener would stay open and delay the shutdown.
 */
export function createUpgradeGuard(server: Server, paths: ReadonlySet<string>) {
  const open = new Set<string>();
  const beginnings = [...paths].filter((path) => path.endsWith("/"));
  server.on("upgrade", (request: IncomingMessage, stream: Duplex) => {
    const asked = getUpgradePath(request);
    const path = paths.has(asked) ? asked : beginnings.find((beginning) => asked.startsWith(beginning));
    if (path === undefined) refuseUpgrade(stream, "404 Not Found");
    else if (!open.has(path)) refuseUpgrade(stream, "503 Service Unavailable");
  });
  return {
    open: (path: string) => void open.add(path),
    shut: (path: string) => void open.delete(path),
  };
}

const closeTimeoutMs = 1000;

export function refuseUpgrade(stream: Duplex, status: string, retryAfterS?: number): void {
  stream.on("error", () => stream.destroy());
  // Otherwise a client that keeps sending would keep the connection open.
  const timer = setTimeout(() => stream.destroy(), closeTimeoutMs).unref();
  stream.once("close", () => clearTimeout(timer));
  const retry = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
  stream.end(`HTTP/1.1 ${status}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`);
}
