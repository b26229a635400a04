// Connects to VPN servers, to admit, list, and disconnect their clients. Dialects are in separate files.
import type { VpnManagement } from "@psp/contract/vpn/vpn-servers.ts";
import { type LineTiming, openLineSocket } from "./line-socket.adapter.ts";
import { openVpnDialect } from "./openvpn.adapter.ts";
import { simulatedDialect } from "./simulated.adapter.ts";

export type VpnClient = {
  id: string;
  name: string;
  publicAddress: string | null;
  vpnAddress: string | null;
  /** Milliseconds since 1970 by the server's clock; null means now. */
  since: number | null;
};

type Heard = {
  /** A client asks to connect, and waits for `allow` or `deny` with this ticket. */
  onAsking(name: string, ticket: string): void;
  onList(clients: VpnClient[]): void;
  onCame(client: VpnClient): void;
  onLeft(id: string): void;
  onComplaint(text: string): void;
};

/** A connection in the server's protocol; `hear` throws on a protocol violation. */
type Dialect = {
  maxLine: number;
  begin(): void;
  hear(line: string): void;
  list(): void;
  allow(ticket: string): void;
  deny(ticket: string): void;
  kill(id: string): void;
};
export type CreateDialect = (say: (line: string) => void, heard: Heard) => Dialect;

type VpnEvents = {
  mayConnect(name: string): Promise<boolean>;
  /** Called with all clients after connecting and after every poll. */
  onList(clients: VpnClient[]): void;
  onConnected(client: VpnClient): void;
  onDisconnected(name: string): void;
  onReachable(isReachable: boolean, reason: string): void;
  onComplaint(text: string): void;
};

export type VpnServer = ReturnType<typeof openVpnServer>;

type VpnServerTiming = LineTiming & {
  /** Polling interval. A server that sends nothing during an interval counts as unreachable. */
  listMs: number;
};

export const vpnServerTiming: VpnServerTiming = {
  backOffMs: 1_000,
  maxBackOffMs: 30_000,
  connectMs: 10_000,
  listMs: 30_000,
};

/** Maximum waiting clients. Further ones are refused, as a protection against floods. */
const maxAsking = 1_000;
const maxClients = 100_000;

export function openVpnServer(management: VpnManagement, timing: VpnServerTiming, events: VpnEvents) {
  const { dialect: create, target } = dialectOf(management);
  const clients = createClientList();
  let asking = 0;
  let spokeSinceList = true;
  let said: boolean | null = null;
  let stopped = false;
  let dialect: Dialect | null = null;

  /** Reports changes only, not every attempt. */
  function sayReachable(isReachable: boolean, reason: string) {
    if (stopped || said === isReachable) return;
    said = isReachable;
    events.onReachable(isReachable, reason);
  }
  const heard: Heard = {
    onAsking(name, ticket) {
      const mine = dialect;
      if (asking >= maxAsking) return mine?.deny(ticket);
      asking += 1;
      events
        .mayConnect(name)
        .catch(() => false)
        .then((isAllowed) => {
          asking -= 1;
          // The request came over a connection that has ended, so the VPN server has already refused the client.
          if (mine !== dialect) return;
          if (isAllowed) mine?.allow(ticket);
          else mine?.deny(ticket);
        })
        .catch((error: unknown) => events.onComplaint(String(error)));
    },
    onList(list) {
      clients.clear();
      for (const client of list) clients.add(client);
      sayReachable(true, "");
      events.onList(clients.all());
    },
    onCame(client) {
      clients.add(client);
      events.onConnected(client);
    },
    onLeft(id) {
      const client = clients.remove(id);
      if (client && !clients.hasName(client.name)) events.onDisconnected(client.name);
    },
    onComplaint: events.onComplaint,
  };

  const socket = openLineSocket(target, create(() => undefined, heard).maxLine, timing, {
    onOpen() {
      dialect = create((line) => socket.say(line), heard);
      spokeSinceList = true;
      dialect.begin();
    },
    onLine(line) {
      spokeSinceList = true;
      dialect?.hear(line);
    },
    onClose(reason) {
      dialect = null;
      sayReachable(false, reason);
    },
  });
  const timer = setInterval(() => {
    if (!dialect) return;
    if (!spokeSinceList) return socket.drop("no answer");
    spokeSinceList = false;
    dialect.list();
  }, timing.listMs).unref();

  return {
    isConnected: clients.hasName,
    kill(name: string) {
      for (const id of clients.idsOf(name)) dialect?.kill(id);
    },
    /** Reports nothing more, because another process may have taken over. */
    stop() {
      stopped = true;
      clearInterval(timer);
      socket.stop();
    },
  };
}

function createClientList() {
  const clients = new Map<string, VpnClient>();
  const byName = new Map<string, Set<string>>();

  function add(client: VpnClient) {
    remove(client.id);
    if (clients.size >= maxClients) throw new Error("too many clients");
    clients.set(client.id, client);
    byName.getOrInsertComputed(client.name, () => new Set()).add(client.id);
  }
  function remove(id: string): VpnClient | undefined {
    const client = clients.get(id);
    if (!client) return undefined;
    clients.delete(id);
    const ids = byName.get(client.name);
    ids?.delete(id);
    if (ids?.size === 0) byName.delete(client.name);
    return client;
  }

  return {
    add,
    remove,
    all: () => [...clients.values()],
    hasName: (name: string) => byName.has(name),
    idsOf: (name: string): Iterable<string> => byName.get(name) ?? [],
    clear() {
      clients.clear();
      byName.clear();
    },
  };
}

function dialectOf(management: VpnManagement): {
  dialect: CreateDialect;
  target: Parameters<typeof openLineSocket>[0];
} {
  const { kind, ...target } = management;
  return { dialect: kind === "openvpn" ? openVpnDialect : simulatedDialect, target };
}
