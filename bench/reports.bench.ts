// Measures making due reports, with the mails that they queue, against the bare statements of their sums; and reckons how long 10,000
// reports take that are due at once.
import pg from "pg";
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { ReportFormat } from "@psp/contract/report/report.ts";
import { reportJob } from "../server/src/report/report.job.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { createProduct } from "./product.ts";
import { pick, plantChains, plantReports, zones } from "./report-dataset.ts";
import { createContext } from "./server-context.ts";

export type ReportsOptions = { rounds: number; reports: number };

const dueAtOnce = 10_000;
const recipients = 2;

type Kind = { call: string; formats: ReportFormat[]; isShared: boolean };

const kinds: readonly Kind[] = [
  { call: "numbers in the mail", formats: [], isShared: false },
  { call: "a PDF", formats: ["pdf"], isShared: false },
  { call: "an XLSX file", formats: ["xlsx"], isShared: false },
  { call: "a PDF, all of one query", formats: ["pdf"], isShared: true },
];

export async function benchReports({ rounds, reports }: ReportsOptions, tell: (row: BenchRow) => void): Promise<void> {
  // No worker, so that the reports are made here.
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // As many connections as a process has.
  const ctx = createContext(databaseUrl, 16);
  const shops = await plantChains(client, databaseUrl, reports);
  const shopsOf = (index: number) => shops.slice(index * zones.length, (index + 1) * zones.length).map(({ id }) => id);
  const job = reportJob(ctx);
  const perSecond = async (work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    return reports / ((performance.now() - from) / 1000);
  };
  const bare = () =>
    perSecond(async () => {
      const today = Math.floor(Date.now() / dayMs);
      for (let index = 0; index < reports; index += 1)
        for (const last of [today, today - 7])
          await client.query(
            `select d.location_id, d.day, sum(d.n_in), sum(d.n_out), sum(d.known_ms) from sensor_location a
            join count_day d on d.sensor_num = a.sensor_num and d.location_id = a.location_id
            where a.location_id = any($1) and d.day >= $2 and d.day < $3 group by 1, 2`,
            [shopsOf(index), last - 7, last],
          );
    });

  for (const { call, formats, isShared } of kinds) {
    await client.query("truncate report cascade");
    await client.query("truncate report_address");
    await plantReports(client, {
      reports,
      recipients,
      isDue: false,
      range: "lastWeek",
      shopOf: (index) => pick(shops, isShared ? 0 : index * zones.length),
      filtersOf: ({ ownerId }) => ({ ownerID: [ownerId] }),
      formatsOf: () => formats,
    });
    let cpuMs = 0;
    const ours = async () => {
      await client.query("truncate report_run, mail_outbox, mail_attachment cascade");
      await client.query("update report set check_at = now(), handled_to = now() - interval '8 days'");
      const before = process.cpuUsage();
      const rate = await perSecond(() => job.run(new AbortController().signal));
      const { user, system } = process.cpuUsage(before);
      cpuMs = (user + system) / 1000 / reports;
      const { rows } = await client.query("select count(*)::int as n from mail_outbox");
      const queued = (rows[0] as { n: number }).n;
      if (queued !== reports * recipients) throw new Error(`${queued} mails of ${reports} reports`);
      return rate;
    };
    await ours();
    await bare();
    const row = await measureAlternately(rounds, ours, bare);
    tell({ call: `due reports of ${zones.length} shops, ${call}`, ...row, unit: "1/s", goal: null });
    const [eachMs, allS] = [1000 / row.ours, dueAtOnce / row.ours];
    process.stdout.write(
      `${eachMs.toFixed(1)} ms each, ${cpuMs.toFixed(1)} ms of processor time in the server; ` +
        `${dueAtOnce.toLocaleString("en")} of them at once take ${Math.round(allS)} s in one process\n`,
    );
  }
  await ctx.db.destroy();
  await client.end();
  await product.end();
}
