// Seeds a rollout: most sensors install at the first start, two take very long, one fails, one is canceled.
import type { Context } from "../context.ts";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Tx } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import { assignFirmware } from "../rollout/rollout.service.ts";

type Account = { id: string; path: string };
type Member = { id: string; type: string; fw: string; faults?: string; rest?: string };

const version = "1.19.0-rc.1";
/** The first sensors of the fleet have other faults (fleet.service.ts). */
const troubled = 26;
/** Outcome of each chosen sensor: a simulator fault, canceled, or an empty string for success. */
const stages = [
  "update-stuck",
  "update-stuck",
  "update-selftest",
  "canceled",
  "update-power",
  "",
  "",
  "",
  "",
  "",
] as const;

/** Assigns the newest APS firmware to some sensors of this account and below. Adds the faults of failing sensors to the fleet. */
export async function seedRollout(ctx: Context, tx: Tx, fleet: Member[], owner: Account): Promise<void> {
  const firmware = await tx
    .selectFrom("firmware")
    .select("id")
    .where("type", "=", "APS")
    .where("name", "=", version)
    .executeTakeFirstOrThrow();
  const sensors = await tx.selectFrom("sensor").select("id").where(isAtOrBelow("owner_path", owner.path)).execute();
  const owned = new Set(sensors.map((sensor) => sensor.id));
  const chosen = fleet
    .slice(troubled)
    .filter(
      (member) => member.type === "APS" && member.rest === undefined && member.fw !== version && owned.has(member.id),
    );
  // Publishes no events, because nothing listens while seeding, and writes no audit log, because no user acts.
  const w: UnitOfWork = { tx, announce: () => undefined, audit: () => undefined };
  for (const [index, stage] of stages.entries()) {
    const member = chosen[index];
    if (!member) return;
    const assignment = { sensorIds: [member.id], by: owner.id };
    await assignFirmware(ctx, w, { ...assignment, firmwareId: firmware.id });
    if (stage === "canceled") await assignFirmware(ctx, w, { ...assignment, firmwareId: null });
    else if (stage !== "") member.faults = stage;
  }
}
