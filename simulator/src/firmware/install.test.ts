// Tests firmware jobs with a signed manifest and a downloaded image.
import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "@psp/contract/firmware/canonical-json.ts";
import type { FirmwareManifest, JobReport } from "@psp/contract/device/device-messages.ts";
import {
  damagedDownload,
  failedSelfTest,
  foreignKey,
  powerLossDuringUpdate,
  noConnectionAfterUpdate,
  stuckInstallation,
} from "../faults/faults.ts";
import type { Fault } from "../faults/world.ts";
import { openCloud, type Cloud } from "../testing/cloud.ts";
import { id, morning, openTestSensor, type TestSensor } from "../testing/test-sensor.ts";
import { waitUntil } from "../testing/virtual-clock.ts";

const image = Buffer.alloc(2_500_000, "firmware ");

async function readyToInstall(faults: Fault[] = []): Promise<TestSensor & { key: KeyObject }> {
  const cloud = await openCloud();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  cloud.fwKey = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  cloud.image.bytes = image;
  const made = await openTestSensor({ cloud, faults });
  await made.online();
  return { ...made, key: privateKey };
}

function manifest(cloud: Cloud, key: KeyObject, change: Partial<FirmwareManifest> = {}): FirmwareManifest {
  const unsigned = {
    job: "job-1",
    artifact: "a-1",
    type: "APS" as const,
    version: "1.19.0",
    url: `${cloud.url}/fw/1`,
    size: image.length,
    sha256: createHash("sha256").update(image).digest("hex"),
    md5: createHash("md5").update(image).digest("hex"),
    seq: 119_000,
    vendor: "ps",
    class: "APS",
    minFrom: "1.10.0",
    exp: morning + 48 * 3_600_000,
    window: null,
    validH: 48,
    ...change,
  };
  return { ...unsigned, sig: sign(null, Buffer.from(canonicalJson(unsigned)), key).toString("base64") };
}

function reports(cloud: Cloud): JobReport[] {
  return cloud.heard.filter(({ kind }) => kind === "job").map(({ body }) => body as JobReport);
}
function states(cloud: Cloud): string[] {
  return reports(cloud)
    .map(({ state }) => state)
    .filter((state, index, all) => state !== all[index - 1]);
}

async function installed({ cloud, passUntil }: TestSensor, forMs = 3_600_000): Promise<JobReport | undefined> {
  await passUntil(
    "the end of the job",
    () => ["FINISHED", "ERROR"].includes(reports(cloud).at(-1)?.state ?? ""),
    forMs,
    1000,
  );
  return reports(cloud).at(-1);
}

