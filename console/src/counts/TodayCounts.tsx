// Today's total and hours of a sensor or location, with a link to all counts.
import { AppLink } from "../address/navigation.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { SumCard } from "../ui/chart/SumCard.tsx";
import { countsText as text } from "./counts.text.ts";
import { subjectOf, useCounts } from "./counts.queries.ts";
import { toSlots } from "./times.ts";

type TodayCountsProps = {
  /** Prefix of the object's type in datapoint filters. */
  kind: "sens" | "meas";
  id: string;
  timeZone: string | null;
  path: string;
};

const today = { range: "today", open: false } as const;

export function TodayCounts({ kind, id, timeZone, path }: TodayCountsProps) {
  const { data, isError } = useCounts(subjectOf(kind, id), today);
  return (
    <SumCard
      title={text.today}
      note={text.sinceMidnight(timeZone)}
      sums={[
        { label: text.in, value: data?.total.in ?? null },
        { label: text.out, value: data?.total.out ?? null },
      ]}
      chartLabel={text.perHourToday}
      slotName={text.time}
      slots={data === undefined ? [] : toSlots(data, null)}
      loading={data === undefined}
      error={isError && data === undefined ? text.failedText : undefined}
      more={
        <AppLink to={path} query="none" sx={{ ...standaloneLinkStyles, alignSelf: "flex-start" }}>
          {text.allCounts}
        </AppLink>
      }
    />
  );
}
