// Tests updates through a sensor's REST interface, which the server reaches over the sensor's tunnel
// (SE-09, SE-10, FW-03, ADR 0019).
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { birth, type Device, until } from "../testing/devices/device-world.ts";
import { openTunnel, type OpenTunnel } from "../testing/devices/tunnel-device.ts";
import { TunnelError } from "../tunnel/tunnel.service.ts";
import { startRestRollout } from "./rest.service.ts";
import { createRolloutScene, waitForOffer, type RolloutScene, desiredState } from "./scene.testing.ts";

let scene: RolloutScene;
let v19: string;
let v20: string;
beforeAll(async () => {
  scene = await createRolloutScene();
  v19 = await scene.firmware("1.19.0");
  v20 = await scene.firmware("1.20.0");
});
afterAll(() => scene.stop());

const hourMs = 3_600_000;
const login = { username: "user-role-edit", password: "harbour-lantern-9" };
type Received = { path: string; method: string; token: string | undefined; body: Record<string, unknown> };
/** A status, a status with a body, or null for no response. */
type Answer = number | [number, unknown] | null;
type RestSensor = Device & {
  asked: Received[];
  updates(): Received[];
  tunnel: OpenTunnel;
  answers: { login: Answer; update: Answer };
  open(): Promise<void>;
};

const enter = (id: string, credentials = login) =>
  scene.world.call(scene.owner, "PUT", `/api/sensor/${id}`, {
    body: { sensorFeatureCredentials: [{ feature: "restapi", ...credentials }] },
  });

/** An older APS: no `fw` among its capabilities, and a REST interface behind its tunnel. */
async function restSensor({ open = true, credentials = true } = {}): Promise<RestSensor> {
  const device = await scene.sensor();
  if (credentials) expect((await enter(device.id)).status).toBe(200);
  const asked: Received[] = [];
  const answers: RestSensor["answers"] = { login: 200, update: 200 };
  const sensor = {
    ...device,
    asked,
    answers,
    updates: () => asked.filter((one) => one.path === "/apiv1/update"),
    async open() {
      sensor.tunnel = await openTunnel(scene.world.url, device, (request, reply, text) => {
        const body = JSON.parse(text) as Record<string, unknown>;
        const isLogin = request.url === "/auth";
        asked.push({ path: request.url, method: request.method, token: request.headers.authorization, body });
        const answer = isLogin ? knows(body, answers.login) : answers.update;
        if (answer === null) return;
        const [status, said] = Array.isArray(answer) ? answer : [answer, isLogin ? { access_token: "t.0.k" } : ""];
        reply.writeHead(status).end(typeof said === "string" ? said : JSON.stringify(said));
      });
      onTestFinished(() => sensor.tunnel.close());
    },
  } as RestSensor;
  if (open) await sensor.open();
  return sensor;
}
const knows = (body: Record<string, unknown>, otherwise: Answer): Answer =>
  body["username"] === login.username && body["password"] === login.password ? otherwise : 401;
const ended = (id: string) => until("an outcome", async () => (await scene.seen(id)).status);

test("FW-03 SE-10 login with stored credentials, one order, 200, and the new version in the next birth", async () => {
  const sensor = await restSensor();
  const screen = await scene.world.live(scene.owner);
  expect((await scene.assign(sensor.id, v19)).status).toBe(200);
  expect(await ended(sensor.id)).toBe("UpdateInitiatedOnSensor");
  expect(await scene.seen(sensor.id)).toMatchObject({ running: "1.18.0", install: { ok: true, state: "INITIATE" } });
  const [first, second] = sensor.asked;
  expect(first).toMatchObject({ method: "POST", path: "/auth", token: undefined, body: login });
  expect(second).toMatchObject({ method: "POST", path: "/apiv1/update", token: "Bearer t.0.k" });
  expect(second?.body).toEqual({
    Update_type: "UPDATE_FIRMWARE",
    Packet_url: expect.any(String) as string,
    Validity: 48,
  });
  const link = String(second?.body["Packet_url"]);
  expect(link.length).toBeLessThanOrEqual(255);
  expect(await (await fetch(link)).text()).toBe("image of APS 1.19.0");
  await scene.pass(48 * hourMs - 60_000);
  expect((await fetch(link)).status).toBe(200);

  await sensor.up("state", birth("after", { fw: "1.19.0", reason: "fw" }));
  await until("the proof", async () => (await scene.seen(sensor.id)).install?.state === "FINISHED");
  const done = await scene.world.call(scene.owner, "GET", `/api/sensor/${sensor.id}`);
  expect(done.body).toMatchObject({
    artifact: { _id: v19 },
    artifactRunning: { _id: v19 },
    sensorUpdateTask: { status: "UpdateInitiatedOnSensor" },
    artifactInstallationState: { ok: true, state: "FINISHED" },
  });
  await until("the end on the live channel", () =>
    screen.frames.find(
      ({ obj }) => obj?.["_id"] === sensor.id && JSON.stringify(obj["artifactInstallationState"]).includes("FINISHED"),
    ),
  );
  expect(sensor.updates()).toHaveLength(1);
  expect(desiredState(sensor)?.fw).toBeNull();
});

