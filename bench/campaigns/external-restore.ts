// Tries the documented backup of an external database: pgBackRest restores a PostgreSQL server of this machine to a chosen second, and
// `npm run restore -- --after-external` does the rest (docs/operations.md#backup-of-an-external-database). Ends with 2 if one of the
// programs is not installed.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { migrate } from "../../server/src/db/migrate.ts";
import { findFreePorts } from "../../server/src/testing/free-ports.ts";
import { withDatabase } from "../database.ts";

const execute = promisify(execFile);
const tell = (text: string) => void process.stdout.write(`${text}\n`);
const debian = "/usr/lib/postgresql";
const version =
  (existsSync(debian) ? readdirSync(debian) : [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .at(-1) ?? 0;
const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
async function run(program: string, ...args: string[]): Promise<string> {
  const [command = "", ...all] = [...(isRoot ? ["runuser", "-u", "postgres", "--"] : []), program, ...args];
  return (await execute(command, all, { cwd: "/" })).stdout.trim();
}

const server = (program: string, ...args: string[]) => run(join(debian, String(version), "bin", program), ...args);

if (version < 15 || !(await execute("pgbackrest", ["version"]).catch(() => null))) {
  tell("PostgreSQL 15 or pgBackRest is not installed");
  process.exit(2);
}
// Short, because a socket's path is limited to 107 bytes.
const place = await mkdtemp("/tmp/psp-external-");
const data = join(place, "data");
const [port] = await findFreePorts(1);
const url = `postgres://psp@localhost/psp?host=${encodeURIComponent(place)}&port=${port}`;
const rest = (...args: string[]) =>
  run("pgbackrest", `--config=${join(place, "pgbackrest.conf")}`, "--stanza=psp", ...args);
const start = () => server("pg_ctl", "-D", data, "-l", join(place, "log"), "-w", "start");
const stop = () => server("pg_ctl", "-D", data, "-m", "fast", "-w", "stop");

try {
  process.exitCode = await main();
} finally {
  await stop().catch(() => undefined);
  await rm(place, { recursive: true, force: true, maxRetries: 30 });
}

async function setUp(): Promise<void> {
  const owner = isRoot ? { uid: Number(await run("id", "-u")), gid: Number(await run("id", "-g")) } : userInfo();
  await chown(place, owner.uid, owner.gid);
  await mkdir(join(place, "repo"));
  await chown(join(place, "repo"), owner.uid, owner.gid);
  await writeFile(
    join(place, "pgbackrest.conf"),
    `[global]\nrepo1-path=${join(place, "repo")}\nrepo1-retention-full=2\nstart-fast=y\nlog-path=${place}\nlock-path=${place}\n` +
      `spool-path=${place}\n[psp]\npg1-path=${data}\npg1-port=${port}\npg1-socket-path=${place}\npg1-user=psp\npg1-database=psp\n`,
  );
  await server("initdb", "-D", data, "-U", "psp", "--auth=trust");
  const archive = `pgbackrest --config=${join(place, "pgbackrest.conf")} --stanza=psp archive-push %p`;
  const settings = `port = ${port}\nlisten_addresses = ''\nunix_socket_directories = '${place}'\narchive_mode = on\narchive_command = '${archive}'\n`;
  await writeFile(join(place, "settings"), settings);
  await run("sh", "-c", `cat "${join(place, "settings")}" >> "${join(data, "postgresql.conf")}"`);
  await start();
  await withDatabase(url.replace("/psp?", "/postgres?"), (client) => client.query("create database psp"));
}

async function main(): Promise<number> {
  await setUp();
  await migrate(url);
  await rest("stanza-create");
  await rest("check");
  await withDatabase(url, (client) =>
    client.query(
      `insert into mail_outbox (id, recipient, subject, text_body, html_body, queued_at, not_before)
       values (gen_random_uuid(), 'a@example.com', 's', 't', 'h', now(), now())`,
    ),
  );
  await rest("backup");
  const note = (name: string) =>
    withDatabase(url, (client) => client.query("insert into setting (name, value) values ($1, '1')", [name]));
  await note("kept");
  // pgBackRest needs a target at least one whole second after the backup.
  const at = new Date(Math.ceil(Date.now() / 1000 + 1) * 1000);
  while (Date.now() <= at.getTime()) await wait(10);
  await note("lost");
  await withDatabase(url, (client) => client.query("select pg_switch_wal()"));
  await stop();
  const target = at.toISOString().replace("T", " ").replace("Z", "+00");
  await rest("--delta", "--type=time", `--target=${target}`, "--target-action=promote", "restore");
  await start();
  const command = join(import.meta.dirname, "../../server/src/restore-command.ts");
  const env = { PATH: process.env["PATH"], DATABASE_URL: url, DATA_DIR: join(place, "product") };
  for (;;) {
    const { rows } = await withDatabase(url, (client) => client.query("select pg_is_in_recovery() as recovers"));
    if (!rows[0].recovers) break;
    await wait(100);
  }
  tell((await execute(process.execPath, [command, "--after-external"], { env })).stdout.trim());
  return withDatabase(url, async (client) => {
    const { rows } = await client.query(
      `select (select array_agg(name order by name) from setting where name in ('kept', 'lost')) as names,
         (select count(*)::int from mail_outbox where is_held) as held,
         (select (value #>> '{}')::int > 0 from setting where name = 'installation') as is_raised`,
    );
    const isRight = JSON.stringify(rows[0]) === JSON.stringify({ names: ["kept"], held: 1, is_raised: true });
    tell(`pgBackRest restored to ${target}: ${isRight ? "right" : `wrong, ${JSON.stringify(rows[0])}`}`);
    return isRight ? 0 : 1;
  });
}
