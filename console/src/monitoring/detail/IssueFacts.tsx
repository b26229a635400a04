// Charts of the data that caused an issue, each of them also available as a table.
import { parseDay } from "@psp/contract/counts/count-range.ts";
import type { IssueDetail, IssueFacts as Seen } from "@psp/contract/monitoring/issue.ts";
import type { ReactNode } from "react";
import { formatDateRange } from "../../counts/times.ts";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { formatDuration } from "@psp/contract/kit/format-time.ts";
import { issueDialogText as text } from "../issue.text.ts";
import { DayBars } from "./DayBars.tsx";
import { ChartWithTable } from "./ChartWithTable.tsx";
import { TimeLine } from "./TimeLine.tsx";

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayMs = 86_400_000;
const hourMs = 3_600_000;

const valueWords = (value: number | null) => (value === null ? "–" : number.format(value));

function dayWords(date: string): string {
  const day = parseDay(date);
  return day === null ? date : formatDateRange({ first: day, last: day });
}

function tickWords(date: string): string {
  const day = parseDay(date);
  return day === null ? date : shortDay.format(day * dayMs);
}

type FactsProps = { issue: IssueDetail; timeZone: string | null };

export function IssueFacts({ issue, timeZone }: FactsProps): ReactNode {
  const { facts, data } = issue;
  if (facts.clock) return text.clock(formatDuration(Math.abs(facts.clock.offMs)), facts.clock.offMs > 0);
  if (facts.identity) return text.identity(facts.identity.takeovers, ...facts.identity.addresses);
  if (facts.data) return <Rejected {...facts.data} timeZone={timeZone} />;
  if (facts.plausibility !== undefined) return <Plausibility {...facts.plausibility} />;
  if (facts.uptime !== undefined) return <Uptime {...facts.uptime} />;
  if (facts.events !== undefined)
    return (
      <Events
        {...facts.events}
        label={text.events[data.issueType === "watchdog" ? "watchdog" : "reboot"]}
        until={Date.parse(issue.startUTC)}
        timeZone={timeZone}
      />
    );
  if (facts.since !== undefined && facts.since !== null)
    return (
      <Span
        kind={data.issueType === "osd" ? "osd" : "connection"}
        since={facts.since}
        noted={issue.startUTC}
        code={facts.osd}
        timeZone={timeZone}
      />
    );
  return text.unknown;
}

type RejectedProps = NonNullable<Seen["data"]> & { timeZone: string | null };

function Rejected({ reasons, restartedAt, timeZone }: RejectedProps) {
  return (
    <>
      {reasons.map(({ reason, count }) => (
        <div key={reason}>{text.rejected(reason, count)}</div>
      ))}
      {restartedAt === null ? null : (
        <div>{`${text.restarted}: ${formatExactTime(Date.parse(restartedAt), timeZone ?? undefined)}`}</div>
      )}
    </>
  );
}

function Plausibility({ days, earlier }: NonNullable<Seen["plausibility"]>) {
  const shown = [
    ...earlier.map((day) => ({ ...day, band: null, median: null })),
    ...days.map(({ low, high, median, ...day }) => ({ ...day, band: { low: Math.max(0, low), high }, median })),
  ];
  const isOutside = ({ value, band }: (typeof shown)[number]) =>
    value !== null && band !== null && (value < band.low || value > band.high);
  return (
    <ChartWithTable
      label={text.plausibility}
      legend={[
        { name: text.total, style: "bar" },
        { name: text.outside, style: "highlight" },
        { name: text.usual, style: "band" },
      ]}
      heads={[text.day, text.total, text.usual, text.median]}
      rows={shown.map((day) => [
        dayWords(day.date),
        valueWords(day.value),
        day.band === null ? "" : text.usualRange(number.format(day.band.low), number.format(day.band.high)),
        day.median === null ? "" : number.format(day.median),
      ])}
    >
      <DayBars
        days={shown.map((day) => ({
          key: day.date,
          tick: tickWords(day.date),
          value: day.value,
          words: `${dayWords(day.date)}: ${valueWords(day.value)}`,
          band: day.band,
          isHighlighted: isOutside(day),
        }))}
      />
    </ChartWithTable>
  );
}

function Uptime({ mean, wanted, days }: NonNullable<Seen["uptime"]>) {
  return (
    <ChartWithTable
      label={text.uptime}
      legend={[
        { name: text.hours, style: "bar" },
        { name: text.wanted(number.format(wanted)), style: "line" },
      ]}
      note={text.mean(number.format(mean))}
      heads={[text.day, text.hours]}
      rows={days.map(({ date, value }) => [dayWords(date), valueWords(value)])}
    >
      <DayBars
        // The axis can extend beyond this value, because a day has 25 hours when clocks go back.
        top={24}
        line={wanted}
        days={days.map(({ date, value }) => ({
          key: date,
          tick: tickWords(date),
          value,
          words: `${dayWords(date)}: ${valueWords(value)}`,
          band: null,
          isHighlighted: false,
        }))}
      />
    </ChartWithTable>
  );
}

type EventsProps = NonNullable<Seen["events"]> & { label: string; until: number; timeZone: string | null };

function Events({ at: events, count, threshold, label, until, timeZone }: EventsProps) {
  const words = (ms: number) => formatExactTime(ms, timeZone ?? undefined);
  return (
    <ChartWithTable
      label={label}
      legend={[]}
      note={text.eventsSum(count, threshold)}
      heads={[text.time, text.count]}
      rows={events.map((event) => [words(Date.parse(event.at)), number.format(event.count)])}
    >
      <TimeLine
        from={until - 24 * hourMs}
        to={until}
        timeZone={timeZone}
        points={events.map((event) => ({ at: Date.parse(event.at), size: event.count }))}
      />
    </ChartWithTable>
  );
}

type SpanProps = {
  kind: keyof typeof text.span;
  since: string;
  noted: string;
  code: number | undefined;
  timeZone: string | null;
};

function Span({ kind, since, noted, code, timeZone }: SpanProps) {
  const [from, to] = [Date.parse(since), Date.parse(noted)];
  const words = (ms: number) => formatExactTime(ms, timeZone ?? undefined);
  // Margin, so that the start of the span is not at the edge of the chart.
  const before = Math.max(hourMs, (to - from) / 6);
  return (
    <ChartWithTable
      label={text.span[kind]}
      legend={[]}
      note={`${text.spanBegan[kind]}: ${words(from)}, ${text.spanOf(formatDuration(to - from))}`}
      heads={[text.event, text.time]}
      rows={[
        [text.spanBegan[kind], words(from)],
        [text.spanNoted, words(to)],
        ...(code === undefined ? [] : [[text.code, String(code)]]),
      ]}
    >
      <TimeLine from={from - before} to={Math.max(to, from + 1)} timeZone={timeZone} points={[]} span={from} />
    </ChartWithTable>
  );
}
