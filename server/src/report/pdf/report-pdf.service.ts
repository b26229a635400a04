// The PDF of a report: title, summary, chart, ranking and gaps.
import { type Comparison, completenessPercent, type DayRange } from "@psp/contract/counts/count-range.ts";
import { formatLocalTime } from "@psp/contract/kit/format-time.ts";
import type { ReportQuery } from "@psp/contract/report/report.ts";
import type { Summary } from "../../counts/summary/summary.service.ts";
import type { Step } from "../../counts/summary/steps.service.ts";
import type { ReportData } from "../run/report-data.service.ts";
import { comparisonText, count, datesText, earlierDays, several } from "../run/report-words.rules.ts";
import { type Card, drawCards, toSentence } from "./cards.rules.ts";
import { chartHeight, drawChart } from "./chart.rules.ts";
import { a4, colors, contentWidth, createPage, heading, margin, type Page, paragraph } from "./page.rules.ts";
import { drawGroups, drawRanking } from "./ranking.rules.ts";
import { drawSales } from "./sales.rules.ts";
import { altText, stepLabel } from "./step-words.rules.ts";
import { table } from "./table.rules.ts";

export type ReportPdf = {
  name: string;
  account: string;
  query: ReportQuery;
  /** Zone of the schedule; null: that of the first location. */
  zone: string | null;
  data: ReportData;
  createdAt: Date;
};

/** Sensors that the gaps name. */
export const maxGaps = 100;

export async function createReportPdf(report: ReportPdf): Promise<Buffer> {
  const { name, account, query, zone, data, createdAt } = report;
  const { days, summary } = data;
  const dates = datesText(days);
  const page = createPage({
    title: `${name}, ${dates}`,
    subject: `Counts of ${account}`,
    author: account,
    language: "en",
    createdAt,
  });
  drawTitle(page, report, dates);
  const has = (part: ReportQuery["content"][number]) => query.content.includes(part);
  if (has("summary")) drawSummary(page, summary, days, query.compare);
  if (has("sales")) drawSales(page, summary, query.groupBy, days, query.compare);
  if (has("chart")) drawCounts(page, data, query.compare);
  if (has("ranking")) {
    if (query.groupBy === "none") drawRanking(page, summary.ranking, query.compare);
    else drawGroups(page, summary.groups, query.groupBy, query.compare);
  }
  if (has("gaps")) drawGaps(page, summary);
  const created = `Created ${formatLocalTime(createdAt.getTime(), zone ?? "UTC")}`;
  return page.finish((number, pages) => {
    const y = a4.height - 40;
    const style = { size: 7.5, color: colors.muted };
    const half = contentWidth / 2;
    page.text(created, { x: margin.left, y, width: half }, style);
    page.text(`Page ${number} of ${pages}`, { x: margin.left + half, y, width: half }, { ...style, align: "right" });
  });
}

function drawTitle(page: Page, { name, account, query, data }: ReportPdf, dates: string): void {
  const { summary, days } = data;
  const brand = { size: 9, bold: true, color: colors.primary };
  page.artifact(() => {
    page.pdf.rect(0, 0, a4.width, 6).fill(colors.primary);
    page.text("PS.Platform", { x: margin.left, y: 30, width: contentWidth }, brand);
  });
  const title = { size: 22, bold: true };
  const tall = page.height(name, contentWidth, title);
  page.tag(page.root, "H1", () => page.text(name, { x: margin.left, y: margin.top, width: contentWidth }, title));
  page.moveTo(margin.top + tall + 2);
  paragraph(page, page.root, dates, { size: 12.5, color: colors.text });
  const places = `${several(summary.locations, "location", "locations")} of ${account}, each in its own local time${query.open ? ", within opening hours only" : ""}.`;
  const against = query.compare === null ? "" : ` Changes compare with ${datesText(earlierDays(days, query.compare))}.`;
  paragraph(page, page.root, places + against, { size: 9.5, color: colors.muted });
  const missing = summary.pending.length;
  if (missing > 0) {
    const sensors = several(missing, "connected sensor has", "connected sensors have");
    paragraph(page, page.root, `Not final: ${sensors} not sent all counts yet. The numbers may still grow.`, {
      size: 9.5,
      bold: true,
      color: colors.worse,
    });
  }
}

function drawSummary(page: Page, summary: Summary, days: DayRange, compare: Comparison | null): void {
  const section = heading(page, page.root, "Summary");
  const { total, change, best, worst } = summary;
  const against = compare === null ? "" : comparisonText(days, compare).replace(/^from/, "than");
  const changeNote = (value: number | null) =>
    compare === null ? "" : value === null ? "No comparison: counts are missing" : toSentence(wordsOf(value, against));
  const shown = (value: number | null) => (value === null ? "–" : count.format(value));
  const known = total.completeness;
  const cards: Card[] = [
    { label: "People in", value: shown(total.in), change: change.in, note: changeNote(change.in) },
    { label: "People out", value: shown(total.out), change: change.out, note: changeNote(change.out) },
    {
      label: "Completeness",
      value: known === null ? "–" : `${completenessPercent(known)} %`,
      change: null,
      note: known === null ? "No sensor" : known >= 1 ? "Nothing is missing" : "Share of the time with data",
    },
  ];
  drawCards(page, section, cards);
  for (const [label, one] of [
    ["Most people", best],
    ["Fewest people", worst],
  ] as const)
    if (one !== null) {
      const words = one.change === null || compare === null ? "" : `, ${wordsOf(one.change, against)}`;
      paragraph(page, section, `${label}: ${one.name} with ${count.format(one.in)} in${words}.`);
    }
}

/** "15 % more than the week before". */
function wordsOf(change: number, against: string): string {
  if (change === 0) return `as many as ${against.replace(/^than /, "")}`;
  return `${count.format(Math.abs(change))} % ${change > 0 ? "more" : "fewer"} ${against}`;
}

function drawCounts(page: Page, { days, by, summary }: ReportData, compare: Comparison | null): void {
  const { steps } = summary;
  const section = heading(page, page.root, `People in per ${by}`, chartHeight);
  const earlierLabel = compare === null ? null : datesText(earlierDays(days, compare));
  const labelOf = (step: Step) => stepLabel(step, by, days);
  drawChart(page, section, { steps, labelOf, earlierLabel, alt: altText(steps, by, days) });
}

function drawGaps(page: Page, { blind, pending }: Summary): void {
  const section = heading(page, page.root, "Gaps");
  if (blind.length === 0) paragraph(page, section, "All sensors were counting.");
  else {
    paragraph(page, section, "These sensors counted for less than 80 % of the time:");
    table(
      page,
      section,
      [
        { title: "Sensor", share: 25, cell: ({ id }) => ({ text: id }) },
        { title: "Location", share: 55, cell: ({ location }) => ({ text: location }) },
        {
          title: "Complete",
          share: 20,
          align: "right",
          cell: ({ completeness }) => ({ text: `${completenessPercent(completeness)} %` }),
        },
      ],
      blind.slice(0, maxGaps),
    );
    page.moveTo(page.y + 6);
    const more = blind.length - maxGaps;
    if (more > 0) paragraph(page, section, `And ${several(more, "more sensor", "more sensors")}.`);
  }
  const waiting = [...new Set(pending.map(({ id, location }) => (id === null ? location : `${id} at ${location}`)))];
  if (waiting.length > 0)
    paragraph(page, section, `Counts are still missing from: ${waiting.slice(0, maxGaps).join(", ")}.`);
}
