// A TCP connection to a database or another service that tests cut, mend and freeze.
import { createServer, type NetConnectOpts, type Server, type Socket, connect } from "node:net";
import { expect } from "vitest";
import { findFreePorts } from "../free-ports.ts";

/** Where the database listens. */
export function placeOf({ searchParams, hostname, port }: URL): NetConnectOpts {
  const folder = searchParams.get("host");
  const number = Number(port || 5432);
  return folder === null ? { host: hostname, port: number } : { path: `${folder}/.s.PGSQL.${number}` };
}

/** `url` leads to the same database, or other service, over TCP. */
export async function createDatabaseWire(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let frozen = false;
  let listening: Server | null = null;
  const [port = 0] = await findFreePorts(1);

  const listen = () =>
    new Promise<boolean>((resolve) => {
      listening = createServer((client) => {
        const server = connect(placeOf(target));
        for (const one of [client, server]) {
          open.add(one);
          one.on("error", () => undefined);
          one.on("close", () => {
            for (const end of [client, server]) open.delete(end.destroy());
          });
        }
        client.pipe(server).pipe(client);
        if (frozen) for (const one of [client, server]) one.pause();
      });
      listening.once("error", () => resolve(false));
      listening.listen(port, "127.0.0.1", () => resolve(true));
    });
  expect(await listen()).toBe(true);
  const through = new URL(databaseUrl);
  through.hostname = "127.0.0.1";
  through.search = "";
  through.port = String(port);
  return {
    url: through.href,
    cut() {
      listening?.close();
      for (const one of open) one.destroy();
    },
    async mend() {
      expect(await listen()).toBe(true);
    },
    /** Nothing passes the connections that are open now, forever; new ones work. */
    abandon() {
      for (const one of open) one.pause();
      open.clear();
    },
    /** Connections stay open, and new ones are accepted, but no byte passes until `thaw`. */
    freeze() {
      frozen = true;
      for (const one of open) one.pause();
    },
    thaw() {
      frozen = false;
      for (const one of open) one.resume();
    },
  };
}
