// Reads the PDF of a report with another library: text, structure for screen readers, language and page numbers.
import type { Comparison } from "@psp/contract/counts/count-range.ts";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { expect, test } from "vitest";
import type { RankedLocation, Summary } from "../../counts/summary/summary.service.ts";
import { gridStep } from "./chart.rules.ts";
import { createReportPdf, type ReportPdf } from "./report-pdf.service.ts";

const days = { first: 20_773, last: 20_779 };

const noSales = { sales: null, conversionChange: null };

function ranked(n: number, name: string): RankedLocation {
  const sum = { in: 12_000 - n, out: 11_000 - n, completeness: 1 };
  return {
    id: String(n),
    name,
    ownerName: "Harbour Stores",
    sum,
    change: { in: n % 2 ? 8 : -3, out: 0 },
    rank: n + 1,
    ...noSales,
  };
}

function reportOf(
  rows: readonly RankedLocation[],
  more: Partial<Summary> = {},
  compare: Comparison | null = "previous",
): ReportPdf {
  const steps = Array.from({ length: 7 }, (_, n) => ({
    first: days.first + n,
    last: days.first + n,
    hour: null,
    in: n === 3 ? null : 900 + n,
    out: 1,
    earlierIn: n === 5 ? null : 800,
  }));
  const summary: Summary = {
    locations: rows.length,
    total: { in: 41_234, out: 40_987, completeness: 0.973 },
    change: { in: 8, out: -3 },
    best: null,
    worst: null,
    blind: [{ id: "02:00:00:00:00:01", location: "Harbour Shop", completeness: 0.31 }],
    ranking: [...rows],
    sales: null,
    groups: [],
    steps,
    pending: [],
    ...more,
  };
  return {
    name: "Numbers for the board",
    account: "Harbour Stores",
    query: {
      filters: {},
      range: "lastWeek",
      by: null,
      open: false,
      compare,
      groupBy: "none",
      content: ["summary", "ranking", "chart", "gaps"],
      formats: ["pdf"],
    },
    zone: "Europe/Berlin",
    data: { days, by: "day", summary },
    createdAt: new Date("2026-11-23T06:00:04Z"),
  };
}

type Node = { role?: string; alt?: string; children?: Node[] };
const flat = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(flat)];

async function read(report: ReportPdf) {
  const file = await createReportPdf(report);
  const pdf = await getDocument({ data: new Uint8Array(file), verbosity: 0 }).promise;
  const pages = [];
  for (let n = 1; n <= pdf.numPages; n += 1) {
    const page = await pdf.getPage(n);
    const { items } = await page.getTextContent();
    const words = items.flatMap((item) => ("str" in item && item.str !== "" ? [item.str] : []));
    const tree = (await page.getStructTree()) as Node | null;
    pages.push({ text: words.join(" ").replaceAll(/\s+/g, " "), nodes: tree ? flat(tree) : [], view: page.view });
  }
  return { pdf, pages, text: pages.map(({ text }) => text).join("\n"), info: await pdf.getMetadata() };
}

// cspell:disable-next-line
const names = ["München Hauptbahnhof", "Αθήνα Σύνταγμα", "Москва Тверская", "Łódź Manufaktura", "Ōsaka Ñandú Ğ"];

test("text of Latin, Greek and Cyrillic names is selectable, and numbers have words", async () => {
  const { text, pages } = await read(reportOf(names.map((name, n) => ranked(n, name))));
  for (const name of names) expect(text).toContain(name);
  for (const part of [
    "Numbers for the board",
    "16 – 22 Nov 2026",
    "41,234",
    "8 % more than the week before",
    "3 % fewer than the week before",
    "97 %",
    "Changes compare with 9 – 15 Nov 2026.",
    "02:00:00:00:00:01",
    "Page 1 of",
  ])
    expect(text).toContain(part);
  expect(pages[0]?.view).toEqual([0, 0, 595.28, 841.89]);
});

