// Decides what a replacement takes over from the old sensor, and what is lost (docs/rules/sensors.md#replacing-a-sensor).
import type { Lost, LostKey, TakenOverKey } from "@psp/contract/replacement/replacement.ts";

export type ReplacedSensor = {
  id: string;
  type: string;
  groups: readonly string[];
  monitoring_config: unknown;
  license_monitoring: boolean;
  rest_username: string | null;
  replaced_by: string | null;
};

/** Facts about the pair that are not in the rows. */
export type ReplacementFacts = {
  /** The firmware assigned to the old sensor; `isVisible` is false for one that is deleted or that the caller may not view. */
  firmware: { type: string; isVisible: boolean } | null;
  /** The server knows settings sections of the old sensor. */
  hasSettings: boolean;
  /** The occupancy app of the location names the old sensor. */
  occupancy: { isEditable: boolean } | null;
};

/** These stay on the device. Users expect that of two sensors of one type, so they need not accept it. */
const staysOnDevice = new Set<LostKey>(["license", "settings", "restCredentials"]);

const canCountInside = (type: string) => type === "APS";

export function planReplacement(
  old: ReplacedSensor,
  next: ReplacedSensor,
  { firmware, hasSettings, occupancy }: ReplacementFacts,
): { takenOver: TakenOverKey[]; lost: Lost[] } {
  const isOtherType = next.type !== old.type;
  const takesFirmware = firmware !== null && firmware.isVisible && firmware.type === next.type;
  const takesOccupancy = occupancy !== null && occupancy.isEditable && canCountInside(next.type);
  const reasons: Partial<Record<LostKey, string | false>> = {
    type: isOtherType && `The new sensor is of type ${next.type}, the old one of type ${old.type}.`,
    firmware:
      firmware !== null &&
      !takesFirmware &&
      (firmware.isVisible
        ? `The firmware of the old sensor is for ${firmware.type}. The new sensor keeps its own.`
        : "The firmware of the old sensor has been deleted, or you can't view it. The new sensor keeps its own."),
    license:
      old.license_monitoring &&
      !next.license_monitoring &&
      "The new sensor has no monitoring license, so it won't be monitored.",
    settings: hasSettings && "The settings on the old sensor are not copied. Set up the new sensor on its page.",
    restCredentials:
      old.rest_username !== null &&
      "The REST credentials stay with the old sensor. Enter those of the new one on its page.",
    occupancy:
      occupancy !== null &&
      !takesOccupancy &&
      (occupancy.isEditable
        ? `The occupancy app of the location can't use sensors of type ${next.type}.`
        : "The occupancy app of the location uses the old sensor, and you can't edit the location."),
    replacedBefore:
      next.replaced_by !== null &&
      `${next.id} was itself replaced by another sensor. Use it only if it has been repaired.`,
  };
  const lost = (Object.entries(reasons) as [LostKey, string | false][]).flatMap(([key, reason]) =>
    reason === false ? [] : [{ key, reason, mustAccept: isOtherType || !staysOnDevice.has(key) }],
  );
  const takenOver: TakenOverKey[] = ["location"];
  if (old.groups.length > 0) takenOver.push("groups");
  if (old.monitoring_config !== null) takenOver.push("monitoring");
  if (takesFirmware) takenOver.push("firmware");
  if (takesOccupancy) takenOver.push("occupancy");
  return { takenOver, lost };
}

/** Losses that the caller has not accepted. */
export function findUnaccepted(lost: readonly Lost[], accepted: readonly LostKey[]): Lost[] {
  return lost.filter(({ key, mustAccept }) => mustAccept && !accepted.includes(key));
}
