// Tests remote functions, desired configuration and commands from the cloud.
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { deviceRpcResponseSchema } from "@psp/contract/device/device-rpc.ts";
import type { ReportedState } from "@psp/contract/device/device-messages.ts";
import { noResponse } from "../faults/faults.ts";
import type { Cloud } from "../testing/cloud.ts";
import { triggerPassages } from "../sensor/meter.ts";
import { id, morning, openTestSensor } from "../testing/test-sensor.ts";
import { waitUntil } from "../testing/virtual-clock.ts";

let serial = 0;

async function ask(
  cloud: Cloud,
  func: string,
  data: unknown,
  more: { at?: number; correlation?: Buffer; topic?: string } = {},
): Promise<Buffer> {
  const correlation = more.correlation ?? Buffer.from(`question-${serial++}`);
  const encoded = data === null ? "" : Buffer.from(JSON.stringify(data)).toString("base64");
  await cloud.send(
    id,
    "rpc",
    { func, data: encoded, timeout: 10_000, at: more.at ?? morning },
    { responseTopic: more.topic ?? upTopic(id, "rpc/gw1"), correlationData: correlation },
  );
  return correlation;
}

function answersTo(cloud: Cloud, correlation: Buffer) {
  return cloud.heard
    .filter((one) => one.kind === "rpc" && one.correlation?.equals(correlation))
    .map(({ body }) => deviceRpcResponseSchema.parse(body));
}

async function answerTo(cloud: Cloud, correlation: Buffer) {
  await waitUntil("the answer", () => answersTo(cloud, correlation).length > 0);
  const [answer] = answersTo(cloud, correlation);
  if (!answer) throw new Error("no answer");
  return answer;
}

describe("remote functions", () => {
  test("a snapshot is a picture of the wanted width, drawn for this sensor", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    const answer = await answerTo(cloud, await ask(cloud, "getSnapshot", { width: 320, blur: true }));
    if (!answer.ok) throw new Error(answer.message);
    expect(answer).toMatchObject({ func: "getSnapshot", ct: "image/png", timestamp: morning, part: 1, parts: 1 });
    const png = Buffer.from(answer.data, "base64");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([320, 240]);
    const start = png.indexOf("IDAT");
    const pixels = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
    expect(pixels).toHaveLength(240 * 321);
    expect(new Set(pixels).size).toBeGreaterThan(4);
  });

  test("SE-11 snapshots are at most 1280 px wide, and blurred unless declined", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    const take = async (options: object | null) => {
      const answer = await answerTo(cloud, await ask(cloud, "getSnapshot", options));
      if (!answer.ok) throw new Error(answer.message);
      const png = Buffer.from(answer.data, "base64");
      const start = png.indexOf("IDAT");
      const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
      // Only faces are black (palette index 6).
      return { width: png.readUInt32BE(16), hasFaces: rows.includes(6) };
    };
    expect(await take({ width: 4000, blur: false })).toEqual({ width: 1280, hasFaces: true });
    expect(await take({ width: 100, blur: false })).toMatchObject({ width: 100 });
    expect(await take({ width: 1280, blur: true })).toEqual({ width: 1280, hasFaces: false });
    expect(await take({ width: 1280 })).toEqual({ width: 1280, hasFaces: false });
    expect(await take(null)).toEqual({ width: 640, hasFaces: false });
  });

  test("ping answers nothing but that it is there", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    const answer = await answerTo(cloud, await ask(cloud, "ping", null));
    expect(answer).toMatchObject({ ok: true, data: Buffer.from("{}").toString("base64") });
  });

  test("an upload test really uploads, but only to the platform", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    const answer = await answerTo(
      cloud,
      await ask(cloud, "generalUploadTest", { url: `${cloud.url}/upload`, bytes: 5000 }),
    );
    if (!answer.ok) throw new Error(answer.message);
    expect(JSON.parse(Buffer.from(answer.data, "base64").toString())).toMatchObject({ http: 200, bytes: 5000 });
    expect(
      await answerTo(cloud, await ask(cloud, "generalUploadTest", { url: "http://other.example/upload" })),
    ).toMatchObject({ ok: false, code: "FOREIGN_URL" });
  });

  test("a network reset answers first, then reconnects after five seconds", async () => {
    const { cloud, clock, online } = await openTestSensor();
    await online();
    expect(
      await answerTo(cloud, await ask(cloud, "resetNetworkConfig", { confirm: "02:00:00:00:00:43" })),
    ).toMatchObject({ ok: false, code: "CONFIRM" });
    expect(await answerTo(cloud, await ask(cloud, "resetNetworkConfig", { confirm: id }))).toMatchObject({ ok: true });
    clock.pass(4900);
    expect(cloud.births).toHaveLength(1);
    clock.pass(200);
    await waitUntil("the next birth", () => cloud.births.length === 2);
  });

  test("an unknown function and broken data are refused with a code", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    expect(await answerTo(cloud, await ask(cloud, "formatDisk", {}))).toMatchObject({ ok: false, code: "UNKNOWN" });
    const correlation = Buffer.from("broken");
    await cloud.send(
      id,
      "rpc",
      { func: "getSnapshot", data: "???", timeout: 1000, at: morning },
      { responseTopic: upTopic(id, "rpc/gw1"), correlationData: correlation },
    );
    expect(await answerTo(cloud, correlation)).toMatchObject({ ok: false, code: "MALFORMED" });
  });

  test("the same question again gets the stored answer; a stale one and a foreign topic get none", async () => {
    const { cloud, clock, online } = await openTestSensor();
    await online();
    clock.pass(60_000);
    const now = clock.now();
    const stale = await ask(cloud, "ping", null, { at: morning });
    const foreign = await ask(cloud, "ping", null, { at: now, topic: upTopic("02:00:00:00:00:43", "rpc/gw1") });
    const first = await ask(cloud, "ping", null, { at: now });
    await answerTo(cloud, first);
    await ask(cloud, "ping", null, { at: now, correlation: first });
    await waitUntil("the second answer", () => answersTo(cloud, first).length === 2);
    expect(answersTo(cloud, first)[1]).toEqual(answersTo(cloud, first)[0]);
    expect([answersTo(cloud, stale), answersTo(cloud, foreign)]).toEqual([[], []]);
  });

  test("a repeated request for a picture gets another picture, because large responses are not cached", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    const first = await ask(cloud, "getSnapshot", { width: 640 });
    await answerTo(cloud, first);
    await ask(cloud, "getSnapshot", { width: 640 }, { correlation: first });
    await waitUntil("the second picture", () => answersTo(cloud, first).length === 2);
  });

  test("a sensor that does not respond stays connected and silent", async () => {
    const { cloud, sensor, online, passUntil, clock } = await openTestSensor({
      faults: [noResponse({ from: 0, to: morning + 60_000 })],
    });
    await online();
    const unanswered = await ask(cloud, "ping", null);
    await passUntil("a minute", () => clock.now() > morning + 60_000, 120_000, 10_000);
    await answerTo(cloud, await ask(cloud, "ping", null, { at: clock.now() }));
    expect(answersTo(cloud, unanswered)).toEqual([]);
    expect(sensor.phase).toBe("up");
  });
});

