// Live levels for displays and feeds: checked every second, published only while the platform listens
// (docs/device-protocol.md#7-desired-and-reported).
import { upTopic } from "@psp/contract/device/device-topics.ts";
import type { LiveReport } from "@psp/contract/device/live-level.ts";
import type { Published, Sensor } from "../device/sensor-state.ts";
import { isHostAway } from "../records/outbox.ts";

const checkIntervalMs = 1000;
/** Older messages are useless for a display. */
const expiryS = 30;

type LiveReporter<State> = {
  isWanted: boolean;
  /** Initial state before anything was published. */
  initial: State;
  /** Publishes if something changed since `last`; returns the new last state. */
  publish: (last: State) => State;
};

export function reportEverySecond<State>(
  sensor: Sensor,
  running: Published<State> | null,
  { isWanted, initial, publish }: LiveReporter<State>,
): Published<State> | null {
  if (!isWanted) {
    running?.cancel();
    return null;
  }
  if (running) return running;
  // Uses the clock `net`, so that accelerated simulations do not flood the cloud.
  const { net } = sensor.env;
  const check = (): void => {
    live.cancel = net.at(net.now() + checkIntervalMs, check);
    // A platform that was away may have missed messages, so start over.
    live.state = isHeard(sensor) ? publish(live.state) : initial;
  };
  const live: Published<State> = { state: initial, cancel: net.at(net.now() + checkIntervalMs, check) };
  return live;
}

function isHeard({ phase, outbox }: Sensor): boolean {
  return phase === "up" && !isHostAway(outbox);
}

/** Unlike records, lost messages are not resent; the next one replaces them. */
export function publishLive(sensor: Sensor, level: LiveReport): void {
  sensor.link?.publish(upTopic(sensor.id, "live"), JSON.stringify(level), { qos: 0, expiryS });
}
