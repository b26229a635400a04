// One PostgreSQL per test run, with a database per test file.

import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the superuser. */
    postgresUrl: string;
    /** URL of the server's own database role, with its secret. */
    productUrl: string;
  }
}

export type TestDatabase = {
  url: string;
  drop(): Promise<void>;
};

const QUIET = { info: () => undefined, warn: () => undefined, error: (line: string) => console.error(line) };

/** Without durability, and without autovacuum, which would check 150 databases every minute. */
const quick = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_connections: "300",
};

/** Vitest's global setup: starts PostgreSQL without fsync; returns a function that stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "psp-test-"));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({
    dataDir: path.join(folder, "postgres"),
    log: QUIET,
    settings: quick,
  });
  project.provide("postgresUrl", postgres.superuserUrl);
  project.provide("productUrl", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * A fresh database, owned by the server's database role as in production. With `migrate`, it is a copy of a template
 * that is migrated once per run. Call it in `beforeAll`, and `drop` in `afterAll`.
 */
export async function createTestDatabase(migrate?: (url: string) => Promise<unknown>): Promise<TestDatabase> {
  const superuser = sharedSuperuser();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const template = migrate === undefined ? "template1" : await templateOf(migrate);
  await superuser.query(`create database ${name} template ${template} owner psp strategy file_copy`);
  return {
    url: databaseUrl(name),
    drop: async () => void (await superuser.query(`drop database if exists ${name} with (force)`)),
  };
}

let opened: pg.Pool | null = null;

/** One connection per worker, because opening a connection takes more processor time than copying a database. */
function sharedSuperuser(): pg.Pool {
  const options = { connectionString: inject("postgresUrl"), max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  // PostgreSQL may stop before the worker.
  return (opened ??= new pg.Pool(options).on("error", () => undefined));
}

const templates = new Map<string, Promise<string>>();

function templateOf(migrate: (url: string) => Promise<unknown>): Promise<string> {
  const name = `template_${createHash("sha256").update(migrate.toString()).digest("hex").slice(0, 16)}`;
  const template = templates.get(name) ?? buildTemplate(name, migrate).then(() => name);
  templates.set(name, template);
  return template;
}

/** An advisory lock lets the first worker build the template while others wait. */
async function buildTemplate(name: string, migrate: (url: string) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} owner psp`);
    await migrate(databaseUrl(draft));
    // An open connection of the migration would prevent copies.
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [draft]);
    await client.query(`alter database ${draft} rename to ${name}`);
  } finally {
    await client.end();
  }
}

function databaseUrl(name: string): string {
  const url = new URL(inject("productUrl"));
  url.pathname = `/${name}`;
  return url.href;
}
