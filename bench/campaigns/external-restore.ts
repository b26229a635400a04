// Tries the documented backup of a database with failover: pgBackRest restores a cluster to a chosen second, before which another node
// became the leader, and `npm run restore -- --after-external` does the rest (docs/operations.md#backup-of-an-external-database).
// Needs the programs of `bench/real/installation.ts`, otherwise exits with 2.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { withDatabase } from "../database.ts";
import { signIn } from "../product.ts";
import { findMissing, type Installation, nodes, startInstallation } from "../real/installation.ts";
import { clusterPassword, findPostgres } from "../real/parts.ts";

const limitMs = 180_000;
const tell = (text: string) => void process.stdout.write(`${text}\n`);
const seconds = (sinceMs: number) => `${Math.round((performance.now() - sinceMs) / 1000)} s`;

async function main(): Promise<number> {
  const missing = findMissing();
  if (missing !== null) {
    tell(`left out: ${missing}`);
    return 2;
  }
  const at = await startInstallation({ isSynchronous: true });
  try {
    return await run(at);
  } finally {
    await at.end();
  }
}

async function run(at: Installation): Promise<number> {
  const { databases } = at;
  await databases.untilWhole(limitMs);
  await addLocation(at, "before the backup");
  const first = await databases.untilLeader(limitMs);
  await databases.run(first, "pgbackrest", "--stanza=psp", "backup");
  await addLocation(at, "before the failover");
  at.network.cut(first);
  const second = await databases.untilLeader(limitMs, first);
  at.network.heal(first);
  await databases.untilWhole(limitMs);
  await addLocation(at, "after the failover");
  await databases.run(second, "pgbackrest", "--stanza=psp", "check");
  // The target of a restore is a whole second.
  await wait(1_000);
  const target = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  await wait(1_000);
  await addLocation(at, "after the target");

  const from = performance.now();
  const all = [...nodes.processes, ...nodes.gateways];
  await Promise.all(all.map(at.stopProcess));
  await restoreCluster(at, second, target);
  tell((await prepareRestored(at)).trim());
  for (const name of all) await at.startProcess(name);
  tell(`restored to ${target.toISOString()}, and all processes ready, after ${seconds(from)}`);

  const found = await listLocations(at);
  await addLocation(at, "after the restore");
  await databases.untilWhole(limitMs);
  await databases.run(second, "pgbackrest", "--stanza=psp", "backup");
  const isRight = found.join() === "after the failover,before the backup,before the failover";
  tell(isRight ? "equal to the chosen second" : `wrong: ${found.join(", ")}`);
  return isRight ? 0 : 1;
}

async function addLocation(at: Installation, name: string): Promise<void> {
  const api = await signIn(at.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  await api.call("POST", "/api/measurement", { name, owner: me._id });
}

async function listLocations(at: Installation): Promise<string[]> {
  const api = await signIn(at.url);
  const list = await api.call<{ objects: { name: string }[] }>("GET", "/api/v2/measurement?limit=50");
  return list.objects.map(({ name }) => name).toSorted();
}

/** The documented steps. `node`: the leader, whose log is complete in the archive once it has stopped. */
async function restoreCluster({ databases }: Installation, node: string, target: Date): Promise<void> {
  const others = nodes.databases.filter((name) => name !== node);
  for (const name of [...others, node]) await databases.stop(name);
  const at = target.toISOString().replace("T", " ").replace("Z", "+00");
  const options = ["--delta", "--type=time", `--target=${at}`, "--target-action=promote"];
  await databases.run(node, "pgbackrest", "--stanza=psp", ...options, "restore");
  const [data, control] = [databases.dataOf(node), join(findPostgres() ?? "", "pg_ctl")];
  // The restored configuration is that of the node on which the backup was made.
  const files = `-c hba_file=${data}/pg_hba.conf -c ident_file=${data}/pg_ident.conf`;
  const alone = `-c listen_addresses='' -c unix_socket_directories=${data} -c synchronous_standby_names='' ${files}`;
  await databases.run(node, control, "-D", data, "-t", "86400", "-l", `${data}.log`, "-o", alone, "-w", "start");
  const ended = `until psql -h ${data} -Atc 'select pg_is_in_recovery()' postgres | grep -q f; do sleep 1; done`;
  await databases.run(node, "timeout", "600", "sh", "-c", ended);
  await databases.run(node, control, "-D", data, "-m", "fast", "-w", "stop");
  const remove = `printf 'psp\\nYes I am aware\\n' | patronictl -c ${databases.configOf(node)} remove psp`;
  await databases.run(node, "sh", "-c", remove);
  for (const name of others) await rm(databases.dataOf(name), { recursive: true, force: true });
  databases.start(node);
  await databases.untilLeader(limitMs);
  for (const name of others) databases.start(name);
  await databases.untilWhole(limitMs);
}

async function prepareRestored(at: Installation): Promise<string> {
  const command = join(import.meta.dirname, "../../server/src/restore-command.ts");
  const env = { PATH: process.env["PATH"], DATABASE_URL: at.databases.url, DATA_DIR: join(at.dataDir, "app1") };
  const { stdout } = await promisify(execFile)(process.execPath, [command, "--after-external"], { env });
  const leader = at.network.addressOf(await at.databases.untilLeader(limitMs));
  await withDatabase(`postgres://postgres:${clusterPassword}@${leader}/psp`, async (client) => {
    const { rows } = await client.query(
      "select (value #>> '{}')::int > 0 as is_raised from setting where name = 'installation'",
    );
    if (rows[0]?.is_raised !== true) throw new Error("The installation number was not raised");
  });
  return stdout;
}

process.exitCode = await main();