describe("desired configuration and commands", () => {
  test("desired configuration is applied and reported, an older one is ignored, a broken one refused", async () => {
    const { cloud, sensor, online, pass } = await openTestSensor();
    await online();
    const reported = () => cloud.heard.filter(({ kind }) => kind === "reported").map(({ body }) => body);
    await cloud.send(id, "desired", {
      rev: 5,
      cfg: { countIntervalS: 900, liveFlow: false, health: false },
      vpn: { connect: true },
    });
    await waitUntil("the report", () => reported().length === 2);
    expect(reported()[1]).toMatchObject({
      rev: 5,
      applied: 5,
      error: null,
      cfg: { countIntervalS: 900 },
      vpn: { state: "connecting" },
    });
    await cloud.send(id, "desired", { rev: 4, cfg: { countIntervalS: 60 } });
    await cloud.send(id, "desired", { rev: 6, cfg: { countIntervalS: 77 } });
    await waitUntil("the refusal", () => reported().length === 3);
    expect(reported()[2]).toMatchObject({ applied: 5, error: { code: "INVALID" }, cfg: { countIntervalS: 900 } });
    await pass(3_600_000);
    const records = [...cloud.stored.values()].filter(({ t }) => t === "count");
    expect(records.map(({ s, e }) => (e ?? 0) - s)).toEqual([900_000, 900_000, 900_000, 900_000]);
    expect([...cloud.stored.values()].filter(({ t }) => t === "health")).toEqual([]);
    expect(sensor.rev).toBe(5);
  });

  test("live flow tells displays the people since the last record, at most once a second", async () => {
    const { cloud, clock, truth, online } = await openTestSensor();
    await online();
    await cloud.send(id, "desired", { rev: 1, cfg: { liveFlow: true } });
    await waitUntil("it is applied", () => cloud.heard.filter(({ kind }) => kind === "reported").length === 2);
    clock.pass(299_000);
    const lives = () =>
      cloud.heard
        .filter(({ kind }) => kind === "live")
        .map(({ body }) => body as { at: number; since: number; lines: { in: number; out: number }[] });
    clock.pass(1000);
    await waitUntil("the record", () => cloud.stored.size === 1);
    expect(lives().length).toBeGreaterThan(1);
    expect(new Set(lives().map(({ at }) => Math.floor(at / 1000))).size).toBe(lives().length);
    expect(lives().every(({ since }) => since === morning)).toBe(true);
    const last = lives().at(-1)?.lines ?? [];
    expect(last.reduce((sum, line) => sum + line.in, 0)).toBe(truth.rows.reduce((sum, row) => sum + row.seenIn, 0));
  });

  test("live flow waits while the platform is away, and says then what came meanwhile", async () => {
    // Sunday, 16 March 2025, 3:00 in Berlin: the shop is closed, so only manual passages occur.
    const { cloud, clock, sensor, online } = await openTestSensor({ at: Date.UTC(2025, 2, 16, 2) });
    await online();
    await cloud.send(id, "desired", { rev: 1, cfg: { liveFlow: true } });
    await waitUntil("it is applied", () => sensor.cfg.liveFlow);
    await cloud.hostState(false);
    await waitUntil("it knows", () => !sensor.outbox.hostOnline);
    const lives = () => cloud.heard.filter(({ kind }) => kind === "live").map(({ body }) => body);
    triggerPassages(sensor, { in: 3, out: 1 });
    clock.pass(5000);
    await cloud.hostState(true);
    // The new birth arrives after all earlier messages.
    await waitUntil("a new birth", () => cloud.births.length === 2);
    expect(lives()).toEqual([]);
    clock.pass(1000);
    await waitUntil("the flow", () => lives().length > 0);
    expect(lives()).toMatchObject([{ t: "flow", lines: [{ in: 3, out: 1 }] }]);
  });

  test("T-13 a new password is reported and used; a refused one is retried after a disconnect", async () => {
    const { cloud, kept, online, passUntil } = await openTestSensor();
    await online();
    const wire = "020000000042";
    const credReports = () =>
      cloud.heard.filter(({ kind }) => kind === "reported").map(({ body }) => (body as ReportedState).cred);
    cloud.passwords.set(wire, "second");
    await cloud.send(id, "cmd", { do: "cred", id: "order-1", password: "second" });
    await waitUntil("the second birth", () => cloud.births.length === 2);
    await waitUntil("its report", () => credReports().length === 3);
    expect(credReports()).toEqual([undefined, "order-1", undefined]);
    expect(kept()).toMatchObject({ password: "second", oldPassword: null, renewal: null });

    // Simulates a broker that accepts the new password only after the sensor has reported it.
    await cloud.send(id, "cmd", { do: "cred", id: "order-2", password: "third" });
    await passUntil("the third birth", () => cloud.births.length === 3);
    expect(kept()).toMatchObject({ password: "second", renewal: { id: "order-2", password: "third" } });
    await waitUntil("it says again what it holds", () => credReports().length === 5);
    await cloud.send(id, "cmd", { do: "cred", id: "order-2", password: "third" });
    await waitUntil("and once more", () => credReports().length === 6);
    expect(credReports().slice(3)).toEqual(["order-2", "order-2", "order-2"]);
    expect(cloud.births).toHaveLength(3);
    cloud.passwords.set(wire, "third");
    cloud.dropAll();
    await passUntil("the fourth birth", () => cloud.births.length === 4);
    expect(kept()).toMatchObject({ password: "third", renewal: null });
  });

  test("a rebirth repeats birth and report with the same session", async () => {
    const { cloud, online } = await openTestSensor();
    await online();
    await cloud.send(id, "cmd", { do: "rebirth" });
    await waitUntil("the rebirth", () => cloud.births.length === 2);
    expect(cloud.births[1]?.birth.sid).toBe(cloud.births[0]?.birth.sid);
  });

  test("a range that the server asks for comes again before it is due", async () => {
    const { cloud, clock, sensor, online } = await openTestSensor();
    await online();
    cloud.faults.muteAcks = true;
    clock.pass(300_000);
    await waitUntil("the count", () => cloud.batches.length === 1);
    await cloud.send(id, "cmd", { do: "resend", ep: "another", from: 1, to: 9 });
    await cloud.send(id, "cmd", { do: "resend", ep: sensor.outbox.buffer.ep, from: 1, to: 9 });
    await waitUntil("it comes again", () => cloud.batches.length === 2);
    expect(cloud.batches[1]).toMatchObject({ topic: "fill", numbers: [1] });
    expect(cloud.refused).toEqual([]);
  });
});
