// Simulated VPN server: admits sensors as its manager decides and reports connections like OpenVPN's management interface.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { maxVpnLineLength, type VpnEvent, vpnCommandSchema } from "@psp/contract/vpn/vpn-simulated.ts";
import type { Clock } from "../clock.ts";
import type { Handler } from "../link/tunnel.ts";
import { openPageProxy } from "./page-proxy.ts";

export type VpnSession = { address: string; since: number; close(): void };

export type VpnDialer = {
  /**
   * Requests a connection; null if refused. `serve` handles requests to the sensor's host; `onDown` is called if the
   * server disconnects the sensor.
   */
  dial(name: string, serve: Handler, onDown: () => void): Promise<VpnSession | null>;
};

type Client = { id: number; name: string; serve: Handler; onDown: () => void; address: string; since: number };

const host = "127.0.0.1";
/** OpenVPN's handshake timeout. */
const answerMs = 60_000;
const publicAddress = "127.0.0.1";

export type VpnServer = Awaited<ReturnType<typeof openVpnServer>>;

/** `ports` are the local ports of the management interface and of the device pages; 0 picks a free one. */
export async function openVpnServer(ports: { management: number; pages: number }, clock: Clock) {
  const clients = new Map<number, Client>();
  const asking = new Map<number, (isAllowed: boolean) => void>();
  let manager: Socket | null = null;
  let last = 0;
  const byName = (name: string) => [...clients.values()].find((client) => client.name === name);
  const say = (event: VpnEvent) => manager?.write(`${JSON.stringify(event)}\n`);

  function end({ id, name, onDown }: Client, isItsOwn: boolean) {
    if (!clients.delete(id)) return;
    pages.close(name);
    say({ event: "disconnected", id, name });
    if (!isItsOwn) onDown();
  }

  function onOrder(line: string) {
    const order = vpnCommandSchema.parse(JSON.parse(line));
    if (order.do === "list") {
      const list = [...clients.values()].map(({ id, name, address, since }) => ({
        id,
        name,
        publicAddress,
        vpnAddress: address,
        since,
      }));
      say({ event: "list", clients: list });
    } else if (order.do === "kill") {
      const client = clients.get(order.id);
      if (client) end(client, false);
    } else asking.get(order.id)?.(order.do === "allow");
  }

  const management = createServer((socket) => {
    // Only one manager at a time, like OpenVPN.
    if (manager) return socket.destroy();
    manager = socket;
    let rest = "";
    socket.on("error", () => undefined);
    socket.on("close", () => {
      manager = null;
      for (const answer of asking.values()) answer(false);
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      try {
        if (rest.length > maxVpnLineLength) throw new Error("too long");
        for (const line of lines) onOrder(line);
      } catch {
        socket.destroy();
      }
    });
  });
  management.listen(ports.management, host);
  await once(management, "listening");
  const pages = await openPageProxy(ports.pages, (name) => byName(name)?.serve ?? null).catch((error: unknown) => {
    management.close();
    throw error;
  });

  function answerOf(id: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isAllowed: boolean) => {
        cancel();
        asking.delete(id);
        resolve(isAllowed);
      };
      const cancel = clock.at(clock.now() + answerMs, () => settle(false));
      asking.set(id, settle);
    });
  }

  return {
    managementPort: (management.address() as AddressInfo).port,
    pagesPort: pages.port,
    async dial(name: string, serve: Handler, onDown: () => void): Promise<VpnSession | null> {
      // Without a manager, no one can admit the sensor.
      if (!manager) return null;
      const id = (last += 1);
      say({ event: "connecting", id, name });
      if (!(await answerOf(id))) return null;
      const before = byName(name);
      if (before) end(before, false);
      const address = `10.8.${(id >> 8) & 255}.${id & 255}`;
      const client: Client = { id, name, serve, onDown, address, since: clock.now() };
      clients.set(id, client);
      say({ event: "connected", id, name, publicAddress, vpnAddress: address, since: client.since });
      return { address, since: client.since, close: () => end(client, true) };
    },
    async stop(): Promise<void> {
      manager?.destroy();
      management.close();
      await pages.stop();
    },
  };
}
