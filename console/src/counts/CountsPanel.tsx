// Counts of a location or sensor in a selectable range (docs/rules/counts.md#counts-page).
import { Box, Button, Card, CardContent, Skeleton, Stack, Typography } from "@mui/material";
import { parseDay, isCompleteEnough, dayCount } from "@psp/contract/counts/count-range.ts";
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import type { ReactNode } from "react";
import { failureText } from "../api/useFailure.ts";
import { CountChart } from "../ui/chart/CountChart.tsx";
import { Figure } from "../ui/chart/Figure.tsx";
import type { Series } from "../ui/chart/slots.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { PrintOnly } from "../ui/PrintOnly.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { subjectOf, useCounts, usePrefetchCounts } from "./counts.queries.ts";
import { countsText as text } from "./counts.text.ts";
import { RangeControls } from "./RangeControls.tsx";
import { CopyLink, CountsDownloads } from "./Exports.tsx";
import { closedSpansOf, formatDateRange, noteSpansOf, toDayRange, todayIn, toSlots, weekendsOf } from "./times.ts";
import { SalesFigures, salesColumns } from "./SalesFigures.tsx";
import { TypicalWeek } from "./TypicalWeek.tsx";
import { type CountsView, type SetView, useCountsView, viewOf } from "./view.ts";
import { formatCompleteness, formatSum } from "./format-counts.ts";

type CountsPanelProps = {
  /** Prefix of the object's type in datapoint filters. */
  kind: "sens" | "meas";
  id: string;
  /** Used in file names. */
  name: string;
  /** Used until the server's response includes the local date. */
  timeZone: string | null;
};

/** Minimum range in days for the typical week: every weekday occurs at least twice. */
const typicalFrom = 14;
const chartHeight = 300;

export function CountsPanel({ kind, id, name, timeZone }: CountsPanelProps) {
  const subject = subjectOf(kind, id);
  const { search, setter } = useCountsView();
  const asked = viewOf(search, todayIn(timeZone));
  const { range, askedBy: by, compare, open } = asked;
  const answer = useCounts(subject, { range: range.text, by, compare, open });
  const { data, isPlaceholderData } = answer;
  const today = parseDay(data?.today ?? "") ?? todayIn(timeZone);
  const view = viewOf(search, today);
  const setView = setter(today);
  const prefetch = usePrefetchCounts(subject);
  return (
    <Stack sx={{ gap: 4, minWidth: 0 }}>
      <PrintOnly>
        {text.report(
          formatDateRange(view.range),
          view.by,
          data === undefined || isPlaceholderData ? null : formatDateRange(toDayRange(data.earlier)),
        )}
      </PrintOnly>
      <div data-screen-only="">
        <RangeControls
          view={view}
          today={today}
          setView={setView}
          hasBuckets
          onNear={(near) => prefetch({ range: near, by, compare, open })}
        />
      </div>
      {data === undefined && answer.isError ? (
        <EmptyState
          kind="error"
          title={text.failed}
          text={failureText(answer.error)}
          action={{ label: text.again, onClick: () => void answer.refetch() }}
        />
      ) : (
        <>
          <Figures data={data} isOpenOnly={open} />
          {data?.sales ? <SalesFigures sales={data.sales} earlier={formatDateRange(toDayRange(data.earlier))} /> : null}
          <Course
            view={view}
            data={data}
            waiting={isPlaceholderData}
            setView={setView}
            actions={
              <>
                <CopyLink />
                <CountsDownloads
                  subject={subject}
                  name={name}
                  range={range.text}
                  isOpenOnly={open}
                  shown={isPlaceholderData ? undefined : data}
                />
              </>
            }
          />
          {dayCount(view.range) < typicalFrom ? null : <TypicalWeek subject={subject} range={range.text} open={open} />}
        </>
      )}
    </Stack>
  );
}

