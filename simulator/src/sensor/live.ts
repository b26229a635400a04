// Live levels for displays and feeds: checked each second, and sent only while the platform listens
// (docs/device-protocol.md#7-desired-and-reported).
import { upTopic } from "@psp/contract/device/device-topics.ts";
import type { LiveLevel } from "@psp/contract/device/live-level.ts";
import type { Live, Sensor } from "../device/sensor-state.ts";
import { isHostAway } from "../records/outbox.ts";

const lookMs = 1000;
/** What is older is of no use to a display. */
const expiryS = 30;

type Speech<Said> = {
  isWanted: boolean;
  /** Stands for what was said last while nothing was. */
  unsaid: Said;
  /** Says what there is to say, given what was said last; returns what was said last by then. */
  say: (last: Said) => Said;
};

/** Starts or stops looking each second at what there is to say, as it is wanted or not. */
export function everySecond<Said>(
  sensor: Sensor,
  running: Live<Said> | null,
  { isWanted, unsaid, say }: Speech<Said>,
): Live<Said> | null {
  if (!isWanted) {
    running?.cancel();
    return null;
  }
  if (running) return running;
  // By the clock of the network: a world that runs faster than real time must not flood the cloud.
  const { net } = sensor.around;
  const look = (): void => {
    live.cancel = net.at(net.now() + lookMs, look);
    // A platform that was away may have missed what was said before: it begins again.
    live.said = isHeard(sensor) ? say(live.said) : unsaid;
  };
  const live: Live<Said> = { said: unsaid, cancel: net.at(net.now() + lookMs, look) };
  return live;
}

function isHeard({ phase, outbox }: Sensor): boolean {
  return phase === "up" && !isHostAway(outbox);
}

/** Lost with the connection, unlike records: the next one says it better. */
export function sayLive(sensor: Sensor, level: LiveLevel): void {
  sensor.link?.publish(upTopic(sensor.id, "live"), JSON.stringify(level), { qos: 0, expiryS });
}
