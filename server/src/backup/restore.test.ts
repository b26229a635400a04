// Backs up a running product with its embedded database, loses it, and restores it to a chosen second.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { connectAsync } from "mqtt";
import { afterAll, expect, test } from "vitest";
import { readBackupConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { archiveFolder, readCovered } from "../db/postgres/archive-folder.ts";
import { withSuperuser } from "../db/postgres/start-database.ts";
import { lockDueMails } from "../mail/mail.store.ts";
import { until } from "../testing/devices/device-world.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { sumTables } from "./base.store.ts";
import { withDatabase } from "./database.adapter.ts";
import type { TableSum } from "./manifest.rules.ts";
import { restoreBackup } from "./restore.service.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
const passphrase = "copper-meadow-whistle";
const sensorId = "02:00:00:00:77:21";
const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "psp-backup-"));
  cleanUps.push(() => rm(folder, { recursive: true, force: true, maxRetries: 30 }));
  return folder;
}

const quiet = () => undefined;
type Env = Record<string, string>;

/** The product with its embedded database. */
async function start(env: Env): Promise<World> {
  const world = await createWorld({ env: { DATABASE_URL: "", PARTS: "api,gateway,worker", ...env } });
  cleanUps.push(() => world.stop().catch(() => undefined));
  return world;
}

/** Runs the command, which does not share the process of the product. */
async function runBackup(env: Env, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const command = join(import.meta.dirname, "../backup-command.ts");
  const child = spawn(process.execPath, [command, ...args], { env: { PATH: process.env["PATH"], ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, output };
}

const restore = (env: Env, options: { at?: Date; replace?: boolean } = {}) =>
  restoreBackup(readBackupConfig(env), {
    source: env["BACKUP_DIR"] ?? "",
    at: options.at ?? null,
    replace: options.replace ?? false,
    env,
    say: quiet,
  });

/** Tables that a restore changes on purpose. */
const changedByRestore = new Set(["session", "setting", "mail_outbox", "remote_session", "tunnel", "device"]);

const sumDevices = `select count(*)::float8 as count, coalesce(sum(hashtextextended((to_jsonb(d) - 'restored_to')::text, 0)), 0)::text as hash
  from device d`;

async function sumRows(url: string): Promise<TableSum[]> {
  return withSuperuser(url, async (client) => {
    const sums = await sumTables(client);
    const { rows } = await client.query<Omit<TableSum, "name">>(sumDevices);
    const devices = rows.map((row) => ({ name: "device without restored_to", ...row }));
    return [...sums.filter(({ name }) => !changedByRestore.has(name)), ...devices];
  });
}

/** Waits for a moment at which nothing is written, and returns it with the sums of all tables. */
async function quietMoment(url: string): Promise<{ at: Date; expected: TableSum[] }> {
  return until("a moment without writes", async () => {
    const expected = await sumRows(url);
    const at = new Date();
    await until("the next millisecond", () => Date.now() > at.getTime() + 1);
    return isDeepStrictEqual(await sumRows(url), expected) && { at, expected };
  });
}

async function queueTestMail(db: Database, subject: string): Promise<void> {
  const now = new Date();
  await db
    .insertInto("mail_outbox")
    .values({
      id: crypto.randomUUID(),
      recipient: "a@example.com",
      subject,
      text_body: "t",
      html_body: "h",
      queued_at: now,
      not_before: new Date(now.getTime() + 3_600_000),
      last_error: null,
      unsubscribe_url: null,
    })
    .execute();
}

const createLocation = (world: World, who: Person, name: string) =>
  world.call(who, "POST", "/api/measurement", { body: { name, owner: who.id } });

async function reportedRev(world: World): Promise<number> {
  const { rows } = await sql<{ rev: number | null }>`
    select (d.reported ->> 'rev')::int as rev from device d join sensor s on s.num = d.sensor_num where s.id = ${sensorId}`.execute(
    world.ctx.db,
  );
  return rows[0]?.rev ?? 0;
}

/** Orders something else from the sensor, and waits until it says that it obeys. */
async function orderVpn(world: World, connect: boolean): Promise<number> {
  const before = await reportedRev(world);
  await sql`update sensor set vpn = ${JSON.stringify({ connect })}::jsonb where id = ${sensorId}`.execute(world.ctx.db);
  world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [sensorId] } });
  return until("the sensor obeys", async () => {
    const rev = await reportedRev(world);
    return rev > before && rev;
  });
}