const refusals: [string, { login?: Answer; update?: Answer }, RegExp, number][] = [
  ["401 at the login", { login: 401 }, /credentials/, 0],
  ["403 at the login", { login: [403, { message: "locked" }] }, /login \(403\): locked/, 0],
  ["a login without a token", { login: [200, "<html>"] }, /not return an access token/, 0],
  ["a token that is no header", { login: [200, { access_token: "a\r\nb" }] }, /not return an access token/, 0],
  ["401", { update: 401 }, /credentials/, 1],
  ["400", { update: [400, { error: "Packet\u0007_url?" }] }, /update \(400\): Packet _url\?/, 1],
  ["403", { update: 403 }, /update \(403\)/, 1],
  ["405", { update: [405, "no"] }, /update \(405\)/, 1],
  ["302", { update: 302 }, /update \(302\)/, 1],
  ["500", { update: [500, { message: { deep: 1 } }] }, /update \(500\)$/, 1],
];
test.each(everyNth(2, refusals))(
  "SE-09 %s ends the task with its reason, and nothing is repeated",
  async (_what, answers, info, orders) => {
    const sensor = await restSensor();
    Object.assign(sensor.answers, answers);
    await scene.assign(sensor.id, v19);
    expect(await ended(sensor.id)).toBe("UpdateFailed");
    expect((await scene.seen(sensor.id)).info).toMatch(info);
    sensor.tunnel.close();
    await sensor.open();
    await scene.pass(hourMs);
    expect(sensor.updates()).toHaveLength(orders);
  },
);

test("SE-10 wrong credentials fail; corrected ones allow a retry", async () => {
  const sensor = await restSensor({ credentials: false });
  await enter(sensor.id, { ...login, password: "not-this-one" });
  await scene.assign(sensor.id, v19);
  expect(await ended(sensor.id)).toBe("UpdateFailed");
  expect(sensor.updates()).toHaveLength(0);
  await enter(sensor.id);
  await scene.assign(sensor.id, v19);
  await until("the order", () => sensor.updates().length === 1);
  await until("accepted", async () => (await scene.seen(sensor.id)).status === "UpdateInitiatedOnSensor");
});

test("SE-09 without a tunnel for 48 hours the task fails; with one it runs", async () => {
  const [never, late] = [await restSensor({ open: false }), await restSensor({ open: false })];
  for (const { id } of [never, late]) await scene.assign(id, v19);
  await scene.pass(47 * hourMs);
  for (const { id } of [never, late]) expect(await scene.seen(id)).toMatchObject({ status: null, info: null });
  await late.open();
  expect(await ended(late.id)).toBe("UpdateInitiatedOnSensor");
  await scene.pass(hourMs + 60_000);
  expect(await scene.seen(never.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor could not be reached over PS.Connect within 48 hours",
  });
  await never.open();
  await scene.pass(60_000);
  expect(never.asked).toEqual([]);
});

test("SE-09 a later version corrects the displayed outcome, requested this time or before", async () => {
  const sensor = await restSensor();
  await scene.assign(sensor.id, v19);
  expect(await ended(sensor.id)).toBe("UpdateInitiatedOnSensor");
  sensor.tunnel.close();
  await scene.pass(49 * hourMs + 60_000);
  expect((await scene.seen(sensor.id)).info).toMatch(/accepted the update but still runs 1\.18\.0/);
  await scene.assign(sensor.id, v19);
  await scene.pass(48 * hourMs + 60_000);
  expect((await scene.seen(sensor.id)).info).toMatch(/could not be reached over PS\.Connect/);
  await sensor.up("state", birth("s7", { fw: "1.20.0" }));
  await until("another version", async () => (await scene.seen(sensor.id)).running === "1.20.0");
  expect(await scene.seen(sensor.id)).toMatchObject({ status: "UpdateFailed" });
  await sensor.up("state", birth("s8", { fw: "1.19.0" }));
  await until("corrected", async () => (await scene.seen(sensor.id)).status === "UpdateInitiatedOnSensor");
  expect(await scene.seen(sensor.id)).toMatchObject({ info: null, install: null, running: "1.19.0" });
  expect(sensor.updates()).toHaveLength(1);
});

