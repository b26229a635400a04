// Shows a sensor's connection state as a dot with text, and the last contact in a tooltip (SE-12).
import { type Presence } from "@psp/contract/sensor/sensor.ts";
import { connectionState } from "@psp/contract/sensor/presence.ts";
import { useState } from "react";
import { config } from "../api/config.ts";
import { formatExactTime, useNow } from "../ui/time/RelativeTime.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { sensorText } from "./sensor.text.ts";

const tones: Record<ReturnType<typeof connectionState>, StatusTone> = {
  connected: "good",
  notResponding: "warning",
  disconnected: "off",
};

const at = (iso: string, timeZone: string | null) => formatExactTime(Date.parse(iso), timeZone ?? undefined);

/** Text of the tooltip. `timeZone` is the location's zone; null means the browser's. */
export function formatConnection(
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

/** "40 min", "3 h" or "2 d", rounded down. */
export function formatSpan(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}

const quietMs = 15 * 60_000;

/**
 * The state, with the time since the last contact if it exceeds 15 minutes. While a connection is open, the server announces no
 * contacts, so the 15 minutes are measured up to `knownAt`, the time (ms) when the console received `lastContactAt`.
 */
export function formatState(presence: Presence, nowMs: number, timeoutHours: number, knownAt = nowMs): string {
  const state = connectionState(presence, nowMs, timeoutHours);
  if (state === "notResponding") return sensorText.states.notResponding;
  const seen = presence.lastContactAt ?? presence.disconAt;
  if (state === "disconnected")
    return seen === null ? sensorText.neverConnected : sensorText.offlineFor(formatSpan(nowMs - Date.parse(seen)));
  if (presence.lastContactAt === null) return sensorText.states.connected;
  const last = Date.parse(presence.lastContactAt);
  const isQuiet = (presence.isConnected ? knownAt : nowMs) - last > quietMs;
  return isQuiet ? sensorText.connectedAgo(formatSpan(nowMs - last)) : sensorText.states.connected;
}

function useKnownAt(value: string | null, nowMs: number): number {
  const [known, setKnown] = useState({ value, at: nowMs });
  if (known.value === value) return known.at;
  setKnown({ value, at: nowMs });
  return nowMs;
}

type SensorStateProps = { presence: Presence; timeZone: string | null; iconOnly?: boolean };

export function SensorState({ presence, timeZone, iconOnly = false }: SensorStateProps) {
  // Renders periodically, because no live message announces that the timeout has passed.
  const nowMs = useNow();
  const knownAt = useKnownAt(presence.lastContactAt, nowMs);
  const state = connectionState(presence, nowMs, config.connectionTimeoutHours);
  return (
    <StatusDot
      iconOnly={iconOnly}
      tone={tones[state]}
      label={formatState(presence, nowMs, config.connectionTimeoutHours, knownAt)}
      tooltip={() => formatConnection(presence, nowMs, config.connectionTimeoutHours, timeZone)}
    />
  );
}
