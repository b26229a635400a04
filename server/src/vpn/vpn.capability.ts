// VPN: the capability that says in the desired state who is to connect, and that listens to the VPN servers (ADR 0026).
import type { Capability } from "../device/capability.ts";
import { findAsked } from "./vpn.store.ts";
import { watchVpnServers } from "./vpn-watch.service.ts";

export const vpn: Capability = {
  name: "vpn",
  async desired(_ctx, w, _base, sensorIds) {
    const asked = new Map((await findAsked(w.tx, sensorIds)).map((row) => [row.num, row.vpn]));
    return {
      contentOf(sensorNum) {
        const one = asked.get(sensorNum);
        if (one === undefined) return {};
        return { vpn: { connect: true, ...(one.until ? { until: Date.parse(one.until) } : {}) } };
      },
    };
  },
  start: (ctx) => watchVpnServers(ctx),
};
