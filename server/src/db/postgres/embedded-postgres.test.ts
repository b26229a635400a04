// Tests the embedded PostgreSQL with the real binary: first and later starts, and every way to be killed.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

const HOLDER = path.resolve(import.meta.dirname, "../../testing/hold-postgres.ts");

/**
 * Removes the folder after PostgreSQL has stopped, because cleanup runs in reverse order. A PostgreSQL whose owner was killed may
 * still write into it.
 */
async function newFolder(mode = 0o755): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "psp with space "));
  await chmod(folder, mode);
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30 }));
  return path.join(folder, "data", "postgres");
}

/** A template cluster, because creating one takes seconds. */
let made = "";
beforeAll(async () => {
  made = await mkdtemp(path.join(tmpdir(), "psp-made-"));
  await chmod(made, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(made, "data", "postgres"), log: listen().log });
  await postgres.stop();
});
afterAll(() => rm(made, { recursive: true, force: true }));

async function usedFolder(): Promise<string> {
  const dataDir = await newFolder();
  // Keeps file owners, which Node's copy does not.
  spawnSync("cp", ["-a", path.join(made, "data"), path.resolve(dataDir, "../..")]);
  return dataDir;
}

function listen(): {
  log: { info(line: string): void; warn(line: string): void; error(line: string): void };
  heard: string[];
} {
  const heard: string[] = [];
  const hear = (line: string) => void heard.push(line);
  return { log: { info: hear, warn: hear, error: hear }, heard };
}

