// A sensor's connection as sign and word, with since when on hover (SE-12, spec 2 §4).
import { connectionState, type Presence } from "@psp/contract/sensor/sensor.ts";
import { config } from "../config.ts";
import { exactWords, useNow } from "../ui/RelativeTime.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { sensorText } from "./sensor.text.ts";

const tones: Record<ReturnType<typeof connectionState>, StatusTone> = {
  connected: "good",
  notResponding: "warning",
  disconnected: "off",
};

const at = (iso: string, timeZone: string | null) => exactWords(Date.parse(iso), timeZone ?? undefined);

/** The tooltip's words; times in the location's zone where it is known. */
export function connectionWords(
  presence: Presence,
  nowMs: number,
  timeoutHours: number,
  timeZone: string | null,
): string {
  const state = connectionState(presence, nowMs, timeoutHours);
  const { isConnected, conAt, disconAt, lastContactAt } = presence;
  if (state === "notResponding") return sensorText.notResponding;
  if (state === "connected") {
    if (isConnected)
      return conAt === null ? sensorText.states.connected : `${sensorText.connectedSince} ${at(conAt, timeZone)}`;
    return lastContactAt === null
      ? sensorText.states.connected
      : `${sensorText.lastContact} ${at(lastContactAt, timeZone)}`;
  }
  const seen = lastContactAt ?? disconAt;
  return seen === null ? sensorText.states.disconnected : `${sensorText.lastSeen} ${at(seen, timeZone)}`;
}

type SensorStateProps = { presence: Presence; timeZone: string | null; iconOnly?: boolean };

export function SensorState({ presence, timeZone, iconOnly = false }: SensorStateProps) {
  // The timeout passes without any message.
  const nowMs = useNow();
  const state = connectionState(presence, nowMs, config.connectionTimeoutHours);
  return (
    <StatusDot
      iconOnly={iconOnly}
      tone={tones[state]}
      label={sensorText.states[state]}
      tooltip={() => connectionWords(presence, nowMs, config.connectionTimeoutHours, timeZone)}
    />
  );
}
