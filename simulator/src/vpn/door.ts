// How a browser gets to the pages of sensors in the simulated VPN: hosts `hmi-{key}.{anything}` on one port of this machine.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Handler } from "../link/tunnel.ts";

const host = "127.0.0.1";
/** Of one connection, not to be passed on, and the word of PS.Connect, which is not at work here. */
const dropped =
  /^(:.*|host|connection|keep-alive|proxy-connection|transfer-encoding|te|upgrade|http2-settings|x-psconnect-.*)$/i;

/** The sensor that a host name is about. */
function nameIn(authority: string | undefined): string {
  return /^hmi-([a-z0-9-]{1,59})\./i.exec(authority ?? "")?.[1]?.toLowerCase() ?? "";
}

/** Sensors answer in HTTP/2, as they do in their tunnels, and browsers ask in HTTP/1. */
export async function openDoor(port: number, handlerOf: (name: string) => Handler | null) {
  const sensors = createHttp2Server({ maxSessionMemory: 1 }, (request, reply) => {
    const serve = handlerOf(nameIn(request.authority));
    if (serve) serve(request, reply);
    else reply.writeHead(404, { "content-type": "text/plain" }).end("No sensor with this name is connected.");
  });
  sensors.listen(0, host);
  await once(sensors, "listening");
  const { port: inner } = sensors.address() as AddressInfo;
  let session: ClientHttp2Session | null = null;

  function way(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const next = connect(`http://${host}:${inner}`);
    next.on("error", () => next.destroy());
    next.unref();
    return (session = next);
  }

  function pass(request: IncomingMessage, reply: ServerResponse): void {
    const fail = () => {
      if (!reply.headersSent) reply.writeHead(502, { "content-type": "text/plain" });
      reply.end();
    };
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.test(name)));
    const stream = way().request({
      ...headers,
      ":method": request.method ?? "GET",
      ":path": request.url ?? "/",
      ":authority": request.headers.host ?? "",
    });
    stream.on("response", (answer: IncomingHttpHeaders & { ":status"?: number }) => {
      const kept = Object.fromEntries(Object.entries(answer).filter(([name]) => !dropped.test(name)));
      reply.writeHead(answer[":status"] ?? 502, kept);
      stream.pipe(reply);
    });
    stream.on("error", fail);
    stream.on("close", () => void (reply.writableEnded || fail()));
    request.on("error", () => stream.destroy());
    reply.on("close", () => stream.destroy());
    request.pipe(stream);
  }

  const browsers = createServer(pass);
  browsers.listen(port, host);
  try {
    await once(browsers, "listening");
  } catch (error) {
    sensors.close();
    throw error;
  }
  return {
    port: (browsers.address() as AddressInfo).port,
    async stop(): Promise<void> {
      browsers.closeAllConnections();
      browsers.close();
      session?.destroy();
      sensors.close();
      await once(sensors, "close");
    },
  };
}
