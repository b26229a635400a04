// Why something about locations was refused, in plain words.
import type { Actor } from "@psp/contract/permission/can.ts";
import { type NamedOwner, ownerReason, reasonsOfOwned } from "../owned/owned.reasons.ts";

export const locationReasons = {
  ...reasonsOfOwned("measurement", { one: "location", many: "locations" }),
  /** For 301: sensors may not be put at locations of that account. */
  use: (caller: Actor, owner: NamedOwner) =>
    owner.id === caller.id
      ? { reason: "You can't assign sensors to the locations of your own account." }
      : ownerReason(caller, owner, {
          named: (name) => `The location belongs to ${name}, which you can't use.`,
          unnamed: "The location belongs to an account which you can't use.",
        }),
  onlyOperator: { reason: "Only the operator grants licenses." },
};
