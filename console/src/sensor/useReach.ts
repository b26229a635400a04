// Whether a sensor can be reached, consistent with its displayed state (SE-12).
import { connectionState } from "@psp/contract/sensor/presence.ts";
import type { Presence } from "@psp/contract/sensor/sensor.ts";
import { config } from "../config.ts";
import { useNow } from "../ui/time/RelativeTime.tsx";

/** `open`: connected; `quiet`: no connection, but recent contact; `away`: disconnected. */
export type Reach = "open" | "quiet" | "away";

export function useReach(presence: Presence): Reach {
  const nowMs = useNow();
  if (presence.isConnected) return "open";
  return connectionState(presence, nowMs, config.connectionTimeoutHours) === "connected" ? "quiet" : "away";
}
