// GPS position reported by a ZOD.
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { delayOf, positionAt } from "../counting/route.ts";
import { hashText, seededRandom, mixSeeds } from "../random.ts";
import { recordsPosition } from "../section/effects.ts";

const none = { fix: "none", lat: null, lng: null, accuracyM: null, speedMps: null, headingDeg: null, satellites: 0 };
const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

export function gpsFix(sensor: Sensor): SectionValues {
  const at = sensor.env.clock.now();
  const { seed, coach } = sensor.profile;
  const { lat, lng, speedMps, headingDeg, isInTunnel } = coach
    ? positionAt(hashText(coach.vehicle), at + delayOf(hashText(coach.vehicle)))
    : positionAt(seed, at);
  if (isInTunnel || !recordsPosition(sensor)) return none;
  const draw = seededRandom(mixSeeds(seed, Math.floor(at / 5000)));
  return {
    fix: "3d",
    lat: rounded(lat, 6),
    lng: rounded(lng, 6),
    accuracyM: rounded(2.5 + 4 * draw(), 1),
    speedMps: rounded(speedMps, 1),
    headingDeg: Math.round(headingDeg) % 360,
    satellites: 7 + Math.floor(draw() * 6),
  };
}
