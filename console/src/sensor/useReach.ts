// Whether a sensor can be asked now, by the rule that its state is shown by: no page says "offline" beside "Connected" (SE-12).
import { connectionState } from "@psp/contract/sensor/presence.ts";
import type { Presence } from "@psp/contract/sensor/sensor.ts";
import { config } from "../config.ts";
import { useNow } from "../ui/time/RelativeTime.tsx";

/** `open`: over its connection; `quiet`: it has none, and counts as connected by its last contact; `away`: it is disconnected. */
export type Reach = "open" | "quiet" | "away";

export function useReach(presence: Presence): Reach {
  const nowMs = useNow();
  if (presence.isConnected) return "open";
  return connectionState(presence, nowMs, config.connectionTimeoutHours) === "connected" ? "quiet" : "away";
}
