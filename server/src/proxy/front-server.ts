// An HTTP server that routes requests and upgrades by host: device pages to the proxy, everything else to the application.
import { once } from "node:events";
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from "node:http";
import type { ListenOptions } from "node:net";
import type { Duplex } from "node:stream";

export type FrontHandler = {
  matches(request: IncomingMessage): boolean;
  handleRequest(request: IncomingMessage, response: ServerResponse): void;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

const requestEvents = new Set<string | symbol>(["request", "checkContinue", "checkExpectation"]);

export type FrontServer = ReturnType<typeof createFrontServer>;

/** Until the application listens, `early` gets all requests, also those that ask for an upgrade. */
export function createFrontServer(early: RequestListener) {
  let front: FrontHandler | null = null;
  let application: RequestListener | null = null;
  let isDraining = false;
  const running = new Set<ServerResponse>();
  let onIdle = () => {};

  function track(response: ServerResponse): void {
    // Node then adds `connection: close` to the response.
    if (isDraining) response.shouldKeepAlive = false;
    running.add(response);
    response.once("close", () => {
      running.delete(response);
      if (running.size === 0) onIdle();
    });
  }

  class Front extends Server {
    // Overridden, because other listeners look only at the path and must not see requests for device pages.
    override emit(event: string | symbol, ...args: unknown[]): boolean {
      const [request, second, third] = args as [IncomingMessage, never, never];
      const isUpgrade = event === "upgrade" || event === "connect";
      if (requestEvents.has(event)) track(second);
      else if (!isUpgrade) return super.emit(event, ...args);
      if (front === null || application === null || !front.matches(request)) return super.emit(event, ...args);
      if (isUpgrade) front.handleUpgrade(request, second, third);
      else front.handleRequest(request, second);
      return true;
    }
    // Fastify calls this when the application is complete. The server listens already, unless a test does without that.
    override listen(...args: unknown[]): this {
      if (application !== null) this.off("request", early).on("request", application);
      if (this.listening) process.nextTick(() => this.emit("listening"));
      else super.listen(...(args as [ListenOptions]));
      return this;
    }
  }

  const server = new Front();
  server.on("request", early);
  return {
    /** Rejects if the address can't be used. */
    async listen(address: { host: string; port: number }): Promise<void> {
      server.listen(address);
      await once(server, "listening");
    },
    /** `given` gets device pages, `listener` everything else, once the application listens. */
    attach(given: FrontHandler, listener: RequestListener): Server {
      front = given;
      application = listener;
      return server;
    },
    /** From now on each response closes its connection, so that load balancers and clients move their requests elsewhere. */
    drain: () => void (isDraining = true),
    /** Resolves when no request is being answered. */
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void (onIdle = resolve))),
    /** Stops the server if no application was attached. */
    async close(): Promise<void> {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
