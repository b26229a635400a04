// Dashboard card with people by hour, today and on the same weekday a week and a year ago.
import type { TodayCounts } from "@psp/contract/counts/counts.api.ts";
import type { Comparison } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { Box, Skeleton, Typography } from "@mui/material";
import type { UseQueryResult } from "@tanstack/react-query";
import { AppLink, useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { CallError } from "../../api/call.ts";
import { formatSearch } from "../../address/address.ts";
import { failureText } from "../../api/useFailure.ts";
import { countsText } from "../../counts/counts.text.ts";
import { formatSum } from "../../counts/format-counts.ts";
import { Change } from "../../ui/chart/Change.tsx";
import { CountChart } from "../../ui/chart/CountChart.tsx";
import { Figure } from "../../ui/chart/Figure.tsx";
import type { Series } from "../../ui/chart/slots.ts";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { dashboardText } from "../dashboard.text.ts";
import { visitorsHeight } from "./today-cards.ts";
import { clockOf, formatDay, isKnown, toHourSlots } from "./today-slots.ts";

const { visitors: text } = dashboardText;
const chartHeight = 220;

export function VisitorsToday({ answer }: { answer: UseQueryResult<TodayCounts> }) {
  const { data } = answer;
  return (
    <SectionCard title={text.title} sx={{ minHeight: visitorsHeight }} head={<Head data={data} />}>
      {data === undefined && answer.isError ? (
        <Failure error={answer.error} onAgain={() => void answer.refetch()} />
      ) : data?.date === null ? (
        <Nothing hasLocations={data.locations > 0} />
      ) : (
        <>
          <Figures data={data} />
          {data === undefined ? (
            <Skeleton variant="rounded" height={chartHeight + 40} />
          ) : (
            <CountChart
              label={text.chart}
              series={seriesOf(data)}
              slots={toHourSlots(data)}
              slotName={text.hour}
              height={chartHeight}
            />
          )}
        </>
      )}
    </SectionCard>
  );
}

function Head({ data }: { data: TodayCounts | undefined }) {
  return (
    <div>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "baseline", columnGap: 3 }}>
        <Typography variant="h2" sx={{ mr: "auto" }}>
          {text.title}
        </Typography>
        <OtherRanges compare={data !== undefined && isKnown(data.year) ? "year" : "previous"} />
      </Box>
      <Box sx={{ color: "text.secondary", minHeight: 20 }}>{data === undefined ? null : periodOf(data)}</Box>
    </div>
  );
}

const otherRanges = ["yesterday", "last7days", "lastMonth"] as const;

/** Links to the comparison of locations in other ranges. */
function OtherRanges({ compare }: { compare: Comparison }) {
  return (
    <Box component="nav" aria-label={text.compare} sx={{ display: "flex", flexWrap: "wrap", columnGap: 3 }}>
      <Box component="span" aria-hidden sx={{ color: "text.secondary" }}>
        {text.compare}
      </Box>
      {otherRanges.map((range) => (
        <AppLink
          key={range}
          to={paths.compareCounts + formatSearch({ range, compare })}
          query="none"
          sx={standaloneLinkStyles}
        >
          {countsText.presets[range]}
        </AppLink>
      ))}
    </Box>
  );
}

function periodOf({ date, hours, behind }: TodayCounts): string {
  if (date === null) return "";
  return hours === 0 ? text.tooEarly : text.until(clockOf(hours), behind);
}

function Nothing({ hasLocations }: { hasLocations: boolean }) {
  const go = useGo();
  return (
    <EmptyState
      kind="none"
      title={hasLocations ? text.noSensors : text.noLocations}
      text={hasLocations ? text.noSensorsText : text.noLocationsText}
      action={{ label: text.locations, onClick: () => go(paths.locations, { query: "none" }) }}
    />
  );
}

function Failure({ error, onAgain }: { error: Error; onAgain: () => void }) {
  const isTooMany = error instanceof CallError && error.code === errorCode.invalidArgument;
  return (
    <EmptyState
      kind="error"
      title={text.failed}
      text={isTooMany ? text.tooMany : failureText(error)}
      {...(!isTooMany && { action: { label: text.again, onClick: onAgain } })}
    />
  );
}

const seriesOf = ({ year }: TodayCounts): Series[] => [
  { name: text.today },
  { name: text.week, quiet: true },
  ...(isKnown(year) ? [{ name: text.year, quiet: true }] : []),
];

function Figures({ data }: { data: TodayCounts | undefined }) {
  return (
    <Box
      sx={{
        display: "grid",
        gridTemplateColumns: { xs: "1fr 1fr", sm: "repeat(3, minmax(0, max-content))" },
        columnGap: { xs: 4, sm: 10 },
        rowGap: 3,
        "& > :first-of-type": { gridColumn: { xs: "1 / -1", sm: "auto" } },
      }}
    >
      <Figure
        label={text.in}
        value={data === undefined ? <Skeleton width={96} /> : <LiveValue large>{formatSum(data.in)}</LiveValue>}
        isMain
        note={data === undefined || data.in !== null ? "" : text.noData}
      />
      <ChangeFigure label={text.fromWeek} data={data} side="week" />
      <ChangeFigure label={text.fromYear} data={data} side="year" />
    </Box>
  );
}

type ChangeFigureProps = { label: string; data: TodayCounts | undefined; side: "week" | "year" };

function ChangeFigure({ label, data, side }: ChangeFigureProps) {
  const change = data?.[side].change ?? null;
  return (
    <Figure
      label={label}
      value={data === undefined ? <Skeleton width={72} /> : change === null ? "–" : <Change percent={change} />}
      note={<Box sx={{ minHeight: 32 }}>{data === undefined ? null : <Note data={data} side={side} />}</Box>}
    />
  );
}

function Note({ data, side }: { data: TodayCounts; side: "week" | "year" }) {
  const earlier = data[side];
  const day = formatDay(earlier.date ?? "");
  if (!isKnown(earlier)) return <>{text.noneOn(day)}</>;
  return (
    <>
      <div>{text.peopleOn(formatSum(earlier.in), day)}</div>
      <div>{earlier.comparable === 0 ? text.notComparable : text.comparable(earlier.comparable, data.locations)}</div>
    </>
  );
}
