// Tests the REST interface of an older APS through a real tunnel.
import { expect, onTestFinished, test } from "vitest";
import { wireId } from "@psp/contract/kit/ids.ts";
import { damagedDownload, failedSelfTest } from "../faults/faults.ts";
import type { Fault } from "../faults/world.ts";
import { stopSensor } from "../sensor/sensor.ts";
import { openCloud } from "../testing/cloud.ts";
import { id, openTestSensor, type TestSensor, type TestSensorSetup } from "../testing/test-sensor.ts";
import { requestThrough, openReachableSensor as reachableStage } from "../testing/tunnel.ts";
import { waitUntil } from "../testing/virtual-clock.ts";

const password = "harbour-lantern-9";
const openReachableSensor = (faults: Fault[] = [], setup: TestSensorSetup = {}): Promise<TestSensor> =>
  reachableStage({ rest: password, faults, ...setup });
const ask = (
  { cloud }: TestSensor,
  method: string,
  path: string,
  question: Parameters<typeof requestThrough>[3] = {},
) => requestThrough(cloud, method, path, question);

async function login(made: TestSensor, username = "user-role-edit"): Promise<string> {
  const { status, json } = await ask(made, "POST", "/auth", { body: { username, password } });
  expect(status).toBe(200);
  return (json as { access_token: string }).access_token;
}
const order = (made: TestSensor, extra: object = {}) => ({
  body: { Update_type: "UPDATE_FIRMWARE", Packet_url: `${made.cloud.url}/fw/1`, Validity: 48, ...extra },
});

test("the login gives a token of an hour to those who know the password, 401 and 400 to others", async () => {
  const made = await openReachableSensor();
  const token = await login(made);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, number>;
  expect(claims).toMatchObject({ identity: "user-role-edit" });
  expect((claims["exp"] ?? 0) - (claims["iat"] ?? 0)).toBe(3600);
  const tries: [unknown, number][] = [
    [{ username: "user-role-edit", password: "wrong" }, 401],
    [{ username: "admin", password }, 401],
    [{ username: "user-role-edit" }, 400],
    ["no json", 400],
    ["x".repeat(20_000), 413],
  ];
  for (const [body, status] of tries) expect((await ask(made, "POST", "/auth", { body })).status).toBe(status);
  expect((await ask(made, "GET", "/auth")).status).toBe(405);
});

test("FW-03 /apiv1/update answers by the manual's table", async () => {
  const made = await openReachableSensor();
  const [edit, view] = [await login(made), await login(made, "user-role-view")];
  const forged = `${edit.split(".").slice(0, 2).join(".")}.${"A".repeat(43)}`;
  const status = async (method: string, options: Parameters<typeof ask>[3]) =>
    (await ask(made, method, "/apiv1/update", options)).status;
  expect(await status("POST", order(made))).toBe(401);
  expect(await status("POST", { ...order(made), token: forged })).toBe(401);
  expect(await status("GET", { token: edit })).toBe(403);
  expect(await status("PUT", { token: edit })).toBe(405);
  expect(await status("DELETE", { token: edit })).toBe(405);
  expect(await status("POST", { ...order(made), token: view })).toBe(403);
  for (const wrong of [
    { Update_type: "UPDATE_ALL" },
    { Packet_url: "" },
    { Packet_url: `http://x/${"y".repeat(255)}` },
    { Validity: 0 },
    { Validity: 169 },
    { Validity: 1.5 },
  ])
    expect(await status("POST", { ...order(made, wrong), token: edit }), JSON.stringify(wrong)).toBe(400);
  const accepted = await ask(made, "POST", "/apiv1/update", { ...order(made), token: edit });
  expect(accepted).toMatchObject({ status: 200, text: "" });
  expect(await status("POST", { ...order(made), token: edit })).toBe(400);
});

test("FW-03 an ordered update is fetched, installed once and reported by the next birth; no job is sent", async () => {
  const made = await openReachableSensor();
  const { cloud, installs } = made;
  cloud.image.bytes = Buffer.alloc(100_000, "firmware ");
  expect(cloud.births[0]?.birth.caps).not.toContain("fw");
  await ask(made, "POST", "/apiv1/update", { ...order(made), token: await login(made) });
  await made.passUntil("the birth of the new version", () => cloud.births.at(-1)?.birth.fw === "1.19.0");
  expect(installs).toEqual([{ sensor: id, job: `${cloud.url}/fw/1`, version: "1.19.0" }]);
  expect(cloud.heard.filter(({ kind }) => kind === "job")).toEqual([]);
  await waitUntil("the tunnel again", () => cloud.tunnels.has(wireId(id)));
});

