// The steps of setting up an account: which of them a person may take, how far each is, and where it leads (ADR 0006).
import type { SetUpFacts } from "@psp/contract/set-up/set-up.api.ts";
import { searchText } from "../address/address.ts";
import { paths } from "../address/paths.ts";
import type { Can } from "../session/useCan.ts";
import { setUpText as text } from "./set-up.text.ts";

/** Under the sensors, so that it is asked again when they change; and with every page that shows it. */
export const setUpKey = ["sensor", "total", "set-up"] as const;

export type Step = {
  id: "claim" | "place" | "counts" | "monitoring" | "colleague";
  title: string;
  text: string;
  done: boolean;
  /** Missing while another step comes first. */
  action?: { label: string; to: string };
};

/** Those that the person's rights allow, in the order in which they are taken. */
export function stepsOf(can: Can, facts: SetUpFacts): Step[] {
  const { placedAt, licensedAt } = facts;
  const seesLocations = can.viewType("measurement");
  const all: (Step | false)[] = [
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
    // What the license does not allow is no step of setting up.
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
      action: { label: text.colleague.action, to: paths.newAccount },
    },
  ];
  return all.filter((step) => step !== false);
}

/** A location for the sensor that has none: one that exists, else a first one, to which it comes. */
function placing(can: Can, { hasLocation, unplacedSensor }: SetUpFacts): Step["action"] | null {
  if (hasLocation || !can.createFor("measurement", can.actor))
    return unplacedSensor === null ? null : { label: text.place.choose, to: paths.sensor(unplacedSensor) };
  return { label: text.place.action, to: paths.newLocation + searchText({ sensorID: unplacedSensor }) };
}

const withAction = (action: Step["action"] | null | undefined) => (action ? { action } : {});

/** Is there anything to set up for this person? To look at counts alone is no setting up. */
export const isWorthShowing = (steps: readonly Step[]) =>
  steps.some(({ id }) => id !== "counts") && steps.some(({ done }) => !done);