async function start(dataDir: string) {
  const { log, heard } = listen();
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  onTestFinished(() => postgres.stop());
  return { ...postgres, heard };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(path.join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const startedAt = Date.now();
  while (!(await what().catch(() => false))) {
    if (Date.now() - startedAt > 100_000) throw new Error("not within 100 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Starts a server process in its own process group, as a shell does. */
async function hold(dataDir: string) {
  const child = spawn(process.execPath, [HOLDER, dataDir], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("no holder");
  const exited = once(child, "exit");
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, "SIGKILL");
  });
  let out = "";
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  await Promise.race([exited, until(async () => out.includes("\n"))]);
  return { child, pid, exited, url: out.trim(), errors: () => errors };
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test("keeps the data over a stop", { tags: "prove" }, async () => {
  const dataDir = await newFolder();
  const first = await start(dataDir);
  await query(first.url, "create table kept as select 42 as answer");
  await first.stop();
  const second = await start(dataDir);
  expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("is durable, without jit, in UTF-8 with its own locale, and without a network port", async () => {
  const { url } = await start(await newFolder());
  const [settings] = await query(
    url,
    `select current_setting('fsync') fsync, current_setting('synchronous_commit') commit, current_setting('jit') jit,
            current_setting('listen_addresses') listen, current_setting('server_version') like '18.%' v18,
            datlocprovider::text provider, datlocale, pg_encoding_to_char(encoding) encoding, rolsuper superuser
       from pg_database, pg_roles where datname = current_database() and rolname = current_user`,
  );
  expect(settings).toEqual({
    fsync: "on",
    commit: "on",
    jit: "off",
    listen: "",
    v18: true,
    provider: "b",
    datlocale: "C.UTF-8",
    encoding: "UTF8",
    superuser: false,
  });
});

test("T-29 access needs the secret of this start, even with an older folder", async () => {
  const dataDir = await newFolder();
  const first = await start(dataDir);
  await query(first.url, "create table kept as select 42 as answer");
  const bare = new URL(first.url);
  const secret = bare.password;
  bare.password = "";
  const wrong = new URL(first.url);
  wrong.password = secret.toUpperCase().toLowerCase();
  for (const url of [bare, wrong]) await expect(query(url.href, "select 1")).rejects.toThrow(/password/i);
  await first.stop();
  await writeFile(path.join(dataDir, "pg_hba.conf"), "local all all trust\n");
  const second = await start(dataDir);
  expect(new URL(second.url).password).not.toBe(secret);
  expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  const old = new URL(second.url);
  old.password = secret;
  for (const url of [bare.href.replace(/psp-pg-[^%/&]+/, /psp-pg-[^%/&]+/.exec(second.url)?.[0] ?? ""), old.href])
    await expect(query(url, "select 1")).rejects.toThrow(/password/i);
});

test.runIf(process.getuid?.() === 0)(
  "T-29 started as root, PostgreSQL's system user is no superuser of it",
  async () => {
    const dataDir = await usedFolder();
    const { superuserUrl } = await start(dataDir);
    const uid = Number(
      /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${await postmasterOf(dataDir)}/status`, "utf8"))?.[1],
    );
    const folder = decodeURIComponent(new URL(superuserUrl).searchParams.get("host") ?? "");
    const script = `const pg = require(${JSON.stringify(createRequire(import.meta.url).resolve("pg"))});
      const client = new pg.Client({ host: process.argv[1], user: process.argv[2], database: "postgres" });
      client.connect().then(() => console.log("in"), (error) => console.log(error.message)).finally(() => process.exit());`;
    for (const [as, user, expected] of [
      [uid, "postgres", /Peer authentication failed/],
      [uid, "psp", /password/i],
      [0, "postgres", /^in$/m],
    ] as const) {
      const child = spawnSync(process.execPath, ["-e", script, folder, user], { uid: as, encoding: "utf8" });
      expect(child.stdout + child.stderr, `${as} as ${user}`).toMatch(expected);
    }
  },
);

test("lets a caller override a setting", async () => {
  const dataDir = await usedFolder();
  const { log } = listen();
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { shared_buffers: "32MB" } });
  onTestFinished(() => postgres.stop());
  expect(await query(postgres.url, "show shared_buffers")).toEqual([{ shared_buffers: "32MB" }]);
});

test.runIf(process.getuid?.() === 0)(
  "as root, runs as another user, even below a private folder",
  { tags: "prove" },
  async () => {
    const dataDir = await newFolder(0o700);
    const { url } = await start(dataDir);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    const status = await readFile(`/proc/${await postmasterOf(dataDir)}/status`, "utf8");
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe("0");
    expect((await stat(path.resolve(dataDir, "../.."))).mode & 0o777).toBe(0o700);
  },
);

test("restarts quickly at the same address when PostgreSQL is killed", { tags: "prove" }, async () => {
  const dataDir = await usedFolder();
  const { url, heard } = await start(dataDir);
  await query(url, "create table kept as select 42 as answer");
  for (let round = 0; round < 3; round += 1) {
    const before = await postmasterOf(dataDir);
    // Programs that clean up temporary files do this.
    const socketDir = new URL(url).searchParams.get("host") ?? "";
    for (const name of ["hba.conf", "ident.conf"]) await rm(path.join(socketDir, name));
    process.kill(before, "SIGKILL");
    await until(async () => {
      const rows = await query(url, "select answer from kept");
      return rows[0]?.["answer"] === 42 && (await postmasterOf(dataDir)) !== before;
    });
  }
  // Our delays come on top of PostgreSQL's own recovery time.
  const pauses = heard.flatMap((line) => /has died; starting it again in (\d+) ms/.exec(line)?.[1] ?? []);
  expect(pauses).toHaveLength(3);
  for (const pause of pauses) expect(Number(pause)).toBeLessThanOrEqual(200);
});

test("PostgreSQL ends with its killed server; the next start finds every committed row", async () => {
  const dataDir = await usedFolder();
  const holder = await hold(dataDir);
  await query(holder.url, "create table kept as select 42 as answer");
  const postmaster = await postmasterOf(dataDir);
  process.kill(-holder.pid, "SIGKILL");
  await holder.exited;
  const { url } = await start(dataDir);
  await until(async () => isGone(postmaster));
  expect(await query(url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("takes over when only PostgreSQL was left", { tags: "prove" }, async () => {
  const dataDir = await usedFolder();
  const holder = await hold(dataDir);
  const postmaster = await postmasterOf(dataDir);
  const status = await readFile(`/proc/${postmaster}/status`, "utf8");
  const shell = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
  const children = await readFile(`/proc/${shell}/task/${shell}/children`, "utf8");
  process.kill(holder.pid, "SIGSTOP");
  process.kill(shell, "SIGKILL");
  for (const child of children.trim().split(" ").map(Number)) if (child !== postmaster) process.kill(child, "SIGKILL");
  process.kill(holder.pid, "SIGKILL");
  await holder.exited;
  expect(isGone(postmaster)).toBe(false);
  const { url, heard } = await start(dataDir);
  expect(heard.join("\n")).toContain(`ending PostgreSQL ${postmaster}, left over`);
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("starts after server and PostgreSQL were killed together", { tags: "prove" }, async () => {
  const dataDir = await usedFolder();
  const holder = await hold(dataDir);
  await query(holder.url, "create table kept as select 42 as answer");
  process.kill(await postmasterOf(dataDir), "SIGKILL");
  process.kill(-holder.pid, "SIGKILL");
  await holder.exited;
  const { url } = await start(dataDir);
  expect(await query(url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("refuses a folder of another live server and leaves that server alone", { tags: "prove" }, async () => {
  const dataDir = await usedFolder();
  const { url } = await start(dataDir);
  const second = await hold(dataDir);
  expect(await second.exited).toEqual([1, null]);
  expect(second.errors()).toContain(`is in use by process ${process.pid}`);
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a stop leaves no process and no socket behind", { tags: "prove" }, async () => {
  const dataDir = await usedFolder();
  const postgres = await start(dataDir);
  const postmaster = await postmasterOf(dataDir);
  const socketDir = new URL(postgres.url).searchParams.get("host") ?? "";
  expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
  await postgres.stop();
  expect(isGone(postmaster)).toBe(true);
  await expect(stat(socketDir)).rejects.toThrow("ENOENT");
  await expect(stat(`${dataDir}.owner`)).rejects.toThrow("ENOENT");
});

test("a backup of the whole cluster can connect as superuser", { tags: "prove" }, async () => {
  const { superuserUrl } = await start(await usedFolder());
  // Connects like pg_basebackup.
  const url = new URL(superuserUrl);
  url.searchParams.set("replication", "true");
  expect(await query(url.href, "IDENTIFY_SYSTEM")).toHaveLength(1);
});
