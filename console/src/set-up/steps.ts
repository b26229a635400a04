// Determines the set-up steps of an account from its rights and progress (ADR 0006).
import type { SetUpFacts } from "@psp/contract/set-up/set-up.api.ts";
import { formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";
import type { Can } from "../api/session/useCan.ts";
import { setUpText as text } from "./set-up.text.ts";

/** Starts with "sensor", so that sensor changes refetch it. */
export const setUpKey = ["sensor", "total", "set-up"] as const;

export type SetUpStep = {
  id: "claim" | "place" | "counts" | "monitoring" | "colleague";
  title: string;
  text: string;
  done: boolean;
  /** Missing while an earlier step is open. */
  action?: { label: string; to: string };
};

/** Steps that the user's rights allow, in order. */
export function stepsOf(can: Can, facts: SetUpFacts): SetUpStep[] {
  const { placedAt, licensedAt } = facts;
  const seesLocations = can.viewType("measurement");
  const all: (SetUpStep | false)[] = [
    can.claim() && {
      id: "claim",
      ...text.claim,
      done: facts.hasSensor,
      action: { label: text.claim.action, to: `${paths.registerSensors}?fromPSControl=true` },
    },
    seesLocations &&
      (can.createFor("measurement", can.actor) || can.edit("sensor", can.actor)) && {
        id: "place",
        title: text.place.title,
        text: text.place.text,
        done: placedAt !== null,
        ...withAction(placing(can, facts)),
      },
    seesLocations && {
      id: "counts",
      title: text.counts.title,
      text: text.counts.text,
      done: facts.hasCounts,
      ...withAction(placedAt === null ? null : { label: text.counts.action, to: paths.locationCounts(placedAt) }),
    },
    licensedAt !== null &&
      seesLocations &&
      can.edit("measurement", can.actor) && {
        id: "monitoring",
        ...text.monitoring,
        done: facts.isMonitored,
        action: { label: text.monitoring.action, to: paths.locationTab(licensedAt, "monitoring") },
      },
    can.createAccount() && {
      id: "colleague",
      ...text.colleague,
      done: facts.hasColleague,
      action: can.invite()
        ? { label: text.colleague.action, to: paths.inviteColleague }
        : { label: text.colleague.create, to: paths.newAccount },
    },
  ];
  return all.filter((step) => step !== false);
}

/** Action for the unassigned sensor: choose an existing location for it, or create one. */
function placing(can: Can, { hasLocation, unplacedSensor }: SetUpFacts): SetUpStep["action"] | null {
  if (hasLocation || !can.createFor("measurement", can.actor))
    return unplacedSensor === null ? null : { label: text.place.choose, to: paths.sensor(unplacedSensor) };
  return { label: text.place.action, to: paths.newLocation + formatSearch({ sensorID: unplacedSensor }) };
}

const withAction = (action: SetUpStep["action"] | null | undefined) => (action ? { action } : {});

/** False if viewing counts is the only step, because that needs no set-up, or if all steps are done. */
export const isWorthShowing = (steps: readonly SetUpStep[]) =>
  steps.some(({ id }) => id !== "counts") && steps.some(({ done }) => !done);
