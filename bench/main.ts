// Runs `npm run bench`: compares each frequent call with its bare baseline in the same run and prints the ratios.
// Options: --sizes, --customers, --batch, --intervals, --monitored, --reports, --tunnels, --rounds, --ms, --only.
// With `--peer directus`, installs Directus and compares the calls that both products have.
import { parseArgs } from "node:util";
import { benchBatch } from "./batch.bench.ts";
import { benchCounts } from "./counts.bench.ts";
import { benchCustomers } from "./customers.bench.ts";
import { benchConnections, benchIngest } from "./devices.bench.ts";
import { benchDisplays } from "./displays.bench.ts";
import { benchFiles } from "./files.bench.ts";
import { benchLists } from "./lists.bench.ts";
import { benchGateways } from "./gateways.bench.ts";
import { benchIssues } from "./issues.bench.ts";
import { benchLive } from "./live.bench.ts";
import { formatRow, type BenchRow } from "./load.ts";
import { benchMonitoring } from "./monitoring.bench.ts";
import { benchPeer } from "./peers.bench.ts";
import { benchReports } from "./reports.bench.ts";
import { benchTunnels } from "./tunnels.bench.ts";
import { benchVehicles } from "./vehicles.bench.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "10000,100000" },
    rounds: { type: "string", default: "5" },
    ms: { type: "string", default: "700" },
    sockets: { type: "string", default: "200,10000" },
    displays: { type: "string", default: "10000" },
    batch: { type: "string", default: "100000" },
    intervals: { type: "string", default: "10000000" },
    only: {
      type: "string",
      default:
        "lists,customers,batch,ingest,gateways,connections,live,counts,files,monitoring,reports,tunnels,vehicles",
    },
    customers: { type: "string", default: "10000" },
    monitored: { type: "string", default: "100000" },
    reports: { type: "string", default: "100" },
    tunnels: { type: "string", default: "5000" },
    peer: { type: "string" },
  },
});
const only = new Set(values.only.split(","));
const rounds = Number(values.rounds);
const sizes = values.sizes.split(",").map(Number);
const [ms, batch] = [Number(values.ms), Number(values.batch)];
const sockets = values.sockets.split(",").map(Number);
const tell = (row: BenchRow) => void process.stdout.write(`${formatRow(row)}\n`);

if (values.peer === undefined) {
  process.stdout.write(`ours / baseline, median of ${rounds} interleaved rounds on this machine\n`);
  if (only.has("lists")) await benchLists({ sizes, rounds, ms }, tell);
  if (only.has("customers")) await benchCustomers({ sensors: Number(values.customers) * 100, rounds, ms }, tell);
  if (only.has("batch")) await benchBatch({ items: batch, rounds }, tell);
  if (only.has("ingest")) await benchIngest(rounds, tell);
  if (only.has("gateways")) await benchGateways(rounds, tell);
  if (only.has("connections")) await benchConnections(rounds, tell);
  if (only.has("counts")) await benchCounts({ rounds, ms, intervals: Number(values.intervals) }, tell);
  if (only.has("files")) await benchFiles(rounds, tell);
  if (only.has("monitoring")) {
    await benchMonitoring({ rounds, sensors: Number(values.monitored) }, tell);
    await benchIssues({ rounds, ms, issues: Number(values.monitored) }, tell);
  }
  if (only.has("reports")) await benchReports({ rounds, reports: Number(values.reports) }, tell);
  if (only.has("live")) await benchLive(rounds, sockets, tell);
  if (only.has("vehicles")) await benchVehicles({ rounds, ms }, tell);
  if (only.has("tunnels")) await benchTunnels(rounds, Number(values.tunnels), tell);
  if (only.has("displays")) await benchDisplays(rounds, Number(values.displays), tell);
} else if (values.peer === "directus") {
  process.stdout.write(`ours / Directus, median of ${rounds} interleaved rounds on this machine\n`);
  await benchPeer({ sizes, rounds, ms, batch, sockets: sockets[0] ?? 0, only }, tell);
} else {
  throw new Error(`No such peer: ${values.peer}. There is: directus`);
}
