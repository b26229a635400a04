// Builds the mails of reports; unknown values are not shown as zero.
import { type Comparison, completenessPercent, dateOfDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { ReportQuery } from "@psp/contract/report/report.ts";
import type { Summary } from "../../counts/summary/summary.service.ts";
import { renderMail, type MailBody } from "../../mail/layout.ts";
import type { ReportData } from "./report-data.service.ts";
import {
  changeText,
  comparisonText,
  conversionText,
  count,
  datesText,
  noSalesText,
  perVisitorText,
  pointsText,
  revenueText,
  several,
} from "./report-words.rules.ts";

type ReportMail = {
  name: string;
  account: string;
  query: ReportQuery;
  data: ReportData;
  publicUrl: string;
  unsubscribeUrl: string;
  isWeekly: boolean;
};

const maxNamed = 10;

const figure = (label: string, value: number | null, change: number | null, against: string) =>
  `${label}: ${value === null ? "–" : count.format(value)}${change === null ? "" : ` (${changeText(change)} ${against})`}`;

/** The comparison page with the range and filters of the report. Long lists of ids are left out. */
function comparisonLink(publicUrl: string, days: DayRange, { filters, compare, groupBy, open }: ReportQuery): string {
  const more = new URLSearchParams();
  for (const name of ["ids", "tag", "tagAny", "ownerID", "country"] as const) {
    const values = filters[name] ?? [];
    if (values.length <= maxNamed) for (const value of values) more.append(name, value);
  }
  if (filters.name) more.append("name", filters.name);
  if (groupBy !== "none") more.append("groupBy", groupBy);
  if (compare === "year") more.append("compare", compare);
  if (filters.occupancy !== undefined) more.append("occupancy", String(filters.occupancy));
  // The page counts only people within opening hours unless that is switched off.
  if (!open) more.append("open", "off");
  const text = more.toString();
  return `${publicUrl}/location/counts?range=${dateOfDay(days.first)},${dateOfDay(days.last)}${text === "" ? "" : `&${text}`}`;
}

export function reportMail(report: ReportMail): MailBody {
  const { name, account, query, data, publicUrl, unsubscribeUrl, isWeekly } = report;
  const { days, summary } = data;
  const dates = datesText(days);
  const files =
    query.formats.length === 0 ? [] : [query.formats.length === 1 ? "A file is attached." : "Files are attached."];
  return renderMail({
    subject: `${name} ${dates}`,
    paragraphs: [
      `Counts of ${several(summary.locations, "location", "locations")} of "${account}"${query.range === "lastWeek" ? " from Monday to Sunday" : ""}, ${dates}${query.open ? ", within opening hours only" : ""}.`,
      ...files,
      ...(query.content.includes("summary") ? summaryText(summary, days, query.compare) : []),
      ...(query.content.includes("sales") ? salesText(summary, days, query.compare) : []),
      ...(query.content.includes("gaps") ? blindText(summary.blind, query.range === "lastWeek") : []),
      ...pendingText(summary.pending.length),
    ],
    action: { label: "Compare locations", link: comparisonLink(publicUrl, days, query) },
    note: isWeekly
      ? "You get this email because the weekly report is turned on for your login. You can turn it off in My account."
      : `You get this email because "${account}" sends the report "${name}" to you.`,
    noteAction: { label: "Unsubscribe", link: unsubscribeUrl },
  });
}

function summaryText(summary: Summary, days: DayRange, compare: Comparison | null): string[] {
  const { total, change, best, worst } = summary;
  const against = compare === null ? "" : comparisonText(days, compare);
  return [
    figure("In", total.in, change.in, against),
    figure("Out", total.out, change.out, against),
    ...(total.completeness === null ? [] : [`Completeness: ${completenessPercent(total.completeness)} %`]),
    ...(total.in === null ? ["No data yet."] : []),
    ...(best === null ? [] : [figure(`Best location: ${best.name}, In`, best.in, best.change, against)]),
    ...(worst === null ? [] : [figure(`Worst location: ${worst.name}, In`, worst.in, worst.change, against)]),
  ];
}

function salesText({ sales: all }: Summary, days: DayRange, compare: Comparison | null): string[] {
  if (all === null || all.sales === null) return [noSalesText];
  const { sales, conversionChange: points } = all;
  const change = points === null || compare === null ? "" : ` (${pointsText(points)} ${comparisonText(days, compare)})`;
  return [
    `Conversion: ${conversionText(sales.conversion)}${change}`,
    `Revenue per visitor: ${perVisitorText(sales)}`,
    `Transactions: ${count.format(sales.transactions)}`,
    `Revenue: ${revenueText(sales)}`,
  ];
}

function blindText(blind: Summary["blind"], isWeek: boolean): string[] {
  if (blind.length === 0) return ["All sensors were counting."];
  const named = blind.slice(0, maxNamed).map(({ id, location, completeness }) => {
    const known = completeness === 0 ? "no data" : `${completenessPercent(completeness)} % complete`;
    return `${id} at ${location}: ${known}`;
  });
  const more = blind.length - named.length;
  return [
    `${several(blind.length, "sensor", "sensors")} did not count for more than a fifth of the ${isWeek ? "week" : "time"}:`,
    ...named,
    ...(more > 0 ? [`and ${count.format(more)} more`] : []),
  ];
}

const pendingText = (pending: number): string[] =>
  pending === 0
    ? []
    : [
        `${several(pending, "connected sensor has", "connected sensors have")} not sent all counts yet. The numbers may still grow.`,
      ];

export function stoppedMail({ name, reason, link }: { name: string; reason: string; link: string }): MailBody {
  return renderMail({
    subject: `The report "${name}" has stopped`,
    paragraphs: [`The report "${name}" is no longer sent.`, reason],
    action: { label: "Open the report", link },
    note: "You get this email because your account owns the report.",
  });
}

/** Replaces characters that file systems refuse. */
export function fileNameOf(name: string, { first, last }: DayRange, ending: string): string {
  const dates = first === last ? dateOfDay(first) : `${dateOfDay(first)}_${dateOfDay(last)}`;
  return `${name.replaceAll(/[\\/:*?"<>|\p{C}]/gu, "-")}_${dates}.${ending}`;
}