test("it is tagged: language, title, headings, a table with headers, and the chart in words", async () => {
  const { pages, info, pdf } = await read(reportOf(names.map((name, n) => ranked(n, name))));
  expect(info.info).toMatchObject({ Title: "Numbers for the board, 16 – 22 Nov 2026", Language: "en" });
  // The library's types say that this is an object.
  const marks = (await pdf.getMarkInfo()) as unknown as Map<string, boolean>;
  expect(marks.get("Marked")).toBe(true);
  const nodes = pages.flatMap((page) => page.nodes);
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  expect([count("H1"), count("H2"), count("Table"), count("Figure")]).toEqual([1, 4, 2, 1]);
  expect(count("TH")).toBe(6 + 3);
  expect(nodes.find(({ role }) => role === "Figure")?.alt).toBe(
    "Bar chart of people in per day, 16 – 22 Nov 2026. Most: Sun 22 Nov with 906. Fewest: Mon 16 Nov with 900. No data for 1 day.",
  );
});

test("long tables repeat their header on every page and name how many rows are left out", async () => {
  const { pages, text } = await read(reportOf(Array.from({ length: 230 }, (_, n) => ranked(n, `Shop ${n}`))));
  expect(pages.length).toBeGreaterThan(4);
  const withRows = pages.filter((page) => / Shop \d/.test(page.text));
  expect(withRows.every((page) => page.text.includes("Change (In)"))).toBe(true);
  expect(text).toContain("Shop 199");
  expect(text).not.toContain("Shop 200 ");
  expect(text).toContain("And 30 more locations with fewer people.");
  expect(pages.every((page, n) => page.text.includes(`Page ${n + 1} of ${pages.length}`))).toBe(true);
});

test("groups have their number of locations, and say how many of them the change considers", async () => {
  const group = (n: number) => ({
    ...ranked(n, n === 0 ? "" : `tag ${n}`),
    name: n === 0 ? null : `tag ${n}`,
    locations: 1200,
    comparable: n % 2 ? 1200 : 1100,
  });
  const report = reportOf([], { groups: Array.from({ length: 203 }, (_, n) => group(n)) });
  report.query.groupBy = "tag";
  const { text } = await read(report);
  expect(text).toContain("1 No tag 1,200 12,000 11,000 −3 % 1,100 of 1,200 locations 100 %");
  expect(text).toContain("2 tag 1 1,200 11,999 10,999 +8 % 100 %");
  expect(text).toContain("And 3 more tags with fewer people.");
  report.query.compare = null;
  const { text: plain } = await read(report);
  expect(plain).toContain("1 No tag 1,200 12,000 11,000 100 %");
  expect(plain).not.toContain("Change");
});

test("a name without spaces is wrapped, and nothing leaves the page", async () => {
  const { pdf } = await read(reportOf([ranked(0, "W".repeat(200)), ranked(1, "A name ".repeat(28))]));
  for (let n = 1; n <= pdf.numPages; n += 1) {
    const { items } = await (await pdf.getPage(n)).getTextContent();
    for (const item of items)
      if ("transform" in item)
        expect(Number(item.transform[4]) + item.width, item.str).toBeLessThanOrEqual(595.28 - 40);
  }
});

test("unknown is a dash, not 0, and missing counts are announced", async () => {
  const unknown = {
    ...ranked(0, "Dark"),
    sum: { in: null, out: null, completeness: 0 },
    rank: null,
    change: { in: null, out: null },
  };
  const nothing = { total: { in: null, out: null, completeness: 0 }, change: { in: null, out: null } };
  const { text } = await read(
    reportOf([unknown], {
      ...nothing,
      pending: [{ id: null, location: "Dark" }],
      steps: reportOf([]).data.summary.steps.map((step) => ({ ...step, in: null })),
    }),
  );
  expect(text).toContain("Not final: 1 connected sensor has not sent all counts yet.");
  expect(text).toContain("– Dark – – – 0 %");
  expect(text).toContain("No comparison: counts are missing");
});

test.each([
  [1, 1],
  [4, 1],
  [5, 2],
  [37, 10],
  [906, 500],
  [12_000, 5000],
])("up to %d the lines are %d apart", (max, step) => {
  expect(gridStep(max)).toBe(step);
});
