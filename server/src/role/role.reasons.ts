// Texts that explain refusals about roles.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { nameOfRight } from "@psp/contract/permission/right-names.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { type NamedOwner, reasonsOfOwned } from "../owned/owned.reasons.ts";

export const roleReasons = {
  ...reasonsOfOwned("role", { one: "role", many: "roles" }),
  own: { reason: "This is your own role." },
  rootKeepsRole: { reason: "The root account keeps its role." },
  /** For 300 and 308: the first scope beyond the caller's own. */
  tooPowerful: (scope: string) => ({ scope, reason: `${nameOfRight(scope)} goes further than in your own role.` }),
  /** For 300; null is an account that does not exist yet. */
  assign: (caller: Actor, receiver: NamedOwner | null): RefusalDetails =>
    receiver === null
      ? { reason: "You can't assign roles to accounts below your own." }
      : { reason: `You can't assign roles to ${receiver.id === caller.id ? "your own account" : receiver.name}.` },
  /** For 109; the caller may create or keep roles for the owner. */
  nameTaken: { reason: "Its owner has a role of this name already." },
};
