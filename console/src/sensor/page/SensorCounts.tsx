// Today's people through this sensor: the sum and the hours, kept current while looked at.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { SumCard } from "../../ui/chart/SumCard.tsx";
import { useSensorToday } from "../sensor.queries.ts";
import { sensorText } from "../sensor.text.ts";

export function SensorCounts({ sensor }: { sensor: Sensor }) {
  const { data, isError } = useSensorToday(sensor._id);
  const rows = data ?? [];
  const sum = (side: "in" | "out") => rows.reduce((total, row) => total + row.data[side], 0);
  return (
    <SumCard
      title={sensorText.today}
      note={sensorText.todayNote(sensor.measurement?.location.timezone ?? null)}
      sums={[
        { label: sensorText.in, value: sum("in") },
        { label: sensorText.out, value: sum("out") },
      ]}
      chartLabel={sensorText.perHour}
      slotName={sensorText.hour}
      // An hour of which nothing is known stays empty; zero people is a zero.
      slots={rows.map((row) => ({
        at: row.startUTC,
        label: row.start.slice(11, 16),
        values: row.completeness === 0 && row.data.in + row.data.out === 0 ? [null, null] : [row.data.in, row.data.out],
      }))}
      loading={data === undefined}
      error={isError && data === undefined ? sensorText.countsFailed : undefined}
    />
  );
}
