// Tests that today's server starts on a data folder of an older version, and returns the same data over HTTP.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { cp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";
import { type Server, startServer } from "./server.ts";

/** The last migration of the version that wrote `old-data.sql`. */
const last = "0019_settings.sql";
/** Secret of that data folder, needed to decrypt the init token. */
const sessionSecret = "d51eefa8cc3a8889cb28f3143ad39b6aa011230c297546c3c401f7960529e3c7";
const manager = { email: "invited@old.example", password: "An-Old-Pass-77-word" };
const id = {
  root: "01a21d7a-843f-7439-bebe-bb50ff152660",
  account: "01a21d7b-18ba-7439-bec6-8ad76dabf842",
  role: "01a21d7b-1816-7439-bec4-e801fddfc80c",
  firmware: "01a21d7b-1b42-7439-bece-4ebda0464499",
  token: "01a21d7b-1a3f-7439-beca-394283fdf4a3",
  location: "01a21d7b-1ce3-7439-bed0-d5f61bd655a8",
  sensor: "02:00:00:00:00:01",
};

const folder = mkdtempSync(join(tmpdir(), "psp-old-data-"));
const dataDir = join(folder, "data");
const log = pino({ level: "silent" });
let server: Server;
let session: string;

async function makeOldData(): Promise<void> {
  const migrations = join(import.meta.dirname, "../db/migrations");
  const former = join(folder, "migrations");
  for (const name of (await readdir(migrations)).filter((file) => file <= last))
    await cp(join(migrations, name), join(former, name));
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log });
  try {
    await migrate(postgres.url, former);
    const url = new URL(postgres.superuserUrl);
    url.pathname = "/psp";
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(await readFile(join(import.meta.dirname, "old-data.sql"), "utf8"));
    await client.end();
  } finally {
    await postgres.stop();
  }
  mkdirSync(join(dataDir, "secrets"), { mode: 0o700 });
  writeFileSync(join(dataDir, "secrets", "session_secret"), sessionSecret, { mode: 0o600 });
}

async function get(path: string): Promise<Response> {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${session}` } });
  expect(response.status, path).toBe(200);
  return response;
}

beforeAll(async () => {
  await makeOldData();
  const config = readConfig({
    DATA_DIR: dataDir,
    DEMO: "off",
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    LOG_LEVEL: "silent",
  });
  server = await startServer(config, log);
  const response = await fetch(`${server.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify(manager),
  });
  expect(response.status).toBe(200);
  ({ token: session } = (await response.json()) as { token: string });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the start makes no second root account", () => {
  expect(server.firstLogin).toBeNull();
});

test("accounts, roles, sensors, locations, firmware and init tokens are those of the older version", async () => {
  const owner = { _id: id.account, name: "Old Shops" };
  const one = async (path: string) => (await get(`/api/${path}`)).json();
  expect(await one("auth/user")).toMatchObject({ ...owner, role: { _id: id.role, name: "Shop manager" } });
  expect(await one(`account/${id.account}`)).toMatchObject({
    ...owner,
    credentials: [{ email: manager.email }],
    registrationInfo: [{ stepReached: 2, legal: { firstName: "Olga", familyName: "Older", dpaVersion: "2024-06-01" } }],
    parentAccounts: [id.root],
    phone: "089 1234",
  });
  expect(await one(`sensor/${id.sensor}`)).toMatchObject({
    owner,
    type: "APS",
    measurement: { _id: id.location, name: "Old Town Shop", location: { timezone: "Europe/Berlin" } },
    artifact: { _id: id.firmware, name: "1.4.0" },
    info: { hardware: { model: "APS-90" }, software: { firmware: { version: "1.18.0" } } },
    groups: ["entrance"],
    claimingCode: "2E2WX8MT",
    sensorUpdateTask: { artifactID: id.firmware, createdByAccount: id.root },
    version: 2,
  });
  expect(await one(`measurement/${id.location}`)).toMatchObject({
    name: "Old Town Shop",
    owner,
    location: { coordinates: [48.1374, 11.5755], address: { zip: "80331", city: "Munich", street: "Marienplatz 1" } },
    tags: ["ground floor"],
    sensorCount: 1,
  });
  expect(await one(`artifact/${id.firmware}`)).toMatchObject({
    name: "1.4.0",
    file: { size: 28, sha256: "9e03cf19aff2a9a357655c3dbad3b8d2d1d5bc8f59e88cdde999ecb6f5eee161" },
  });
  expect(await one(`init_token/${id.token}`)).toMatchObject({
    name: "Old key",
    owner,
    token: "psi_cqhntLiMv9bnWhMpIWnTFqbymHGnYq47f50gOwhxTGc",
  });
});

test("the file of a firmware is the uploaded one", async () => {
  expect(await (await get(`/api/artifact/${id.firmware}/package`)).text()).toBe("an old firmware of few bytes");
});

test("counts of a location are those of the older version", async () => {
  const query = new URLSearchParams({
    filter: `meas:${id.location}`,
    acc: "day",
    from: "2026-11-25T23:00:00Z",
    to: "2026-11-27T23:00:00Z",
  });
  const days = (await (await get(`/data/v2/aggregate/json?${query.toString()}`)).json()) as {
    start: string;
    data: unknown;
  }[];
  expect(days.map(({ start, data }) => [start, data])).toEqual([
    ["2026-11-26T00:00:00.000+01:00", { in: 955, out: 955 }],
    ["2026-11-27T00:00:00.000+01:00", { in: 486, out: 464 }],
  ]);
});

test("lists, their totals and the audit log keep their rows", async () => {
  const total = async (path: string) => ((await (await get(path)).json()) as { total: number }).total;
  expect(await total("/api/v2/sensor?includeTotals=true")).toBe(1);
  expect(await total("/api/v2/measurement?includeTotals=true")).toBe(1);
  const audit = await (await get(`/api/v2/audit?objectType=sensor&objectID=${id.sensor}`)).json();
  expect((audit as { objects: { action: string }[] }).objects.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["enrol", "update", "assignFirmware"]),
  );
});