test("FW-03 sensors with firmware jobs or without credentials are never asked over REST", async () => {
  const modern = await restSensor();
  await modern.up("state", birth("s2", { caps: ["count", "fw"] }));
  const bare = await restSensor({ credentials: false });
  for (const device of [modern, bare]) {
    await scene.assign(device.id, v19);
    await waitForOffer(device, "1.19.0");
    expect(device.asked).toEqual([]);
  }
});

test("SE-09 an unanswered order is not repeated or canceled; the version decides", async () => {
  const [installs, sleeps] = [await restSensor(), await restSensor()];
  for (const sensor of [installs, sleeps]) {
    sensor.answers.update = null;
    await scene.assign(sensor.id, v19);
    await until("the order", () => sensor.updates().length === 1);
    sensor.tunnel.close();
    await sensor.open();
  }
  await scene.assign(installs.id, null);
  expect(await scene.seen(installs.id)).toMatchObject({
    artifact: null,
    status: null,
    info: "The sensor was asked to install but has not responded. It may be installing",
  });
  await installs.up("state", birth("s3", { fw: "1.19.0" }));
  await until("done", async () => (await scene.seen(installs.id)).status === "UpdateInitiatedOnSensor");

  await scene.pass(49 * hourMs + 60_000);
  expect(await scene.seen(sleeps.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor did not respond to the update request or install within 49 hours",
  });
  await sleeps.up("state", birth("s4", { fw: "1.19.0" }));
  await until("corrected", async () => (await scene.seen(sleeps.id)).status === "UpdateInitiatedOnSensor");
  for (const sensor of [installs, sleeps]) expect(sensor.updates()).toHaveLength(1);
});

test("SE-09 after 200 a cancel is too late; the next firmware waits", async () => {
  const sensor = await restSensor();
  await scene.assign(sensor.id, v19);
  expect(await ended(sensor.id)).toBe("UpdateInitiatedOnSensor");
  await scene.assign(sensor.id, null);
  expect(await scene.seen(sensor.id)).toMatchObject({ artifact: null, status: "UpdateInitiatedOnSensor" });
  await scene.assign(sensor.id, v20);
  expect(await scene.seen(sensor.id)).toMatchObject({ artifact: v20, status: null });
  await scene.pass(60_000);
  expect(sensor.updates()).toHaveLength(1);
  await sensor.up("state", birth("s5", { fw: "1.19.0" }));
  await until("the second order", () => sensor.updates().length === 2);
  await until("accepted", async () => (await scene.seen(sensor.id)).status === "UpdateInitiatedOnSensor");
});

test("SE-09 firmware behind an unanswered order starts after 49 hours, with 48 for a tunnel", async () => {
  const [there, away] = [await restSensor(), await restSensor()];
  for (const sensor of [there, away]) {
    sensor.answers.update = null;
    await scene.assign(sensor.id, v19);
    await until("the order", () => sensor.updates().length === 1);
    sensor.tunnel.close();
    sensor.answers.update = 200;
    await scene.assign(sensor.id, v20);
  }
  await there.open();
  await scene.pass(48 * hourMs + 60_000);
  expect(await scene.seen(there.id)).toMatchObject({ artifact: v20, status: null });
  expect(there.updates()).toHaveLength(1);
  await scene.pass(hourMs);
  await until("the second order", () => there.updates().length === 2);
  expect(await ended(there.id)).toBe("UpdateInitiatedOnSensor");

  await scene.pass(47 * hourMs);
  expect(await scene.seen(away.id)).toMatchObject({ artifact: v20, status: null });
  await scene.pass(hourMs + 60_000);
  expect(await scene.seen(away.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor could not be reached over PS.Connect within 48 hours",
  });
  expect(away.updates()).toHaveLength(1);
});

test("SE-09 an accepted update that never shows fails after 49 hours with the running version", async () => {
  const sensor = await restSensor();
  await scene.assign(sensor.id, v19);
  await ended(sensor.id);
  await scene.pass(49 * hourMs + 60_000);
  expect(await scene.seen(sensor.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor accepted the update but still runs 1.18.0 after 49 hours",
    install: { ok: false, state: "ERROR" },
  });
});

