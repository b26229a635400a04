// Whether a sensor can be reached, consistent with its displayed state (SE-12).
import { connectionState } from "@psp/contract/sensor/presence.ts";
import type { Presence } from "@psp/contract/sensor/sensor.ts";
import { config } from "../api/config.ts";
import { useNow } from "../ui/time/RelativeTime.tsx";

/** `recentContact`: no open connection, but shown as connected because of a recent contact. */
export type Reachability = "connected" | "recentContact" | "disconnected";

export function useReachability(presence: Presence): Reachability {
  const nowMs = useNow();
  if (presence.isConnected) return "connected";
  return connectionState(presence, nowMs, config.connectionTimeoutHours) === "connected"
    ? "recentContact"
    : "disconnected";
}
