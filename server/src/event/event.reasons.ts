// Texts that explain refusals about events.
import { maxEventsPerOwner } from "@psp/contract/event/event.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { createOwnedReasons, type NamedOwner, ownerReason } from "../owned/owned.reasons.ts";

export const eventReasons = {
  ...createOwnedReasons("measurement", { one: "event", many: "events" }),
  /** For 302. */
  handOverTo: (caller: Actor, owner: NamedOwner) =>
    ownerReason(caller, owner, {
      named: (name) => `You can't edit the events of ${name}.`,
      unnamed: "You can't edit the events of this account.",
    }),
  tooMany: { reason: `An account can own at most ${maxEventsPerOwner.toLocaleString("en")} events.` },
};
