// Today's people through a sensor, or through all sensors of a location: the sum and the hours, kept current while looked at.
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { SumCard } from "../../ui/chart/SumCard.tsx";

const countsEveryMs = 10_000;

/** Counts by local hour; asked again every 10 s while they are looked at, and when data is announced. */
const useToday = (kind: "sens" | "meas", id: string) =>
  useQuery({
    queryKey: ["datapoint", "today", kind, id],
    queryFn: ({ signal }) =>
      call(aggregateJson, { query: { filter: `${kind}:${id}:counting`, acc: "hour", preset: "today" }, signal }),
    refetchInterval: countsEveryMs,
  });

/** `kind` is the prefix of the object's type in filters of data points. */
export function TodayCounts(props: { kind: "sens" | "meas"; id: string; timeZone: string | null }) {
  const { data, isError } = useToday(props.kind, props.id);
  const rows = data ?? [];
  const sum = (side: "in" | "out") => rows.reduce((total, row) => total + row.data[side], 0);
  return (
    <SumCard
      title="People today"
      note={props.timeZone === null ? "since midnight UTC" : `since midnight, ${props.timeZone}`}
      sums={[
        { label: "In", value: sum("in") },
        { label: "Out", value: sum("out") },
      ]}
      chartLabel="People per hour today"
      slotName="Hour"
      // An hour of which nothing is known stays empty; zero people is a zero.
      slots={rows.map((row) => ({
        at: row.startUTC,
        label: row.start.slice(11, 16),
        values: row.completeness === 0 && row.data.in + row.data.out === 0 ? [null, null] : [row.data.in, row.data.out],
      }))}
      loading={data === undefined}
      error={isError && data === undefined ? "The counts could not be loaded." : undefined}
    />
  );
}
