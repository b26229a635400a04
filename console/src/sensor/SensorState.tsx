// A sensor's connection as sign and word, with since when on hover (SE-12, spec 2 §4).
import { connectionState, type Presence } from "@psp/contract/sensor/sensor.ts";
import { useSyncExternalStore } from "react";
import { config } from "../config.ts";
import { exactWords } from "../ui/RelativeTime.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { sensorText } from "./sensor.text.ts";

const tones: Record<ReturnType<typeof connectionState>, StatusTone> = {
  connected: "good",
  notResponding: "warning",
  disconnected: "off",
};
const everyMs = 30_000;

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

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all signs on the screen: the timeout passes without any message. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

type SensorStateProps = { presence: Presence; timeZone: string | null; iconOnly?: boolean };

export function SensorState({ presence, timeZone, iconOnly = false }: SensorStateProps) {
  const nowMs = useSyncExternalStore(subscribe, () => now);
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
