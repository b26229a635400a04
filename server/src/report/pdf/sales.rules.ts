// Sales of a report: conversion, revenue per visitor, and a table of locations or groups (docs/rules/sales.md#conversion).
import type { Comparison, DayRange } from "@psp/contract/counts/count-range.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import type { SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import type { Summary } from "../../counts/summary/summary.service.ts";
import {
  comparisonText,
  conversionText,
  count,
  noSalesText,
  perVisitorText,
  pointsText,
  revenueText,
  several,
} from "../run/report-words.rules.ts";
import { type Card, drawCards, toSentence } from "./cards.rules.ts";
import { changeColor, colors, heading, type Page, paragraph } from "./page.rules.ts";
import { groupWords } from "./ranking.rules.ts";
import { type Column, table } from "./table.rules.ts";

const maxRows = 200;

type Row = { name: string; sales: SalesTotal; conversionChange: number | null };

export function drawSales(
  page: Page,
  { sales: all, ranking, groups }: Summary,
  groupBy: Grouping | "none",
  days: DayRange,
  compare: Comparison | null,
): void {
  const section = heading(page, page.root, "Sales");
  if (all === null || all.sales === null) {
    paragraph(page, section, noSalesText);
    return;
  }
  const { sales, conversionChange } = all;
  const cards: Card[] = [
    {
      label: "Conversion",
      value: conversionText(sales.conversion),
      change: conversionChange,
      note: compare === null ? "" : changeNote(conversionChange, days, compare),
    },
    {
      label: "Revenue per visitor",
      value: perVisitorText(sales),
      change: null,
      note: sales.revenue.length > 1 ? "Not available for several currencies" : "",
    },
    { label: "Transactions", value: count.format(sales.transactions), change: null, note: "" },
  ];
  drawCards(page, section, cards);
  paragraph(page, section, `Revenue: ${revenueText(sales)}.`);
  if (sales.comparedDays < sales.days) {
    const known = `${count.format(sales.comparedDays)} of ${several(sales.days, "day", "days")} with sales`;
    paragraph(page, section, `Conversion on ${known}. On the others, the people are unknown.`);
  }
  drawTable(page, section, groupBy === "none" ? ranking : namedGroups(groups, groupBy), groupBy, compare);
}

function changeNote(points: number | null, days: DayRange, compare: Comparison): string {
  if (points === null) return "No comparison: no days known in both periods";
  const against = comparisonText(days, compare).replace(/^from/, "than");
  if (points === 0) return toSentence(`as high as ${against.replace(/^than /, "")}`);
  const size = `${count.format(Math.abs(points))} percentage ${Math.abs(points) === 1 ? "point" : "points"}`;
  return `${size} ${points > 0 ? "more" : "less"} ${against}`;
}

const namedGroups = (groups: Summary["groups"], groupBy: Grouping) =>
  groups.map((group) => ({ ...group, name: group.name ?? groupWords[groupBy].nameless }));

type Sold = { name: string; sales: SalesTotal | null; conversionChange: number | null };

function drawTable(
  page: Page,
  section: Parameters<typeof table>[1],
  sold: readonly Sold[],
  groupBy: Grouping | "none",
  compare: Comparison | null,
): void {
  const rows = sold.flatMap(({ sales, ...row }): Row[] => (sales === null ? [] : [{ ...row, sales }]));
  const right = "right" as const;
  const change: Column<Row> = {
    title: "Change",
    share: 14,
    align: right,
    cell: ({ conversionChange: points }) => pointsCell(points),
  };
  const columns: Column<Row>[] = [
    {
      title: groupBy === "none" ? "Location" : groupWords[groupBy].title,
      share: 34,
      cell: ({ name }) => ({ text: name }),
    },
    {
      title: "Transactions",
      share: 16,
      align: right,
      cell: ({ sales }) => ({ text: count.format(sales.transactions) }),
    },
    { title: "Conversion", share: 14, align: right, cell: ({ sales }) => ({ text: conversionText(sales.conversion) }) },
    ...(compare === null ? [] : [change]),
    { title: "Per visitor", share: 16, align: right, cell: ({ sales }) => ({ text: perVisitorText(sales) }) },
    { title: "Revenue", share: 22, align: right, cell: ({ sales }) => ({ text: revenueText(sales) }) },
  ];
  table(page, section, columns, rows.slice(0, maxRows));
  page.moveTo(page.y + 6);
  const more = rows.length - maxRows;
  if (more > 0) paragraph(page, section, `And ${count.format(more)} more with fewer people.`);
  if (compare !== null)
    paragraph(page, section, "Changes are in percentage points, on days that are known in both periods.", {
      size: 8,
      color: colors.muted,
    });
}

function pointsCell(points: number | null): ReturnType<Column<Row>["cell"]> {
  if (points === null) return { text: "–" };
  const text = pointsText(points);
  return points === 0 ? { text } : { text, color: changeColor(points), arrow: points > 0 ? "up" : "down" };
}
