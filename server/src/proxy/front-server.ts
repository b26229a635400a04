// An HTTP server that routes requests and upgrades by host: device pages to the proxy, everything else to the application.
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export type FrontHandler = {
  matches(request: IncomingMessage): boolean;
  handleRequest(request: IncomingMessage, response: ServerResponse): void;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

const requestEvents = new Set(["request", "checkContinue", "checkExpectation"]);

/** `front` gets device pages, `listener` everything else. */
export function createFrontServer(
  front: FrontHandler,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
) {
  class FrontServer extends Server {
    // Overridden, because other listeners look only at the path and must not see requests for device pages.
    override emit(event: string | symbol, ...args: unknown[]): boolean {
      const [request, second, third] = args as [IncomingMessage, never, never];
      const isUpgrade = event === "upgrade" || event === "connect";
      if (!isUpgrade && !requestEvents.has(String(event))) return super.emit(event, ...args);
      if (!front.matches(request)) return super.emit(event, ...args);
      if (isUpgrade) front.handleUpgrade(request, second, third);
      else front.handleRequest(request, second);
      return true;
    }
  }
  const server = new FrontServer();
  server.on("request", listener);
  return server;
}
