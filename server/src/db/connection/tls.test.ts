// Connects to a real PostgreSQL with TLS in all modes of `sslmode`. Needs openssl for the certificate.
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../testing/devices/device-world.ts";
import { hasOpenssl, makeCertificate } from "../../testing/devices/certificates.ts";
import { startTlsPostgres } from "../../testing/database/tcp-postgres.ts";
import { cancelOnAbort, openDatabase } from "../database.ts";
import { connect } from "./connect.ts";

describe.skipIf(!hasOpenssl)(hasOpenssl ? "TLS" : "skipped: openssl is not installed here", { tags: "prove" }, () => {
  let postgres: Awaited<ReturnType<typeof startTlsPostgres>>;
  beforeAll(async () => {
    postgres = await startTlsPostgres(async (folder) => {
      await makeCertificate(folder, "server");
      await makeCertificate(folder, "other");
      // PostgreSQL compares the name in the certificate with the user.
      await makeCertificate(folder, "guarded", "server");
      await makeCertificate(folder, "stranger", "server");
      const rules = ["hostssl all guarded 127.0.0.1/32 cert", "host all all 127.0.0.1/32 trust"];
      await writeFile(join(folder, "pg_hba.conf"), `${rules.join("\n")}\n`);
      await appendFile(join(folder, "postgresql.auto.conf"), "ssl_ca_file = 'server.crt'\n");
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

  test("sslcert and sslkey prove who the client is", async () => {
    const owner = await connect(urlOf("localhost", ""));
    await owner.query("create role guarded login");
    await owner.end();
    const guarded = (query: string) =>
      connect(
        urlOf("localhost", `sslmode=verify-full&sslrootcert=@server.crt${query}`).replace("postgres@", "guarded@"),
      );
    await expect(guarded("")).rejects.toThrow(/valid client certificate/);
    await expect(guarded("&sslcert=@stranger.crt&sslkey=@stranger.key")).rejects.toThrow(/authentication failed/);
    await expect(guarded("&sslcert=@missing.crt&sslkey=@guarded.key")).rejects.toThrow(/missing\.crt/);
    const client = await guarded("&sslcert=@guarded.crt&sslkey=@guarded.key");
    const { rows } = await client.query<{ name: string }>("select current_user as name");
    expect(rows).toEqual([{ name: "guarded" }]);
    await client.end();
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
