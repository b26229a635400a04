// Connects many idle sensors to several gateways, and measures the memory that each needs there.
// `--sensors 100000 --gateways 5`. A process can't have more sensors than open files, so that fewer may be connected; Linux only.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startCluster } from "../cluster.ts";
import { fillDatabase } from "../dataset.ts";
import { residentKib } from "../processor-time.ts";

const { values: flags } = parseArgs({
  options: { sensors: { type: "string", default: "100000" }, gateways: { type: "string", default: "5" } },
});
/** Of `fillDatabase`. */
const firstId = 0x0200_0000_0000;
const password = "idle-sensors-idle-sensors-idle-sensors-0123";
const limitKb = 20;
/** Files of a process besides its sensors. */
const reserve = 300;
const settleMs = 40_000;

const openFiles = Number(execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" })) || Infinity;

/** All with the same password. */
async function enrolAll(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "insert into device (sensor_num, secret_hash, enrolled_at) select num, $1, now() from sensor where id like '02:%'",
    [createHash("sha256").update(password).digest()],
  );
  await client.query("vacuum analyze device");
  await client.end();
}

async function countBorn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ n: string }>("select count(*) as n from device where sid = 'idle'");
  await client.end();
  return Number(rows[0]?.n);
}

/** Resolves once all have connected, or the process has ended. */
async function connectFleet(port: number, first: number, count: number): Promise<ChildProcess> {
  const args = [String(port), String(first), String(count), password];
  const fleet = spawn(process.execPath, [join(import.meta.dirname, "../idle-sensors.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([fleet.stdout ? once(fleet.stdout, "data") : null, once(fleet, "exit")]);
  return fleet;
}

async function main(): Promise<number> {
  const gateways = Number(flags.gateways);
  const each = Math.min(Math.floor(Number(flags.sensors) / gateways), openFiles - reserve);
  const cluster = await startCluster(["api,worker", ...Array.from({ length: gateways }, () => "gateway")]);
  await fillDatabase(cluster.databaseUrl, each * gateways);
  await enrolAll(cluster.databaseUrl);
  const [, ...members] = cluster.members;
  // New processes, so that the first figure is that of an idle one.
  for (const member of members) {
    await member.stop();
    await member.start();
  }
  const before = members.map((member) => residentKib(member.pid()));
  const from = performance.now();
  const fleets = await Promise.all(
    members.map(({ mqttPort }, index) => connectFleet(mqttPort, firstId + index * each, each)),
  );
  process.stdout.write(`${each * gateways} sensors after ${Math.round(performance.now() - from)} ms\n`);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const alive = fleets.filter(({ exitCode }) => exitCode === null).length;
  const perSensor = members.map((member, index) => (residentKib(member.pid()) - (before[index] ?? 0)) / each);
  const born = await countBorn(cluster.databaseUrl);
  process.stdout.write(
    `${each * gateways} sensors at ${gateways} gateways (limit of open files ${openFiles}), ${born} births stored, ` +
      `memory of each: ${perSensor.map((kb) => kb.toFixed(1)).join(", ")} kB\n`,
  );
  for (const fleet of fleets) fleet.kill();
  await cluster.end();
  const isWhole = alive === gateways && born === each * gateways;
  return isWhole && Math.max(...perSensor) <= limitKb ? 0 : 1;
}

process.exitCode = await main();
