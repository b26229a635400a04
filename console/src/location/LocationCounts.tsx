// Today's people in this location: the sum over its sensors and the hours, kept current while looked at.
import type { Location } from "@psp/contract/location/location.ts";
import { SumCard } from "../ui/chart/SumCard.tsx";
import { useLocationToday } from "./location.queries.ts";
import { locationText } from "./location.text.ts";

export function LocationCounts({ location }: { location: Location }) {
  const { data, isError } = useLocationToday(location._id);
  const rows = data ?? [];
  const sum = (side: "in" | "out") => rows.reduce((total, row) => total + row.data[side], 0);
  return (
    <SumCard
      title={locationText.today}
      note={locationText.todayNote(location.location.timezone)}
      sums={[
        { label: locationText.in, value: sum("in") },
        { label: locationText.out, value: sum("out") },
      ]}
      chartLabel={locationText.perHour}
      slotName={locationText.hour}
      // An hour of which nothing is known stays empty; zero people is a zero.
      slots={rows.map((row) => ({
        at: row.startUTC,
        label: row.start.slice(11, 16),
        values: row.completeness === 0 && row.data.in + row.data.out === 0 ? [null, null] : [row.data.in, row.data.out],
      }))}
      loading={data === undefined}
      error={isError && data === undefined ? locationText.countsFailed : undefined}
    />
  );
}
