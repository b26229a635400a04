// Limits concurrent requests or WebSockets per session, and ends them with the session.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { PageSession } from "./page-session.ts";

export type InFlightLimit = ReturnType<typeof createInFlightLimit>;

/** `max`: concurrent requests per session. */
export function createInFlightLimit(max: number) {
  const all = new Map<PageSession, Set<() => void>>();
  return {
    /**
     * Registers a request until `side` closes. `end` is called when the session ends. Returns "over" if the session or connection has
     * already ended.
     */
    join(session: PageSession, side: ServerResponse | Duplex, end: () => void): "joined" | "busy" | "over" {
      if (session.ended.aborted) end();
      if (session.ended.aborted || side.destroyed) return "over";
      const ends = all.getOrInsertComputed(session, () => new Set());
      if (ends.size >= max) return "busy";
      ends.add(end);
      session.ended.addEventListener("abort", end, { once: true });
      side.once("close", () => {
        session.ended.removeEventListener("abort", end);
        ends.delete(end);
        if (ends.size === 0) all.delete(session);
      });
      return "joined";
    },
    endAll() {
      for (const ends of all.values()) for (const end of ends) end();
    },
  };
}