function Figures({ data, isOpenOnly }: { data: Counts | undefined; isOpenOnly: boolean }) {
  const earlier = data === undefined ? "" : formatDateRange(toDayRange(data.earlier));
  const figure = (side: "in" | "out") => {
    const change = data?.change[side] ?? null;
    return (
      <Figure
        label={text[side]}
        value={
          data === undefined ? <Skeleton width={72} /> : <LiveValue large>{formatSum(data.total[side])}</LiveValue>
        }
        change={change === null ? undefined : { percent: change, description: text.comparedWith(earlier) }}
        isMain={side === "in"}
        note={
          <>
            {noteOf(data, side, earlier)}
            {isOpenOnly && data?.outside && data.outside[side] > 0 ? (
              <div>{text.outside(formatSum(data.outside[side]))}</div>
            ) : null}
          </>
        }
      />
    );
  };
  const { completeness = null } = data?.total ?? {};
  return (
    <Box
      sx={{
        order: { xs: -1, sm: 0 },
        display: "grid",
        gridTemplateColumns: { xs: "1fr 1fr", sm: "repeat(3, minmax(0, max-content))" },
        columnGap: { xs: 4, sm: 12 },
        rowGap: 3,
      }}
    >
      {figure("in")}
      {figure("out")}
      <Figure
        label={text.completeness}
        explained={text.completenessExplained}
        value={data === undefined ? <Skeleton width={56} /> : formatCompleteness(completeness)}
        note={completenessNote(data)}
      />
    </Box>
  );
}

const isClosed = ({ rows }: Counts) => rows.length > 0 && rows.every(({ closed }) => closed);

function completenessNote(data: Counts | undefined): string {
  if (data === undefined) return "";
  if (data.total.completeness !== null) return text.completenessNote;
  return isClosed(data) ? text.closed : text.noSensor;
}

function noteOf(data: Counts | undefined, side: "in" | "out", earlier: string): string {
  if (data === undefined) return "";
  if (data.total[side] === null) return isClosed(data) ? text.closed : text.noData;
  if (!isCompleteEnough(data.total)) return text.notComparableNow;
  const comparison = text.comparedWith(earlier, data.earlier.skippedDays);
  return data.change[side] === null ? text.notComparable(earlier) : comparison;
}

const pressedStyles = (isPressed: boolean) => (isPressed ? { bgcolor: "action.selected" } : {});

type CourseProps = {
  view: CountsView;
  data: Counts | undefined;
  waiting: boolean;
  setView: SetView;
  actions: ReactNode;
};

function Course({ view, data, waiting, setView, actions }: CourseProps) {
  const title = formatDateRange(view.range);
  const compare = view.compare;
  const isCompared = compare !== undefined && data !== undefined && data.earlier.rows.length > 0;
  const series: Series[] = [
    { name: text.in },
    { name: text.out, isHidden: !view.out },
    ...(isCompared
      ? [
          { name: text.earlier.in[compare], quiet: true },
          { name: text.earlier.out[compare], quiet: true, isHidden: !view.out },
        ]
      : []),
  ];
  return (
    <Card component="section" aria-label={title} aria-busy={waiting || data === undefined}>
      <CardContent sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
          <Typography variant="h2" sx={{ mr: "auto" }}>
            {title}
          </Typography>
          {actions}
        </Box>
        {data === undefined ? (
          <Skeleton variant="rounded" height={chartHeight + 40} />
        ) : (
          <CountChart
            label={text.peoplePer(data.by, formatDateRange(toDayRange(data)))}
            series={series}
            slots={toSlots(data, isCompared ? data.earlier.rows : null)}
            shades={[
              ...closedSpansOf(data, text.closed).map((span) => ({ ...span, tone: "dark" as const })),
              ...weekendsOf(data, text.weekend).map((span) => ({ ...span, tone: "light" as const })),
            ]}
            marks={noteSpansOf(data, data.notes)}
            columns={salesColumns(data.sales)}
            slotName={text.time}
            height={chartHeight}
            actions={
              <>
                {data.hasOpeningHours ? (
                  <Button
                    size="small"
                    color="inherit"
                    aria-pressed={view.open}
                    onClick={() => setView({ open: !view.open })}
                    sx={pressedStyles(view.open)}
                  >
                    {text.openOnly}
                  </Button>
                ) : null}
                <Button
                  size="small"
                  color="inherit"
                  aria-pressed={view.out}
                  onClick={() => setView({ out: !view.out })}
                  sx={pressedStyles(view.out)}
                >
                  {text.showOut}
                </Button>
              </>
            }
          />
        )}
      </CardContent>
    </Card>
  );
}