test("FW-03 a version that fails its self-test never connects; a damaged package is retried", async () => {
  const bad = await openReachableSensor([failedSelfTest()]);
  bad.cloud.image.bytes = Buffer.alloc(1000, "x");
  const births = bad.cloud.births.length;
  await ask(bad, "POST", "/apiv1/update", { ...order(bad), token: await login(bad) });
  await bad.passUntil("back with the old version", () => bad.cloud.births.length > births);
  expect(bad.cloud.births.map(({ birth }) => birth.fw)).not.toContain("1.19.0");
  expect(bad.installs).toHaveLength(1);

  const damaged = await openReachableSensor([damagedDownload()]);
  damaged.cloud.image.bytes = Buffer.alloc(1000, "x");
  await ask(damaged, "POST", "/apiv1/update", { ...order(damaged, { Validity: 1 }), token: await login(damaged) });
  await damaged.passUntil("the end", () => damaged.log.includes("update given up"), 2 * 3_600_000, 5_000);
  expect(damaged.cloud.image.requests.length).toBeGreaterThan(3);
  expect(damaged.installs).toEqual([]);
});

test("FW-03 an order survives a restart of the simulator and is carried out once", async () => {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  const before = await openReachableSensor([], { cloud });
  await ask(before, "POST", "/apiv1/update", { ...order(before), token: await login(before) });
  await stopSensor(before.sensor);
  const saved = before.kept();
  expect(saved?.restUpdate).toMatchObject({ url: `${cloud.url}/fw/1` });
  cloud.image.bytes = Buffer.alloc(1000, "x");
  const after = await openTestSensor({ rest: password, cloud, clock: before.clock, saved });
  await after.online();
  await after.passUntil("the birth of the new version", () => cloud.births.at(-1)?.birth.fw === "1.19.0");
  expect([...before.installs, ...after.installs]).toHaveLength(1);
});

test("the counts are running totals by line and class, and PUT sets them to zero for this interface alone", async () => {
  const made = await openReachableSensor();
  const token = await login(made, "user-role-view");
  const sum = async (path = "") => {
    const { status, json } = await ask(made, "GET", `/apiv1/sensorData/counts${path}`, { token });
    expect(status).toBe(200);
    const { counts } = json as { counts: { name: string; data: { class: string; in: number; out: number }[] }[] };
    expect(counts.flatMap(({ data }) => data.map((one) => one.class))).toContain("adult");
    return {
      names: counts.map((one) => one.name),
      in: counts.flatMap((one) => one.data).reduce((n, one) => n + one.in, 0),
    };
  };
  await made.pass(2 * 3_600_000);
  const counted = made.truth.rows.reduce((n, row) => n + row.seenIn, 0);
  const first = await sum();
  expect(first.in).toBeGreaterThanOrEqual(counted);
  expect(counted).toBeGreaterThan(0);
  const line = `/${encodeURIComponent(first.names[0] ?? "")}`;
  expect((await sum(line)).names).toEqual([first.names[0]]);
  expect((await ask(made, "PUT", `/apiv1/sensorData/counts${line}`, { token })).status).toBe(200);
  expect((await sum(line)).in).toBe(0);
  await made.pass(3_600_000);
  const since = await sum(line);
  expect(since.in).toBeGreaterThan(0);
  expect(since.in).toBeLessThan(first.in);
  for (const [method, path, status] of [
    ["POST", "", 405],
    ["DELETE", line, 405],
    ["GET", "/Nowhere", 404],
    ["GET", "/%E0%A4%A", 404],
  ] as const)
    expect((await ask(made, method, `/apiv1/sensorData/counts${path}`, { token })).status).toBe(status);
  expect((await ask(made, "GET", "/apiv1/sensorData/counts")).status).toBe(401);
  expect((await ask(made, "GET", "/apiv1/other", { token })).status).toBe(404);
});
