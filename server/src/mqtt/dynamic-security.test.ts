// Tests provisioning with an external broker that accepts the connection but does not respond, for ever or for a while.
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { until } from "../testing/devices/device-world.ts";
import { hasMosquitto, startMosquitto } from "../testing/devices/mosquitto.ts";
import { createProvisioner } from "./dynamic-security.ts";

function provisionerAt(mqttUrl: string, answerMs: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "psp-broker-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = readConfig({
    DATABASE_URL: "postgres://someone@127.0.0.1/none",
    DATA_DIR: dataDir,
    MQTT_URL: mqttUrl,
  });
  const provisioner = createProvisioner({ config, log: pino({ level: "silent" }) } as Context, answerMs);
  if (!provisioner) throw new Error("This configuration has no dynamic security");
  onTestFinished(() => provisioner.stop());
  return provisioner;
}

test("an unavailable broker fails the call within its timeout", async () => {
  const lost: unknown[] = [];
  const onLost = (error: unknown) => void lost.push(error);
  process.on("unhandledRejection", onLost);
  onTestFinished(() => void process.off("unhandledRejection", onLost));
  const silent = createServer(() => undefined);
  await new Promise<void>((go) => silent.listen(0, "127.0.0.1", go));
  onTestFinished(() => void silent.close());
  const provisioner = provisionerAt(`mqtt://127.0.0.1:${(silent.address() as AddressInfo).port}`, 20);
  await expect(provisioner.put("001628fa0001", "secret")).rejects.toThrow("did not confirm");
  await new Promise(setImmediate);
  expect(lost).toEqual([]);
});

test.skipIf(!hasMosquitto)("DE-01 a password whose call has failed is not set later", async () => {
  const mosquitto = await startMosquitto();
  onTestFinished(() => mosquitto.stop());
  const sockets = new Set<Socket>();
  let isSilent = true;
  const proxy = createServer((near) => {
    sockets.add(near.on("error", () => undefined));
    if (isSilent) return;
    const far = connect(mosquitto.port, "127.0.0.1");
    far.on("error", () => undefined).pipe(near);
    near.on("data", (data) => isSilent || far.write(data)).on("close", () => far.destroy());
  });
  await new Promise<void>((go) => proxy.listen(0, "127.0.0.1", go));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const provisioner = provisionerAt(mosquitto.url.replace(`:${mosquitto.port}`, `:${port}`), 500);
  const put = (wireId: string) =>
    provisioner.put(wireId, "secret").then(
      () => true,
      () => false,
    );
  const heal = () => {
    isSilent = false;
    for (const one of sockets) one.destroy();
  };

  expect(await put("001628fa0001")).toBe(false);
  heal();
  await until("connected", () => put("001628fa0002"));
  isSilent = true;
  expect(await put("001628fa0003")).toBe(false);
  heal();
  await until("connected", () => put("001628fa0004"));
  const devices = mosquitto.users().filter((name) => name !== "gateway");
  expect(devices).toEqual(["001628fa0002", "001628fa0004"]);
});
