// A count in a list, marked if its zero is suspicious.
import type { LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { StatusDot } from "../ui/feedback/StatusDot.tsx";
import { countsText } from "./counts.text.ts";
import { formatSum } from "./format-counts.ts";

export function PeopleCount({ counts }: { counts: Pick<LocationCounts, "in" | "isUnexpectedZero"> }) {
  return (
    <LiveValue>
      {counts.isUnexpectedZero ? <StatusDot iconOnly tone="warning" label={countsText.unexpectedZero} /> : null}{" "}
      {formatSum(counts.in)}
    </LiveValue>
  );
}
