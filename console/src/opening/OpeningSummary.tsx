// Opening hours in words.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { useRegionName } from "./opening.queries.ts";
import { describeHours } from "./opening.words.ts";

export function OpeningSummary({ hours }: { hours: OpeningHours }) {
  return <span>{describeHours(hours, useRegionName(hours.holidays))}</span>;
}
