// Runs the product with its pool behind a pooler of transactions: a small one of the tests, and a real PgBouncer where it is installed.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { connect } from "../db/connection/connect.ts";
import { cancelOnAbort, openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { createTransactionPooler } from "../testing/database/transaction-pooler.ts";
import { createWorld } from "../testing/world.ts";

type Mode = "transaction" | "session";
type Start = (databaseUrl: string, mode: Mode) => Promise<string>;

async function startSmallPooler(databaseUrl: string): Promise<string> {
  const pooler = await createTransactionPooler(databaseUrl);
  onTestFinished(pooler.close);
  return pooler.url;
}

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

/** Runs as the owner of PostgreSQL's socket, because only that one may use it. */
async function startPgBouncer(databaseUrl: string, mode: Mode): Promise<string> {
  const target = new URL(databaseUrl);
  const socketDir = target.searchParams.get("host") ?? "";
  const { uid, gid } = await stat(socketDir);
  const folder = await mkdtemp(join(tmpdir(), "psp-pgbouncer-"));
  const [port = 0] = await findFreePorts(1);
  await writeFile(join(folder, "users"), `"${target.username}" "${target.password}"\n`);
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${socketDir}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users")}
pool_mode = ${mode}
default_pool_size = ${mode === "session" ? 40 : 4}
server_round_robin = 1
`,
  );
  await chmod(folder, 0o755);
  if (process.getuid?.() === 0) await chown(folder, uid, gid);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const child = spawn(program ?? "", [join(folder, "pgbouncer.ini")], { ...user, stdio: "ignore" });
  const closed = new Promise((resolve) => void child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
    await rm(folder, { recursive: true, force: true });
  });
  const url = new URL(databaseUrl);
  url.search = "";
  url.host = `127.0.0.1:${port}`;
  await until("PgBouncer answers", () =>
    connect(url.href).then(
      (client) => client.end().then(() => true),
      () => false,
    ),
  );
  return url.href;
}

async function database(): Promise<string> {
  const place = await createTestDatabase(migrate);
  onTestFinished(() => place.drop());
  return place.url;
}

async function world(env: Record<string, string>) {
  const started = await createWorld({ env: { PARTS: "api,worker", ...env } });
  onTestFinished(() => started.stop());
  return started;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function describePooler(name: string, start: Start): void {
  describe(name, () => {
    test("without DATABASE_DIRECT_URL the start is refused and says what to set", async () => {
      const url = await database();
      await expect(world({ DATABASE_URL: await start(url, "transaction") })).rejects.toThrow(
        /^DATABASE_URL leads through a pooler .* Set DATABASE_DIRECT_URL to the same database without the pooler$/,
      );
    });

    test("a DATABASE_DIRECT_URL through the pooler, or to another database, is refused", async () => {
      const url = await database();
      const pooled = await start(url, "transaction");
      await expect(
        world({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: `${pooled}?application_name=x` }),
      ).rejects.toThrow("DATABASE_DIRECT_URL must not lead through a pooler");
      await expect(world({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: await database() })).rejects.toThrow(
        "DATABASE_DIRECT_URL leads to another database than DATABASE_URL",
      );
    });

    test("calls, live changes of other processes and jobs work, and no lock is left behind", async () => {
      const url = await database();
      const env = { DATABASE_URL: await start(url, "transaction"), DATABASE_DIRECT_URL: url };
      const [one, two] = [await world(env), await world(env)];
      const person = await one.account("Harbour Stores", one.root, fullPermissions);
      const live = await two.live(person);
      const names = Array.from({ length: 20 }, (_, index) => `Shop ${index}`);
      const created = await Promise.all(
        names.map((name) => one.call(person, "POST", "/api/measurement", { body: { name, owner: person.id } })),
      );
      expect(created.map(({ status }) => status)).toEqual(names.map(() => 200));
      await until("all changes arrive", () => live.frames.filter(({ type }) => type === "measurement").length >= 20);
      const reads = await Promise.all(names.map(() => two.call(person, "GET", "/api/v2/measurement?limit=5")));
      expect(reads.map(({ status }) => status)).toEqual(names.map(() => 200));
      // Sessions that the pooler opened before the first start do not have the limit yet.
      expect(await query(url, "show statement_timeout")).toEqual([{ statement_timeout: "30s" }]);
      await one.server.stop();
      await two.server.stop();
      const locks = `select l.* from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and d.datname = current_database()`;
      expect(await query(url, locks)).toEqual([]);
    });

    test("an aborted statement is canceled in its own session", async () => {
      const url = await database();
      const log = pino({ level: "silent" });
      const db = openDatabase(await start(url, "transaction"), { pool: 4, log, pooling: "transaction" });
      onTestFinished(() => db.destroy());
      const abort = new AbortController();
      const slow = sql`select pg_sleep(100)`.execute(cancelOnAbort(db, abort.signal));
      const other = sql`select pg_sleep(1)`.execute(db);
      const sleeping = "select from pg_stat_activity where query like 'select pg_sleep(100%' and state = 'active'";
      await until("it runs", async () => (await query(url, sleeping)).length === 1);
      abort.abort(new Error("left"));
      await expect(slow).rejects.toThrow("canceling statement due to user request");
      await other;
      expect(await query(url, sleeping)).toEqual([]);
    });
  });
}

test("a database with another encoding than UTF8 is refused", async () => {
  const url = await database();
  const name = "psp_ascii";
  const admin = await connect(inject("postgresUrl"));
  onTestFinished(() => admin.end());
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(
    `create database ${name} owner psp template template0 encoding SQL_ASCII locale_provider libc locale 'C'`,
  );
  const ascii = new URL(url);
  ascii.pathname = `/${name}`;
  await expect(world({ DATABASE_URL: ascii.href })).rejects.toThrow("encoding must be UTF8. It is SQL_ASCII");
});

describePooler("a small pooler of transactions", startSmallPooler);

describe.skipIf(program === undefined)(
  program === undefined ? "skipped: PgBouncer is not installed here" : "PgBouncer",
  { tags: "prove" },
  () => {
    describePooler("with pool_mode = transaction", startPgBouncer);

    test("with pool_mode = session it needs no DATABASE_DIRECT_URL", async () => {
      const url = await database();
      const pooled = await start();
      async function start() {
        return startPgBouncer(url, "session");
      }
      const { root, call, ctx } = await world({ DATABASE_URL: pooled });
      expect((await call(root, "GET", "/api/v2/measurement")).status).toBe(200);
      const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(ctx.db);
      expect(rows).toEqual([{ statement_timeout: "30s" }]);
    });
  },
);
