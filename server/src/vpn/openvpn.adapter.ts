// OpenVPN's management interface: client notifications with their environment, responses to them, and the client list.
import { isIP } from "node:net";
import type { CreateDialect, VpnClient } from "./vpn-server.adapter.ts";

/** Characters per line. OpenVPN's own lines are shorter. */
const maxLine = 16 * 1024;
/** Maximum variables in a notification's environment, parts of which come from the client. */
const maxFacts = 1_000;
const maxRows = 100_000;
const maxName = 64;

type Notice = { kind: string; cid: string; kid: string; facts: Map<string, string> };
type List = { columns: Map<string, number> | null; clients: VpnClient[] };

const withFacts = new Set(["CONNECT", "REAUTH", "CR_RESPONSE", "ESTABLISHED", "DISCONNECT"]);

export const openVpnDialect: CreateDialect = (say, heard) => {
  let notice: Notice | null = null;
  let list: List | null = null;
  /** VPN addresses by client id. The server assigns them before it reports the client as connected. */
  const learned = new Map<string, string>();

  function onClient(text: string) {
    const [kind = "", first = "", second = ""] = text.split(",", 3);
    if (kind === "ENV") return onFact(text.slice("ENV,".length));
    if (notice) throw new Error(`the environment of ${notice.kind} breaks off`);
    if (!/^\d{1,10}$/.test(first)) return;
    if (kind === "ADDRESS") {
      if (learned.size < maxRows && addressOf(second) !== null) learned.set(first, second);
    } else if (withFacts.has(kind)) {
      notice = { kind, cid: first, kid: /^\d{1,10}$/.test(second) ? second : "", facts: new Map() };
    }
  }

  function onFact(text: string) {
    if (!notice) return;
    if (text === "END") {
      const done = notice;
      notice = null;
      return onNotice(done);
    }
    const equals = text.indexOf("=");
    if (equals > 0) notice.facts.set(text.slice(0, equals), text.slice(equals + 1));
    if (notice.facts.size > maxFacts) throw new Error("an environment is too large");
  }

  function onNotice({ kind, cid, kid, facts }: Notice) {
    const name = facts.get("common_name") ?? "";
    if (kind === "CONNECT" || kind === "REAUTH") {
      if (kid === "") throw new Error(`${kind} without a key`);
      // A longer name is invalid and becomes empty, and no sensor with an empty name is admitted.
      heard.onAsking(name.length <= maxName ? name : "", `${cid} ${kid}`);
    } else if (kind === "ESTABLISHED") {
      const publicAddress = addressOf(facts.get("trusted_ip") ?? facts.get("trusted_ip6"));
      const given = facts.get("ifconfig_pool_remote_ip") ?? facts.get("ifconfig_pool_remote_ip6") ?? learned.get(cid);
      learned.delete(cid);
      heard.onCame({ id: cid, name: name.slice(0, maxName), publicAddress, vpnAddress: addressOf(given), since: null });
    } else if (kind === "DISCONNECT") {
      learned.delete(cid);
      heard.onLeft(cid);
    }
  }

  function onStatus(cells: string[]) {
    list ??= { columns: null, clients: [] };
    if (cells[0] === "HEADER" && cells[1] === "CLIENT_LIST")
      // The header line has one more leading cell than the rows.
      list.columns = new Map(cells.slice(2).map((word, index) => [word, index + 1]));
    if (cells[0] !== "CLIENT_LIST") return;
    const client = clientIn(cells, list.columns);
    if (client && list.clients.push(client) > maxRows) throw new Error("a list is too long");
  }

  return {
    maxLine,
    begin() {
      say("bytecount 0");
      say("status 3");
    },
    hear(line) {
      if (line.startsWith(">CLIENT:")) return onClient(line.slice(">CLIENT:".length));
      if (line.startsWith(">HOLD:")) {
        say("hold release");
        return say("status 3");
      }
      if (line.startsWith(">FATAL:") || line.startsWith("ERROR:")) return heard.onComplaint(line.slice(0, 200));
      if (/^(TITLE|TIME|HEADER|CLIENT_LIST)\t/.test(line)) onStatus(line.split("\t"));
      else if (line === "END" && list) {
        const { clients } = list;
        list = null;
        heard.onList(clients);
      }
    },
    list: () => say("status 3"),
    allow: (ticket) => say(`client-auth-nt ${ticket}`),
    deny: (ticket) => say(`client-deny ${ticket} "not asked to connect"`),
    // HALT prevents the client from reconnecting at once.
    kill: (id) => say(`client-kill ${id} HALT`),
  };
};

/** Null for a client without VPN address, which is not admitted yet. */
function clientIn(cells: string[], columns: List["columns"]): VpnClient | null {
  if (!columns) throw new Error("a list without its header");
  const cell = (word: string) => cells[columns.get(word) ?? -1] ?? "";
  const [name, id, sinceS] = [cell("Common Name"), cell("Client ID"), Number(cell("Connected Since (time_t)"))];
  const vpnAddress = addressOf(cell("Virtual Address")) ?? addressOf(cell("Virtual IPv6 Address"));
  if (!/^\d{1,10}$/.test(id) || vpnAddress === null) return null;
  const since = Number.isSafeInteger(sinceS) && sinceS > 0 && sinceS < 8.64e12 ? sinceS * 1000 : null;
  return { id, name: name.slice(0, maxName), publicAddress: addressOf(cell("Real Address")), vpnAddress, since };
}

/** The address of `10.0.0.1`, `10.0.0.1:1194`, `udp4:10.0.0.1:1194`, `[fd00::1]:1194`; else null. */
function addressOf(text: string | undefined): string | null {
  if (text === undefined || text.length > 100) return null;
  const bare = text.replace(/^(?:udp|tcp)[46]?:/, "").replace(/^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/, "$1$2");
  return isIP(bare) === 0 ? null : bare;
}