test("a restore to a chosen second equals that second, and sensors, mails and sessions are safe", async () => {
  const [port, mqttPort] = await findFreePorts(2);
  const env = {
    DATA_DIR: await newFolder(),
    BACKUP_DIR: await newFolder(),
    BACKUP_PASSPHRASE: passphrase,
    PORT: String(port),
    MQTT_PORT: String(mqttPort),
    HOST: "127.0.0.1",
    TEST_HASHING: "on",
    LOG_LEVEL: "silent",
  };
  const first = await start(env);
  const owner = await first.account("Harbour Stores", first.root, fullPermissions);
  const token = await requestInitToken(first, owner);
  const args = [simulator, "one", "--id", sensorId, "--url", first.url, "--token", token];
  const fleet: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  cleanUps.push(() => fleet.kill("SIGKILL"));
  await until("the sensor obeys", async () => (await reportedRev(first)) === 1);
  await queueTestMail(first.ctx.db, "before");

  let isWriting = true;
  const writes = (async () => {
    for (let n = 0; isWriting; n += 1) expect((await createLocation(first, owner, `During ${n}`)).status).toBe(200);
  })();
  expect(await runBackup(env)).toMatchObject({ code: 0 });
  isWriting = false;
  await writes;

  expect((await createLocation(first, owner, "Kept")).status).toBe(200);
  fleet.kill("SIGSTOP");
  const { at, expected } = await quietMoment(first.server.databaseUrl);
  fleet.kill("SIGCONT");
  expect((await createLocation(first, owner, "Lost")).status).toBe(200);
  await orderVpn(first, true);
  const lastRev = await orderVpn(first, false);
  const newcomer = { token, id: "02:00:00:00:77:22" };
  const lost = await enrolSensor(first.url, newcomer);
  await until("the archive covers it", async () => {
    const covered = await readCovered(archiveFolder(env.BACKUP_DIR, 0));
    return covered !== null && new Date(covered.at) > at;
  });
  const { token: oldSession } = owner;
  await first.server.stop();

  await expect(restore({ ...env, BACKUP_PASSPHRASE: "not the passphrase" }, { replace: true })).rejects.toThrow(
    /passphrase does not open/,
  );
  await expect(restore(env)).rejects.toThrow(/not empty/);
  await expect(restore(env, { at: new Date(at.getTime() + 86_400_000), replace: true })).rejects.toThrow(/ends at/);
  await expect(restore(env, { at: new Date(0), replace: true })).rejects.toThrow(/begins at/);
  const restored = await restore(env, { at, replace: true });
  expect(restored).toMatchObject({ heldMails: 1 });
  await withDatabase(readBackupConfig(env), quiet, async (_, url) => expect(await sumRows(url)).toEqual(expected));

  const second = await start(env);
  expect((await second.call({ ...owner, token: oldSession }, "GET", "/api/measurement")).status).toBe(401);
  const future = new Date(Date.now() + 86_400_000);
  const due = await second.ctx.db.transaction().execute((tx) => lockDueMails(tx, future, 10));
  expect(due.filter((mail) => mail.subject === "before")).toEqual([]);
  const rev = await until("the sensor obeys again", async () => {
    const found = await reportedRev(second);
    return found > lastRev && found;
  });
  expect(rev).toBe(restored?.installation);
  expect(await orderVpn(second, true)).toBe(rev + 1);

  // A sensor that was enrolled after the chosen second is refused until it enrolls again.
  const connect = ({ mqtt: { username, clientId, password } }: EnrolReply) =>
    connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      protocolVersion: 5,
      reconnectPeriod: 0,
      username,
      clientId,
      password,
    });
  await expect(connect(lost)).rejects.toMatchObject({ code: 0x87 });
  const client = await connect(await enrolSensor(second.url, newcomer));
  await client.endAsync();
});