test("SE-09 a task that has not started is canceled at once; a busy login is retried", async () => {
  const absent = await restSensor({ open: false });
  await scene.assign(absent.id, v19);
  await scene.assign(absent.id, null);
  expect(await scene.seen(absent.id)).toMatchObject({ status: "UpdateCanceled" });

  const busy = await restSensor();
  busy.answers.login = 503;
  await scene.assign(busy.id, v19);
  await until("a try", () => busy.asked.length === 1);
  expect(await scene.seen(busy.id)).toMatchObject({ status: null });
  busy.tunnel.close();
  busy.answers.login = 200;
  await busy.open();
  expect(await ended(busy.id)).toBe("UpdateInitiatedOnSensor");
});

test("T-17 endless or verbose responses delay no one and are quoted briefly", async () => {
  const [endless, wordy, honest] = [await restSensor(), await restSensor(), await restSensor()];
  endless.answers.login = [200, "x".repeat(200_000)];
  wordy.answers.update = [400, { message: `<img src=x onerror=alert(1)>\r\n\u202e${"word ".repeat(2000)}` }];
  const vast = await restSensor();
  vast.answers.update = [400, "y".repeat(200_000)];
  for (const { id } of [endless, wordy, vast, honest]) await scene.assign(id, v19);
  expect(await ended(honest.id)).toBe("UpdateInitiatedOnSensor");
  expect(await ended(wordy.id)).toBe("UpdateFailed");
  const { info } = await scene.seen(wordy.id);
  expect(info?.length).toBeLessThan(400);
  expect(info).not.toMatch(/\p{C}/u);
  expect(await ended(vast.id)).toBe("UpdateFailed");
  expect((await scene.seen(vast.id)).info).toBe("The sensor refused the update (400)");
  expect(await scene.seen(endless.id)).toMatchObject({ status: null, info: null });
  expect(endless.updates()).toEqual([]);
});

test("T-13 a claim discards the former owner's order and credentials", async () => {
  const { world, owner } = scene;
  const sensor = await restSensor({ open: false });
  await scene.assign(sensor.id, v19);
  await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { claimable: true } });
  const code = (await world.call(owner, "GET", `/api/sensor/${sensor.id}`)).at("claimingCode");
  const heir = await world.account("Heir", world.root, fullPermissions);
  const claimed = await world.call(heir, "POST", "/api/claim/", {
    body: { sensors: [{ id: sensor.id, type: "APS", claimingCode: code }] },
  });
  expect(claimed.status, JSON.stringify(claimed.body)).toBe(200);
  await sensor.open();
  await until("the tunnel", async () => {
    const seen = await world.call(heir, "GET", `/api/sensor/${sensor.id}`);
    return seen.at("psconnect.connectionStatus") === "connected";
  });
  await scene.pass(60_000);
  expect(sensor.asked).toEqual([]);
  const seen = await world.call(heir, "GET", `/api/sensor/${sensor.id}`);
  expect(seen.body).toMatchObject({ artifact: null, sensorUpdateTask: null, sensorFeatureCredentials: [] });
});

test("FW-03 deleted firmware is not ordered", async () => {
  const sensor = await restSensor({ open: false });
  const gone = await scene.firmware("1.21.0");
  await scene.assign(sensor.id, gone);
  await scene.world.call(scene.owner, "DELETE", `/api/artifact/${gone}`);
  await sensor.open();
  expect(await ended(sensor.id)).toBe("UpdateFailed");
  expect((await scene.seen(sensor.id)).info).toBe("The firmware was deleted");
  expect(sensor.updates()).toHaveLength(0);
});

test("SE-09 a reopened tunnel is used while the old request is still open", async () => {
  const sensor = await restSensor({ open: false });
  await scene.assign(sensor.id, v19);
  const asked: { answer(): void }[] = [];
  const listeners: ((sensorId: string) => void)[] = [];
  const rollout = startRestRollout(scene.world.ctx, {
    tunnels: {
      isOpen: (id) => id === sensor.id,
      openIds: () => [sensor.id],
      request: () => new Promise((_, fail) => asked.push({ answer: () => fail(new TunnelError("gone", false)) })),
      onOpen: (listener) => (listeners.push(listener), () => undefined),
    },
    baseUrl: () => scene.world.url,
    everyMs: hourMs,
  });
  onTestFinished(() => rollout.stop());
  const open = () => listeners.forEach((listener) => listener(sensor.id));
  open();
  await until("a login", () => asked.length === 1);
  open();
  asked[0]?.answer();
  await until("another login", () => asked.length === 2);
  asked[1]?.answer();
});
