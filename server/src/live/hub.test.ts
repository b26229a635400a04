// The hub by itself: what it owes somebody who comes back, whatever happens in the same moment.
import { pino } from "pino";
import { expect, test } from "vitest";
import { createBus } from "../kit/bus.ts";
import { createClock } from "../kit/clock.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createHub, type LiveClient } from "./hub.ts";

test("LI-01 anyone who comes back just as events were lost reloads, and is not informed that nothing happened", async () => {
  const log = pino({ level: "silent" });
  const bus = createBus(log);
  const actor = { id: "reader" } as SessionActor;
  const sessions = { byId: () => Promise.resolve(actor) };
  const ctx = { bus, log, clock: createClock(), metrics: createMetrics() } as Context;
  const noOwners = () => Promise.resolve({ locations: new Map(), sensors: new Map() });
  const hub = createHub(ctx, sessions, () => Promise.resolve(new Map()), noOwners);
  const change = () =>
    bus.emit({
      name: "entityChanged",
      event: { type: "sensor", op: "update", id: "one", ownerBefore: "owner", ownerAfter: "owner" },
    });
  const enter = (since: string | null) => {
    const frames: { type: string; cursor: string }[] = [];
    const client: LiveClient = {
      sessionId: "s",
      actor,
      watch: null,
      sent: 0,
      send: (frame) => frames.push(JSON.parse(frame) as (typeof frames)[0]) > 0,
      close: () => undefined,
    };
    hub.join(client, since);
    return frames;
  };
  change();
  const [hello] = enter(null);
  change();
  const back = enter(hello?.cursor ?? "");
  await hub.missed();
  await hub.stop();
  expect(back.map(({ type }) => type)).toEqual(["resync"]);
});
