// The capability that puts VPN requests into the desired state and watches the VPN servers (ADR 0026).
import type { Capability } from "../device/capability.ts";
import { findRequests } from "./vpn.store.ts";
import { watchVpnServers } from "./vpn-watch.service.ts";

export const vpn: Capability = {
  name: "vpn",
  async desired(_ctx, w, _base, sensorIds) {
    const asked = new Map((await findRequests(w.tx, sensorIds)).map((row) => [row.num, row.vpn]));
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
