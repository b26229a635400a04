// Texts that explain refusals about sensors.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { groupLimits } from "@psp/contract/sensor/sensor.ts";
import { type NamedOwner, ownerReason, createOwnedReasons } from "../owned/owned.reasons.ts";

export const sensorReasons = {
  ...createOwnedReasons("sensor", { one: "sensor", many: "sensors" }),
  /** For 301: the caller may not give sensors to that account. */
  assign: (caller: Actor, owner: NamedOwner) =>
    owner.id === caller.id
      ? { reason: "You can't assign sensors to your own account." }
      : ownerReason(caller, owner, {
          named: (name) => `You can't assign sensors to ${name}.`,
          unnamed: "You can't assign sensors to this account.",
        }),
  /** For 301: the caller may not assign sensors to locations of that account. */
  useLocation: (caller: Actor, owner: NamedOwner) =>
    owner.id === caller.id
      ? { reason: "You can't assign sensors to the locations of your own account." }
      : ownerReason(caller, owner, {
          named: (name) => `The location belongs to ${name}, which you can't use.`,
          unnamed: "The location belongs to an account which you can't use.",
        }),
  /** Only for firmware that the caller sees. */
  otherType: (firmware: { id: string; name: string; type: string }, sensorType: string): RefusalDetails => ({
    reason: `Firmware ${firmware.name} is for ${firmware.type}; this sensor is a ${sensorType}.`,
    object: { type: "artifact", id: firmware.id, name: firmware.name },
  }),
  /** For 105, only if the caller sees the location. */
  unseenPlace: { reason: "The new owner can't view this location." },
  taken: { reason: "This sensor is already registered." },
  noCode: { reason: "You can't enable re-registration: this sensor has no registration code." },
  tooManyGroups: { reason: `A sensor can have at most ${groupLimits.count} groups.` },
  nothingWaits: {
    reason: "No installation is waiting on this sensor. There is none, or it has already started.",
  },
  selectionChanged: (count: number) => ({
    reason: `Selection changed: ${count} sensor${count === 1 ? " now matches" : "s now match"}.`,
  }),
  replacesItself: { reason: "A sensor can't replace itself. Choose another one." },
  alreadyReplaced: { reason: "This sensor has already been replaced." },
  noPlace: { reason: "This sensor has no location that you can view, so it can't be replaced." },
  placedElsewhere: { reason: "The new sensor is at another location. Remove it from there first." },
  /** For 103: the sensor would be handed over to that account. */
  ownerDeleted: { reason: "The account that would get the sensor was deleted." },
  notAccepted: { reason: "Some things are lost in this replacement. Accept them first." },
  changedSinceReplacement: { reason: "One of the sensors was changed in the meantime." },
  passwordMissing: { reason: "Enter a password. None is stored for this sensor." },
};
