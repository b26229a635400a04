// A sensor acts by what was set on it: how often it counts, its lines, and whether it holds a tunnel.
import type { Sensor } from "../device/sensor-state.ts";
import { intervalOf, withLines } from "../section/effects.ts";
import { sendReported } from "./announce.ts";
import { closeInterval } from "./meter.ts";
import { followTunnel } from "./session.ts";

/** The answer to what was set goes through the tunnel first. */
const tunnelAfterMs = 1000;

export function actBySections(sensor: Sensor): void {
  const { clock, net } = sensor.around;
  const countIntervalS = intervalOf(sensor) ?? sensor.cfg.countIntervalS;
  const profile = withLines(sensor.profile, sensor.sections);
  if (countIntervalS !== sensor.cfg.countIntervalS || profile !== sensor.profile) {
    // What was counted until now was counted in the old way.
    if (sensor.running) closeInterval(sensor, clock.now());
    sensor.cfg = { ...sensor.cfg, countIntervalS };
    sensor.profile = profile;
    sensor.wake();
    if (sensor.phase === "up") sendReported(sensor);
  }
  net.at(net.now() + tunnelAfterMs, () => {
    if (!sensor.stopped) followTunnel(sensor);
  });
}