describe("a firmware job", () => {
  test("FW-03 downloads, restarts into the new version and commits with an acknowledged count", async () => {
    const made = await readyToInstall();
    const { cloud, key } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    expect(await installed(made)).toMatchObject({ job: "job-1", ok: true, pct: 100 });
    expect(states(cloud)).toEqual(["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING", "FINISHED"]);
    const numbers = reports(cloud).map(({ n }) => n);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(cloud.image.requests).toEqual(["bytes=0-1048575", "bytes=1048576-2097151", "bytes=2097152-2499999"]);
    expect(cloud.births.at(-1)?.birth).toMatchObject({ reason: "fw", fw: "1.19.0" });
    expect(cloud.deaths.map(({ body }) => body)).toContainEqual(expect.objectContaining({ why: "reboot" }));
    expect([...cloud.stored.values()].some(({ t }) => t === "count")).toBe(true);

    // A repeated request has no effect, and an older sequence number is refused.
    const before = cloud.image.requests.length;
    await cloud.send(id, "desired", { rev: 2, cfg: {}, fw: manifest(cloud, key) });
    await cloud.send(id, "desired", {
      rev: 3,
      cfg: {},
      fw: manifest(cloud, key, { job: "job-2", version: "1.18.5", seq: 118_500 }),
    });
    await waitUntil("the refusal", () => reports(cloud).at(-1)?.job === "job-2");
    expect(reports(cloud).at(-1)).toMatchObject({ state: "ERROR", ok: false, code: "ROLLBACK_SEQ" });
    expect(cloud.image.requests).toHaveLength(before);
  });

  test.each([
    ["a broken signature", { sig: Buffer.alloc(64).toString("base64") }, "SIG"],
    ["a changed field under a good signature", { size: 17 }, "SIG"],
  ])("refuses %s", async (_, change, code) => {
    const { cloud, key, sensor } = await readyToInstall();
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: { ...manifest(cloud, key), ...change } });
    await waitUntil("the refusal", () => reports(cloud).length > 0);
    expect(reports(cloud)).toMatchObject([{ state: "ERROR", code }]);
    expect(sensor.fw).toBe("1.18.0");
  });

  test.each([
    ["another class", { class: "ZOD" }, "CLASS"],
    ["a version that needs a newer one first", { minFrom: "1.18.1" }, "CLASS"],
    ["an image without room", { size: 2 ** 31 }, "SPACE"],
    ["an expired manifest", { exp: morning - 1 }, "EXPIRED"],
  ])("refuses %s", async (_, change, code) => {
    const { cloud, key } = await readyToInstall();
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key, change) });
    await waitUntil("the refusal", () => reports(cloud).length > 0);
    expect(reports(cloud)).toMatchObject([{ state: "ERROR", code }]);
  });

  test.each([
    ["a damaged download", damagedDownload(), "HASH", ["INITIATE", "DOWNLOAD", "ERROR"]],
    ["a failed self-test", failedSelfTest(), "SELFTEST", ["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING", "ERROR"]],
    [
      "a firmware that never connects",
      noConnectionAfterUpdate(),
      "ROLLED_BACK",
      ["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING", "ERROR"],
    ],
  ])("FW-03 %s ends with the old version running", async (_, fault, code, path) => {
    const made = await readyToInstall([fault]);
    const { cloud, key, sensor } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    expect(await installed(made)).toMatchObject({ ok: false, code });
    await made.passUntil("it is back", () => sensor.phase === "up");
    expect(states(cloud)).toEqual(path);
    expect(cloud.births.at(-1)?.birth.fw).toBe("1.18.0");
    expect(sensor.fwSeq).toBe(0);
  });

  test("FW-03 a device that trusts another key refuses what is signed by the server", async () => {
    const made = await readyToInstall([foreignKey()]);
    await made.cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(made.cloud, made.key) });
    await waitUntil("the refusal", () => reports(made.cloud).length > 0);
    expect(reports(made.cloud)).toMatchObject([{ state: "ERROR", code: "SIG" }]);
  });

  test("FW-03 power lost while it downloads and while it installs: resumed, and booted into once", async () => {
    const made = await readyToInstall([powerLossDuringUpdate()]);
    const { cloud, key, installs } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    expect(await installed(made)).toMatchObject({ state: "FINISHED" });
    expect(cloud.image.requests).toEqual(["bytes=0-1048575", "bytes=1048576-2097151", "bytes=2097152-2499999"]);
    expect(installs).toEqual([{ sensor: id, job: "job-1", version: "1.19.0" }]);
    expect(cloud.births.map(({ birth }) => birth.reason)).toEqual(["power", "power", "power", "fw"]);
  });

  test("FW-03 a stuck installation says nothing more and can't be cancelled", async () => {
    const made = await readyToInstall([stuckInstallation()]);
    const { cloud, key } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    await made.passUntil("it runs", () => states(cloud).includes("RUNNING"), 600_000, 500);
    await cloud.send(id, "desired", { rev: 2, cfg: {}, fw: null });
    await made.pass(3_600_000);
    expect(reports(cloud).at(-1)).toMatchObject({ state: "RUNNING" });
  });

  test.each(["DOWNLOAD", "RUNNING"])("FW-03 killed at %s, it goes on after its start and boots once", async (at) => {
    const first = await readyToInstall();
    const { cloud, key } = first;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    await first.passUntil(at, () => states(cloud).includes(at), 600_000, 500);
    const saved = first.kept();
    const before = reports(cloud).at(-1)?.n ?? 0;
    first.sensor.stopped = true;
    cloud.dropAll();

    const later = await openTestSensor({
      cloud,
      at: first.clock.now() + 60_000,
      ...(saved ? { saved } : {}),
      token: null,
    });
    later.start();
    expect(await installed(later)).toMatchObject({ state: "FINISHED" });
    expect([...first.installs, ...later.installs]).toHaveLength(1);
    expect(later.sensor.fw).toBe("1.19.0");
    const after = reports(cloud).filter(({ n }) => n > before);
    expect(after.map(({ n }) => n)).toEqual(after.map(({ n }) => n).toSorted((a, b) => a - b));
  });

  test("SE-09 taken back while it was off, the job ends as cancelled after the start", async () => {
    const first = await readyToInstall();
    const { cloud, key } = first;
    const waiting = manifest(cloud, key, { window: { from: "03:00", to: "04:00" } });
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: waiting });
    await waitUntil("it waits", () => states(cloud).includes("INITIATE"));
    const saved = first.kept();
    first.sensor.stopped = true;
    cloud.dropAll();
    await cloud.send(id, "desired", { rev: 2, cfg: {}, fw: null });
    const later = await openTestSensor({
      cloud,
      at: first.clock.now() + 60_000,
      ...(saved ? { saved } : {}),
      token: null,
    });
    later.start();
    expect(await installed(later)).toMatchObject({ job: "job-1", state: "ERROR", code: "CANCELED" });
  });

  test("SE-09 a request that comes while another installs is carried out after it", async () => {
    const made = await readyToInstall();
    const { cloud, key, installs } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key) });
    await made.passUntil("it runs", () => states(cloud).includes("RUNNING"), 600_000, 500);
    const next = manifest(cloud, key, { job: "job-2", version: "1.20.0", seq: 120_000 });
    await cloud.send(id, "desired", { rev: 2, cfg: {}, fw: next });
    await made.passUntil(
      "the second is done",
      () => reports(cloud).some(({ job, state }) => job === "job-2" && state === "FINISHED"),
      3_600_000,
      1000,
    );
    expect(installs.map(({ version }) => version)).toEqual(["1.19.0", "1.20.0"]);
    expect(reports(cloud).some(({ job, state }) => job === "job-1" && state === "FINISHED")).toBe(true);
  });

  test("a missing image ends with the status that the server gave", async () => {
    const made = await readyToInstall();
    const { cloud, key } = made;
    await cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(cloud, key, { url: `${cloud.url}/gone` }) });
    expect(await installed(made)).toMatchObject({ code: "HTTP_404" });
  });

  test("can be cancelled before it installs, and not after", async () => {
    const early = await readyToInstall();
    const waiting = manifest(early.cloud, early.key, { window: { from: "03:00", to: "04:00" } });
    await early.cloud.send(id, "desired", { rev: 1, cfg: {}, fw: waiting });
    await waitUntil("it waits for its window", () => states(early.cloud).includes("INITIATE"));
    early.clock.pass(120_000);
    await early.cloud.send(id, "desired", { rev: 2, cfg: {}, fw: null });
    expect(await installed(early)).toMatchObject({ state: "ERROR", code: "CANCELED" });
    expect(early.cloud.image.requests).toEqual([]);

    const late = await readyToInstall();
    await late.cloud.send(id, "desired", { rev: 1, cfg: {}, fw: manifest(late.cloud, late.key) });
    await late.passUntil("it runs", () => states(late.cloud).includes("RUNNING"), 600_000, 500);
    await late.cloud.send(id, "desired", { rev: 2, cfg: {}, fw: null });
    expect(await installed(late)).toMatchObject({ state: "FINISHED" });
  });
});
