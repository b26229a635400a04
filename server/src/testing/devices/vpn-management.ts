// A fake OpenVPN management interface of version 2.6, whose clients the test controls.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { until } from "./device-world.ts";

type Client = { cid: number; name: string; ip: string; address: string };

export type FakeOpenVpn = Awaited<ReturnType<typeof openFakeOpenVpn>>;

export async function openFakeOpenVpn({ hold = false }: { hold?: boolean } = {}) {
  const heard: string[] = [];
  const clients = new Map<number, Client>();
  const waiting = new Map<number, { client: Client; answer: (word: "let in" | "refused") => void }>();
  let manager: Socket | null = null;
  let last = -1;
  let isHeld = hold;
  let isMute = false;
  const server = createServer((socket) => {
    // One connection at a time, like OpenVPN.
    if (manager) return socket.destroy();
    manager = socket;
    socket.on("error", () => undefined);
    socket.on("close", () => void (manager = null));
    socket.write(">INFO:OpenVPN Management Interface Version 5 -- type 'help' for more info\r\n");
    if (isHeld) socket.write(">HOLD:Waiting for hold release:0\r\n");
    let rest = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onCommand(line);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const say = (...lines: string[]) => manager?.write(lines.map((line) => `${line}\r\n`).join(""));
  const facts = (client: Client, more: Record<string, string> = {}) =>
    Object.entries({
      n_clients: "0",
      IV_VER: "2.6.14",
      UV_NOTE: "common_name=000000000000",
      common_name: client.name,
      ...more,
    })
      .map(([name, value]) => `>CLIENT:ENV,${name}=${value}`)
      .concat(">CLIENT:ENV,END");

  function onCommand(line: string) {
    heard.push(line);
    if (isMute) return;
    const [word, first] = line.split(" ");
    const cid = Number(first);
    if (word === "hold") {
      isHeld = false;
      say("SUCCESS: hold release succeeded");
    } else if (word === "status") {
      if (isHeld) say("ERROR: The 'status' command is not supported by the current daemon mode");
      else say(...status());
    } else if (word === "client-auth-nt" || word === "client-deny") {
      const asking = waiting.get(cid);
      waiting.delete(cid);
      say(`SUCCESS: ${word} command succeeded`);
      if (asking && word === "client-auth-nt") {
        clients.set(cid, asking.client);
        say(`>CLIENT:ADDRESS,${cid},${asking.client.address},1`, `>CLIENT:ESTABLISHED,${cid}`);
        say(...facts(asking.client, { trusted_ip: asking.client.ip, ifconfig_pool_remote_ip: asking.client.address }));
      }
      asking?.answer(word === "client-deny" ? "refused" : "let in");
    } else if (word === "client-kill") {
      if (!clients.has(cid)) return say("ERROR: client-kill command failed");
      say("SUCCESS: client-kill command succeeded");
      leave(cid);
    } else say(`SUCCESS: ${line}`);
  }

  function status(): string[] {
    const header =
      "HEADER\tCLIENT_LIST\tCommon Name\tReal Address\tVirtual Address\tVirtual IPv6 Address\tBytes Received\tBytes Sent\tConnected Since\tConnected Since (time_t)\tUsername\tClient ID\tPeer ID\tData Channel Cipher";
    return [
      "TITLE\tOpenVPN 2.6.14 x86_64-pc-linux-gnu",
      "TIME\t2026-11-25 09:00:00\t1795597200",
      header,
      ...[...clients.values()].map(
        ({ cid, name, ip, address }) =>
          `CLIENT_LIST\t${name}\t${ip}:40000\t${address}\t\t1\t2\t2026-11-25 08:00:00\t1795593600\tUNDEF\t${cid}\t0\tAES-256-GCM`,
      ),
      "CLIENT_LIST\tUNDEF\t192.0.2.9:1\t\t\t0\t0\t2026-11-25 09:00:00\t1795597200\tUNDEF\t999999\t9\t",
      "HEADER\tROUTING_TABLE\tVirtual Address\tCommon Name\tReal Address\tLast Ref\tLast Ref (time_t)",
      "GLOBAL_STATS\tMax bcast/mcast queue length\t0",
      "END",
    ];
  }

  function leave(cid: number) {
    const client = clients.get(cid);
    clients.delete(cid);
    if (client) say(`>CLIENT:DISCONNECT,${cid}`, ...facts(client));
  }

  function newClient(name: string): Client {
    last += 1;
    return { cid: last, name, ip: "198.51.100.7", address: `10.8.0.${2 + (last % 200)}` };
  }

  return {
    port: (server.address() as AddressInfo).port,
    heard,
    say,
    names: () => [...clients.values()].map(({ name }) => name),
    isManaged: () => manager !== null,
    /** Performs a client's handshake; returns the platform's decision. */
    async join(name: string): Promise<"let in" | "refused"> {
      await until("somebody at the management interface", () => manager !== null && heard.includes("status 3"));
      const client = newClient(name);
      const answered = new Promise<"let in" | "refused">((answer) => waiting.set(client.cid, { client, answer }));
      say(`>CLIENT:CONNECT,${client.cid},1`, ...facts(client, { untrusted_ip: client.ip, password: "client-secret" }));
      return answered;
    },
    /** Adds a client that is already connected. */
    plant(name: string): number {
      const client = newClient(name);
      clients.set(client.cid, client);
      return client.cid;
    },
    leave: (name: string) => {
      for (const { cid, name: one } of clients.values()) if (one === name) leave(cid);
    },
    /** Restarts the daemon: its clients are gone without a message. */
    restart() {
      clients.clear();
      manager?.destroy();
    },
    mute: () => void (isMute = true),
    async stop() {
      server.close();
      manager?.destroy();
      if (server.listening) await once(server, "close");
    },
  };
}
