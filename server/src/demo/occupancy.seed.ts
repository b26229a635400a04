// Seeds the demo's occupancy: a third of the locations have the app's license, one of them has a working display, and two trains
// report how full they are.
import { toMac } from "@psp/contract/kit/mac.ts";
import { occupancyAppTypes, occupancyAppVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";
import { generateClaimingCode } from "../device/credential/credential.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import type { SeededAccount } from "./account.seed.ts";
import type { FleetMember } from "./demo.seed.ts";

/** The location with the display, whose sensors have no faults. A demo with fewer sensors uses its first location. */
const displayed = { number: 27, sensors: 112 };

const app = {
  version: occupancyAppVersion,
  type: occupancyAppTypes[0],
  enabled: true,
  settings: {
    maxObjects: 30,
    resetTime: { interval: "daily", timeOfDay: { hour: 4, minute: 0, second: 0 } },
    frontend: { showNumberOfPeople: true },
  },
};

/** License and apps of the location at this index (`number`), in a demo with this many sensors. */
export function chooseLicenseAndApps(
  number: number,
  sensors: number,
): { license_occupancy: boolean; applications: string } {
  const isDisplayed = number === (sensors >= displayed.sensors ? displayed.number : 0);
  return { license_occupancy: number % 3 === 0, applications: toJsonb(isDisplayed ? [app] : []) };
}

/** Two trains of four coaches, on two lines. */
const trains = [
  { vehicle: "IR-101", line: "S1" },
  { vehicle: "IR-204", line: "S2" },
];
const coachesPerTrain = 4;

/** Adds the trains to a demo whose fleet has at least 48 sensors. */
export async function seedTrains(
  ctx: Context,
  tx: Tx,
  owner: SeededAccount,
  firmware: readonly { id: string; type: string; name: string }[],
): Promise<FleetMember[]> {
  if (ctx.config.demo.sensors < minSensorsForTrains) return [];
  const running = firmware.findLast(({ type }) => type === "ZOD");
  const fleet: FleetMember[] = [];
  for (const { vehicle, line } of trains)
    for (let sequence = 1; sequence <= coachesPerTrain; sequence += 1) {
      const id = toMac(0x001e_c0c0_0001 + fleet.length);
      const password = randomToken();
      const { num } = await tx
        .insertInto("sensor")
        .values({
          id,
          owner_id: owner.id,
          owner_path: owner.path,
          type: "ZOD",
          location_id: null,
          firmware_id: running?.id ?? null,
          claiming_code: generateClaimingCode(),
          groups: [`Line ${line}`],
          license_monitoring: true,
        })
        .returning("num")
        .executeTakeFirstOrThrow();
      const enrolled_at = new Date(ctx.clock.now() - 30 * 86_400_000);
      await tx
        .insertInto("device")
        .values({ sensor_num: num, secret_hash: hashToken(password), enrolled_at })
        .execute();
      const place = { zone: "Europe/Berlin", country: "Germany", kind: "station" as const };
      fleet.push({ id, type: "ZOD", password, fw: running?.name ?? "1.0.0", ...place, coach: { vehicle, sequence } });
    }
  return fleet;
}

const minSensorsForTrains = 48;
