// The protocol of the simulated VPN server: JSON lines with the meaning of OpenVPN's.
import { maxVpnLineLength, type VpnCommand, vpnEventSchema } from "@psp/contract/vpn/vpn-simulated.ts";
import type { CreateDialect, VpnClient } from "./vpn-server.adapter.ts";

type Sent = { id: number; name: string; publicAddress: string; vpnAddress: string; since: number };
const toClient = ({ id, ...rest }: Sent): VpnClient => ({ ...rest, id: String(id) });

export const simulatedDialect: CreateDialect = (say, heard) => {
  const order = (one: VpnCommand) => say(JSON.stringify(one));
  return {
    maxLine: maxVpnLineLength,
    begin: () => order({ do: "list" }),
    hear(line) {
      const said = vpnEventSchema.parse(JSON.parse(line));
      if (said.event === "connecting") heard.onAsking(said.name, String(said.id));
      else if (said.event === "connected") heard.onCame(toClient(said));
      else if (said.event === "disconnected") heard.onLeft(String(said.id));
      else heard.onList(said.clients.map(toClient));
    },
    list: () => order({ do: "list" }),
    allow: (ticket) => order({ do: "allow", id: Number(ticket) }),
    deny: (ticket) => order({ do: "deny", id: Number(ticket) }),
    kill: (id) => order({ do: "kill", id: Number(id) }),
  };
};
