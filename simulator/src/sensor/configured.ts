// Applies changed sections: count interval, lines and tunnel.
import type { Sensor } from "../device/sensor-state.ts";
import { intervalOf, withLines } from "../section/effects.ts";
import { sendReported } from "./announce.ts";
import { closeInterval } from "./meter.ts";
import { updateTunnel } from "./session.ts";

/** Delay after which the tunnel changes, so that the response can pass through it first. */
const tunnelAfterMs = 1000;

export function applySections(sensor: Sensor): void {
  const { clock, net } = sensor.env;
  const countIntervalS = intervalOf(sensor) ?? sensor.cfg.countIntervalS;
  const profile = withLines(sensor.profile, sensor.sections);
  if (countIntervalS !== sensor.cfg.countIntervalS || profile !== sensor.profile) {
    // Closes the running interval, because it was counted with the old settings.
    if (sensor.running) closeInterval(sensor, clock.now());
    sensor.cfg = { ...sensor.cfg, countIntervalS };
    sensor.profile = profile;
    sensor.wake();
    if (sensor.phase === "up") sendReported(sensor);
  }
  net.at(net.now() + tunnelAfterMs, () => {
    if (!sensor.stopped) updateTunnel(sensor);
  });
}
