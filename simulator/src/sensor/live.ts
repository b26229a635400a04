// Live levels for displays and feeds: checked every second, published only while the platform listens
// (docs/device-protocol.md#7-desired-and-reported).
import { upTopic } from "@psp/contract/device/device-topics.ts";
import type { LiveLevel } from "@psp/contract/device/live-level.ts";
import type { Live, Sensor } from "../device/sensor-state.ts";
import { isHostAway } from "../records/outbox.ts";

const lookMs = 1000;
/** Older messages are useless for a display. */
const expiryS = 30;

type Speech<Said> = {
  isWanted: boolean;
  /** Initial state before anything was published. */
  unsaid: Said;
  /** Publishes if something changed since `last`; returns the new last state. */
  say: (last: Said) => Said;
};

/** Starts or stops the check depending on `isWanted`. */
export function reportEverySecond<Said>(
  sensor: Sensor,
  running: Live<Said> | null,
  { isWanted, unsaid, say }: Speech<Said>,
): Live<Said> | null {
  if (!isWanted) {
    running?.cancel();
    return null;
  }
  if (running) return running;
  // By network time: accelerated simulations must not flood the cloud.
  const { net } = sensor.around;
  const look = (): void => {
    live.cancel = net.at(net.now() + lookMs, look);
    // A platform that was away may have missed messages, so start over.
    live.said = isHeard(sensor) ? say(live.said) : unsaid;
  };
  const live: Live<Said> = { said: unsaid, cancel: net.at(net.now() + lookMs, look) };
  return live;
}

function isHeard({ phase, outbox }: Sensor): boolean {
  return phase === "up" && !isHostAway(outbox);
}

/** Unlike records, lost messages are not resent; the next one replaces them. */
export function publishLive(sensor: Sensor, level: LiveLevel): void {
  sensor.link?.publish(upTopic(sensor.id, "live"), JSON.stringify(level), { qos: 0, expiryS });
}
