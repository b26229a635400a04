// Kills random processes of a cluster, and its database, during writes over MQTT and REST, then compares acknowledged with stored data
// and with what live clients received. `--kills 20 --seed 1 --processes 2 --gateways 2 --devices 6 [--negative]`.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startCluster, type Cluster } from "../cluster.ts";
import { withDatabase } from "../database.ts";
import { median } from "../load.ts";
import { signIn } from "../product.ts";
import { watchAcknowledgments } from "./acknowledgments.ts";
import { enrol, runDevice, runRest, verify } from "./crash-writers.ts";
import { findUnseen, type LiveReader, startLiveReader } from "./live-readers.ts";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    processes: { type: "string", default: "2" },
    gateways: { type: "string", default: "2" },
    devices: { type: "string", default: "6" },
    /** Every how many kills the database is the victim; 0: never. Then no client may have to reload. */
    database: { type: "string", default: "5" },
    /** Disables synchronous commits; the campaign must then detect losses. */
    negative: { type: "boolean", default: false },
  },
});

let state = Number(flags.seed) || 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const readers = 3;
const recoversWithinMs = 60_000;

/** Kills one victim, and waits until every process is healthy again. Returns how long that took, in ms. */
async function killOne(cluster: Cluster, round: number): Promise<{ victim: string; tookMs: number }> {
  const every = Number(flags.database);
  const from = performance.now();
  if (every > 0 && round % every === 0) {
    await cluster.killDatabase();
    // The processes notice it a moment later.
    await pause(500);
    await Promise.all(cluster.members.map((one) => one.untilHealthy()));
    return { victim: "database", tookMs: performance.now() - from };
  }
  const member = cluster.members[Math.floor(random() * cluster.members.length)];
  if (!member) throw new Error("There is no process");
  await member.kill();
  // Sometimes stays away for longer than its clients wait.
  await pause(random() * 1_500);
  await member.start();
  return { victim: member.parts, tookMs: performance.now() - from };
}

async function main(): Promise<number> {
  const parts = [
    ...Array.from({ length: Number(flags.processes) }, () => "api,gateway,worker"),
    ...Array.from({ length: Number(flags.gateways) }, () => "gateway"),
  ];
  const cluster = await startCluster(
    parts,
    flags.negative ? { synchronous_commit: "off", wal_writer_delay: "10s" } : {},
  );
  const api = await signIn(cluster.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "cluster", owner: me._id });
  const devices = await Promise.all(
    Array.from({ length: Number(flags.devices) }, (_, index) => enrol(cluster, token, index)),
  );
  if (flags.negative) await keepUntilNow(cluster.databaseUrl);
  const live = await Promise.all(Array.from({ length: readers }, () => startLiveReader(cluster)));
  const ledger = join(cluster.dataDir, "ledger");
  appendFileSync(ledger, "");
  let stopped = false;
  const tally = { locations: 0 };
  const writers = [
    ...devices.map((device, index) => runDevice(cluster, device, index, ledger)),
    ...[1, 2, 3].map((writer) => runRest(cluster, me._id, writer, ledger, () => stopped, tally)),
  ];
  const watch = watchAcknowledgments(devices);
  const silences: number[] = [];
  for (let round = 1; round <= Number(flags.kills); round += 1) {
    await pause(300 + random() * 1_200);
    watch.take();
    const { victim, tookMs } = await killOne(cluster, round);
    await pause(300);
    silences.push(watch.take());
    process.stdout.write(
      `kill ${round}: ${victim}, healthy after ${Math.round(tookMs)} ms, ${Math.round(silences.at(-1) ?? 0)} ms without acknowledgment\n`,
    );
  }
  const from = performance.now();
  const isEnough = () => tally.locations > 0 && devices.every(({ acked }) => acked > 0);
  while (!isEnough() && performance.now() - from < recoversWithinMs) await pause(100);
  stopped = true;
  watch.stop();
  for (const device of devices) device.stop = true;
  await Promise.all(writers);
  while (
    live.some((one) => findUnseen(ledger, one).length > 0 && one.reloads === 0) &&
    performance.now() - from < recoversWithinMs
  )
    await pause(100);
  const missed = live.reduce((sum, one) => sum + (one.reloads === 0 ? findUnseen(ledger, one).length : 0), 0);
  const outcome = await verify(cluster.url, devices, ledger);
  await Promise.all(live.map((one) => one.stop()));
  const sum = (of: (one: LiveReader) => number) => live.reduce((total, one) => total + of(one), 0);
  process.stdout.write(
    `seed ${flags.seed}: ${flags.kills} kills in ${parts.length} processes, ${outcome.records} records and ` +
      `${outcome.locations} locations acknowledged, ${outcome.lost} lost, ${outcome.doubled} doubled, ${outcome.wrong} wrong; ` +
      `without acknowledgment: median ${Math.round(median(silences))} ms, longest ${Math.round(Math.max(...silences))} ms\n` +
      `live: ${sum(({ resumes }) => resumes)} resumes, ${sum(({ reloads }) => reloads)} reloads, ${missed} changes missed\n`,
  );
  await cluster.end();
  if (!isEnough()) {
    process.stderr.write(
      `Nothing is proved: not every device and writer was served within ${recoversWithinMs / 1000} s\n`,
    );
    return 1;
  }
  if (flags.negative) return outcome.lost > 0 ? 0 : 1;
  const needless = Number(flags.database) === 0 ? sum(({ reloads }) => reloads) : 0;
  return outcome.lost + outcome.doubled + outcome.wrong + missed + needless === 0 ? 0 : 1;
}

/** One commit that reaches the disk takes all earlier ones with it. Otherwise the account that looks for losses could be lost, too. */
async function keepUntilNow(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, async (db) => {
    await db.query("set synchronous_commit = on");
    await db.query("create table campaign_start (); drop table campaign_start");
  });
}

process.exitCode = await main();
