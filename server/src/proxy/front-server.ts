// The HTTP server whose requests and upgrades for sensors' pages never reach the product behind it: not its routes, not its
// sockets, whatever their paths.
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export type Front = {
  /** Whether the request is for a sensor's page. */
  takes(request: IncomingMessage): boolean;
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/** Events that come with a request and a response. */
const requestEvents = new Set(["request", "checkContinue", "checkExpectation"]);

/** A server of HTTP that asks `front` first. `listener` answers everything else. */
export function createFrontServer(
  front: Front,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
) {
  class FrontServer extends Server {
    // Before any listener: one that looks at the path alone would take what is not meant for it.
    override emit(event: string | symbol, ...args: unknown[]): boolean {
      const [request, second, third] = args as [IncomingMessage, never, never];
      const isUpgrade = event === "upgrade" || event === "connect";
      if (!isUpgrade && !requestEvents.has(String(event))) return super.emit(event, ...args);
      if (!front.takes(request)) return super.emit(event, ...args);
      if (isUpgrade) front.upgrade(request, second, third);
      else front.request(request, second);
      return true;
    }
  }
  const server = new FrontServer();
  server.on("request", listener);
  return server;
}
