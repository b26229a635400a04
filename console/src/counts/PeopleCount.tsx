// A number of people in a list, with a sign where its zero is not to be trusted.
import type { LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { Live } from "../ui/feedback/Live.tsx";
import { StatusDot } from "../ui/feedback/StatusDot.tsx";
import { countsText } from "./counts.text.ts";
import { sumWords } from "./words.ts";

/** People in at one of several locations. */
export function PeopleIn({ counts }: { counts: Pick<LocationCounts, "in" | "isUnexpectedZero"> }) {
  return (
    <Live>
      {counts.isUnexpectedZero ? <StatusDot iconOnly tone="warning" label={countsText.unexpectedZero} /> : null}{" "}
      {sumWords(counts.in)}
    </Live>
  );
}
