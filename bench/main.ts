// `npm run bench`: every hot call against its bare baseline in the same run, as ratios. Options: --sizes, --rounds, --ms, --only.
import { parseArgs } from "node:util";
import { benchConnections, benchIngest } from "./devices.bench.ts";
import { benchLists } from "./lists.bench.ts";
import { benchLive } from "./live.bench.ts";
import { report, type Row } from "./load.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "10000,100000" },
    rounds: { type: "string", default: "5" },
    ms: { type: "string", default: "700" },
    sockets: { type: "string", default: "200" },
    only: { type: "string", default: "lists,ingest,connections,live" },
  },
});
const only = new Set(values.only.split(","));
const rounds = Number(values.rounds);
const tell = (row: Row) => void process.stdout.write(`${report(row)}\n`);

process.stdout.write(`ours / baseline, median of ${rounds} interleaved rounds on this machine\n`);
if (only.has("lists"))
  await benchLists({ sizes: values.sizes.split(",").map(Number), rounds, ms: Number(values.ms) }, tell);
if (only.has("ingest")) await benchIngest(rounds, tell);
if (only.has("connections")) await benchConnections(rounds, tell);
if (only.has("live")) await benchLive(rounds, Number(values.sockets), tell);
