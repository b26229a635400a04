// The ranking of a report: locations, or groups of them, with sums, changes and completeness.
import { type Comparison, completenessPercent } from "@psp/contract/counts/count-range.ts";
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import type { RankedGroup } from "../../counts/summary/groups.service.ts";
import type { RankedLocation } from "../../counts/summary/summary.service.ts";
import { skipReasons } from "../report.reasons.ts";
import { changeText, count, several } from "../run/report-words.rules.ts";
import { changeColor, colors, heading, type Page, paragraph, type Tag } from "./page.rules.ts";
import { type Column, table } from "./table.rules.ts";

const maxRanked = 200;

export const groupWords: Record<Grouping, { title: string; nameless: string; more: [string, string] }> = {
  tag: { title: "Tag", nameless: "No tag", more: ["more tag", "more tags"] },
  owner: { title: "Owner", nameless: "No owner", more: ["more owner", "more owners"] },
  country: { title: "Country", nameless: "No country", more: ["more country", "more countries"] },
};

type Cell = ReturnType<Column<unknown>["cell"]>;
type Ranked = { rank: number | null; sum: CountSum };
/** The columns between the rank and the sums, and the cell of the change. */
type Columns<Row> = { lead: Column<Row>[]; changeOf: (row: Row) => Cell };

const right = "right" as const;
const shown = (value: number | null) => ({ text: value === null ? "–" : count.format(value) });

export function drawRanking(page: Page, ranking: readonly RankedLocation[], compare: Comparison | null): void {
  const section = heading(page, page.root, "Locations");
  if (ranking.length === 0) return drawNothing(page, section);
  const owners = new Set(ranking.map(({ ownerName }) => ownerName));
  const location: Column<RankedLocation> = {
    title: "Location",
    share: 46,
    cell: ({ name, ownerName }) => ({ text: name, ...(owners.size > 1 ? { note: ownerName } : {}) }),
  };
  drawRows(page, section, ranking, compare, { lead: [location], changeOf: ({ change }) => changeCell(change.in) });
  const more = ranking.length - maxRanked;
  if (more > 0) paragraph(page, section, `And ${several(more, "more location", "more locations")} with fewer people.`);
  if (ranking.some(({ rank }) => rank === null))
    drawNote(page, section, "Locations with data for less than 80 % of the time have no rank and no change.");
}

export function drawGroups(
  page: Page,
  groups: readonly RankedGroup[],
  groupBy: Grouping,
  compare: Comparison | null,
): void {
  const { title, nameless, more: moreWords } = groupWords[groupBy];
  const section = heading(page, page.root, `Locations by ${groupBy}`);
  if (groups.length === 0) return drawNothing(page, section);
  const lead: Column<RankedGroup>[] = [
    { title, share: 34, cell: ({ name }) => ({ text: name ?? nameless }) },
    { title: "Locations", share: 16, align: right, cell: ({ locations }) => ({ text: count.format(locations) }) },
  ];
  drawRows(page, section, groups, compare, { lead, changeOf: groupChange });
  const more = groups.length - maxRanked;
  if (more > 0) paragraph(page, section, `And ${several(more, ...moreWords)} with fewer people.`);
  if (groupBy === "tag") drawNote(page, section, "A location with several tags counts for each of them.");
  if (compare !== null)
    drawNote(page, section, "Changes include only locations with data for at least 80 % of the time in both periods.");
  if (groups.some(({ rank }) => rank === null))
    drawNote(page, section, "Groups with data for less than 80 % of the time have no rank.");
}

/** Rank, lead, In, Out, change and completeness. */
function drawRows<Row extends Ranked>(
  page: Page,
  section: Tag,
  rows: readonly Row[],
  compare: Comparison | null,
  { lead, changeOf }: Columns<Row>,
): void {
  const change: Column<Row> = { title: "Change (In)", share: 17, align: right, cell: changeOf };
  const columns: Column<Row>[] = [
    { title: "Rank", share: 8, align: right, cell: ({ rank }) => ({ text: rank === null ? "–" : String(rank) }) },
    ...lead,
    { title: "In", share: 14, align: right, cell: ({ sum }) => shown(sum.in) },
    { title: "Out", share: 14, align: right, cell: ({ sum }) => shown(sum.out) },
    ...(compare === null ? [] : [change]),
    {
      title: "Complete",
      share: 14,
      align: right,
      cell: ({ sum: { completeness } }) => ({
        text: completeness === null ? "–" : `${completenessPercent(completeness)} %`,
      }),
    },
  ];
  table(page, section, columns, rows.slice(0, maxRanked));
  page.moveTo(page.y + 6);
}

const drawNothing = (page: Page, section: Tag) => paragraph(page, section, skipReasons.noLocation);

const drawNote = (page: Page, section: Tag, text: string) =>
  paragraph(page, section, text, { size: 8, color: colors.muted });

function changeCell(change: number | null): Cell {
  if (change === null) return { text: "–" };
  const text = changeText(change);
  return change === 0 ? { text } : { text, color: changeColor(change), arrow: change > 0 ? "up" : "down" };
}

/** Says how many locations of the group the change considers, unless it considers all. */
function groupChange({ change, comparable, locations }: RankedGroup): Cell {
  const cell = changeCell(change.in);
  if (change.in === null || comparable === locations) return cell;
  return { ...cell, note: `${count.format(comparable)} of ${several(locations, "location", "locations")}` };
}
