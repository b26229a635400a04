// Opens a downloaded workbook in LibreOffice: dates are dates, numbers are numbers, and sums equal the page.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countRecord, createSite, type Site } from "../../datapoint/site.testing.ts";
import { putSales } from "../../sales/sales.service.ts";

let site: Site;
let id: string;
let folder: string;
const zone = zoneOf("Europe/Berlin");
const day = (date: string) => zone.dayStart(Date.parse(date) / 86_400_000);
/** With the night in which clocks go forward. */
const range = "range=2026-03-27,2026-03-30";

beforeAll(async () => {
  site = await createSite();
  folder = mkdtempSync(join(tmpdir(), "psp-office-"));
  id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id });
  const records = [];
  for (let at = day("2026-03-27"), n = 1; at < day("2026-03-31"); at += 3_600_000, n += 1)
    records.push(countRecord(at, 3600, { L1: [n, n + 1] }));
  await site.store(sensor, records, { via: "fill" });
  const [start, end] = [day("2026-03-28"), day("2026-03-29")].map((at) => new Date(at).toISOString());
  if (start === undefined || end === undefined) throw new Error("No day");
  await putSales(site.ctx, site.root, id, [{ start, end, transactions: 100, revenue: 1234.5, currency: "EUR" }]);
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Cell = { type: string; value: string };

/** LibreOffice's own text format names the type of each cell. */
function openInOffice(name: string, content: Uint8Array): Cell[][] {
  writeFileSync(join(folder, `${name}.xlsx`), content);
  const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
  const convert = ["--headless", profile, "--convert-to", "fods", "--outdir", folder, join(folder, `${name}.xlsx`)];
  execFileSync("soffice", convert, { stdio: "ignore", timeout: 120_000 });
  const text = readFileSync(join(folder, `${name}.fods`), "utf8");
  return [...text.matchAll(/<table:table-row .*?<\/table:table-row>/gs)].map(([row]) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = "", inner = ""]): Cell[] => {
        const type = /office:value-type="(\w+)"/.exec(attributes)?.[1] ?? "empty";
        const [, value = inner.replaceAll(/<[^>]+>/g, "").trim()] =
          /office:(?:date-)?value="([^"]*)"/.exec(attributes) ?? [];
        const repeated = Number(/number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
        return Array.from({ length: Math.min(repeated, 50) }, () => ({ type, value }));
      },
    ),
  );
}

const hasOffice = spawnSync("soffice", ["--version"]).status === 0;

test.skipIf(!hasOffice).each(["hour", "day"])(
  "LibreOffice reads dates, numbers and sums of a workbook by %s",
  { tags: ["prove"], timeout: 240_000 },
  async (by) => {
    const answer = await site.call(site.root, `/data/v2/counts/file?format=xlsx&ids=${id}&${range}&by=${by}`);
    const page = (await site.call(site.root, `/api/v2/counts?filter=meas:${id}&${range}&by=${by}`)).body as Counts;
    const [head = [], ...rows] = openInOffice(by, answer.bytes);
    const column = (name: string) => head.findIndex(({ value }) => value === name);
    const filled = rows.filter((row) => row[column("ID")]?.value === id);
    expect(filled).toHaveLength(page.rows.length);
    for (const [index, { start, end, in: people }] of page.rows.entries()) {
      const row = filled[index] ?? [];
      const clock = (local: string) => ({ type: "date", value: local.slice(0, 19).replace(/T00:00:00$/, "") });
      const shown = (name: string) => {
        const { type = "", value = "" } = row[column(name)] ?? {};
        return { type, value: value.replace(/T00:00:00$/, "").replace(/\.\d+$/, "") };
      };
      expect([shown("Start"), shown("End")]).toEqual([clock(start), clock(end)]);
      expect(shown("In")).toEqual({ type: "float", value: String(people) });
    }
    const sum = filled.reduce((all, row) => all + Number(row[column("In")]?.value), 0);
    expect(sum).toBe(page.total.in);
    const sold = filled.map((row) => row[column("Conversion")]).filter((cell) => cell?.type !== "empty");
    if (by === "day") expect(sold).toEqual([{ type: "percentage", value: String(page.sales?.total?.conversion) }]);
  },
);
