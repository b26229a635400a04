// Connects to a real PostgreSQL with TLS in all modes of `sslmode`. Needs openssl for the certificate.
import { execFile, spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../testing/devices/device-world.ts";
import { startTlsPostgres } from "../../testing/database/tcp-postgres.ts";
import { cancelOnAbort, openDatabase } from "../database.ts";
import { connect } from "./connect.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

async function makeCertificate(folder: string, name: string): Promise<void> {
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const owner = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await promisify(execFile)("openssl", ["req", "-x509", ...key, ...files, ...owner]);
  await chmod(join(folder, `${name}.key`), 0o600);
}

describe.skipIf(!hasOpenssl)(hasOpenssl ? "TLS" : "skipped: openssl is not installed here", { tags: "prove" }, () => {
  let postgres: Awaited<ReturnType<typeof startTlsPostgres>>;
  beforeAll(async () => {
    postgres = await startTlsPostgres(async (folder) => {
      await makeCertificate(folder, "server");
      await makeCertificate(folder, "other");
    });
  });
  afterAll(() => postgres.stop());

  const urlOf = (host: string, query: string) =>
    `postgres://postgres@${host}:${postgres.port}/postgres?${query.replaceAll("@", `${postgres.folder}/`)}`;
  async function isEncrypted(host: string, query: string): Promise<unknown> {
    const client = await connect(urlOf(host, query));
    const { rows } = await client.query<{ ssl: boolean }>("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    await client.end();
    return rows[0]?.ssl;
  }

  test("sslmode means what PostgreSQL's documentation says", async () => {
    expect(await isEncrypted("localhost", "sslmode=disable")).toBe(false);
    for (const [host, query] of [
      ["127.0.0.1", "sslmode=require"],
      ["127.0.0.1", "sslmode=require&sslrootcert=@server.crt"],
      ["127.0.0.1", "sslmode=verify-ca&sslrootcert=@server.crt"],
      ["localhost", "sslmode=verify-full&sslrootcert=@server.crt"],
    ] as const)
      expect(await isEncrypted(host, query), query).toBe(true);
    for (const [host, query, reason] of [
      ["127.0.0.1", "sslmode=require&sslrootcert=@other.crt", /self-signed|certificate/],
      ["localhost", "sslmode=verify-ca&sslrootcert=@other.crt", /self-signed|certificate/],
      ["127.0.0.1", "sslmode=verify-full&sslrootcert=@server.crt", /does not match certificate/],
      ["localhost", "sslmode=verify-full", /self-signed/],
      ["localhost", "sslmode=verify-full&sslrootcert=system", /self-signed/],
    ] as const)
      await expect(isEncrypted(host, query), query).rejects.toThrow(reason);
  });

  test("a statement is canceled over TLS", async () => {
    const url = urlOf("localhost", "sslmode=verify-full&sslrootcert=@server.crt");
    const db = openDatabase(url, { pool: 2, log: pino({ level: "silent" }) });
    onTestFinished(() => db.destroy());
    const abort = new AbortController();
    const slow = sql`select pg_sleep(100)`.execute(cancelOnAbort(db, abort.signal));
    await until("it runs", async () => {
      const { rows } = await sql`select from pg_stat_activity where query = 'select pg_sleep(100)'`.execute(db);
      return rows.length === 1;
    });
    abort.abort(new Error("left"));
    await expect(slow).rejects.toThrow("canceling statement due to user request");
  });
});
