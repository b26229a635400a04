// A TCP load balancer in front of several processes: takes turns, and skips those that refuse the connection.
import { createConnection, createServer, type Socket } from "node:net";

/** Returns the port on which it listens. */
export async function startBalancer(ports: readonly number[]): Promise<{ port: number; stop(): Promise<void> }> {
  const open = new Set<Socket>();
  let turn = 0;

  function forward(client: Socket, attempt: number): void {
    const target = createConnection(ports[turn++ % ports.length] ?? 0, "127.0.0.1");
    target.once("error", () => {
      if (attempt < ports.length) forward(client, attempt + 1);
      else client.destroy();
    });
    target.once("connect", () => {
      target.removeAllListeners("error");
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        open.add(from);
        from.on("error", () => from.destroy());
        from.on("close", () => {
          open.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  const server = createServer((client) => {
    client.setNoDelay(true);
    client.on("error", () => client.destroy());
    forward(client, 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
