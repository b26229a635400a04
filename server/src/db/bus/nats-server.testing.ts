// A small server of the NATS protocol without clustering and wildcards, for machines on which NATS is not installed.
import { createServer, type Socket } from "node:net";

export type NatsServer = { url: string; stop(): Promise<void> };

type Client = { socket: Socket; subjects: Map<string, string> };

/** `password`: refuses clients with another one. */
export async function startSmallNatsServer(port: number, password?: string): Promise<NatsServer> {
  const clients = new Set<Client>();
  const server = createServer((socket) => {
    const client: Client = { socket, subjects: new Map() };
    clients.add(client);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => clients.delete(client));
    const info = { server_id: "small", version: "2.9.0", proto: 1, headers: false, max_payload: 1_048_576, port };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    let buffer = "";
    socket.on("data", (data) => {
      buffer = obey(client, buffer + data.toString("latin1"));
    });
  });

  /** Handles complete lines; returns the rest. */
  function obey(client: Client, text: string): string {
    let rest = text;
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const [verb = "", ...args] = rest.slice(0, end).split(" ");
      const after = rest.slice(end + 2);
      if (verb !== "PUB") rest = after;
      if (verb === "CONNECT" && password !== undefined && !args.join(" ").includes(`"pass":"${password}"`))
        client.socket.end("-ERR 'Authorization Violation'\r\n");
      if (verb === "PING") client.socket.write("PONG\r\n");
      else if (verb === "SUB") client.subjects.set(args.at(-1) ?? "", args[0] ?? "");
      else if (verb === "PUB") {
        const size = Number(args.at(-1));
        if (after.length < size + 2) return rest;
        for (const { socket, subjects } of clients)
          for (const [sid, subject] of subjects)
            if (subject === args[0])
              socket.write(`MSG ${subject} ${sid} ${size}\r\n${after.slice(0, size)}\r\n`, "latin1");
        rest = after.slice(size + 2);
      }
    }
    return rest;
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      for (const { socket } of clients) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
