// Connects a gateway to a broker over TLS, with the broker's authority and a client certificate. Needs openssl for the certificates.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { createMetrics } from "../kit/metrics.ts";
import { type AskingBroker, startAskingBroker } from "../testing/devices/asking-broker.ts";
import { hasOpenssl, makeCertificate } from "../testing/devices/certificates.ts";
import { birth, createDeviceWorld, until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import type { BrokerHandlers } from "./broker.ts";
import { createExternalBroker } from "./external-broker.ts";

describe.skipIf(!hasOpenssl)(hasOpenssl ? "broker over TLS" : "skipped: openssl is not installed here", () => {
  const folder = mkdtempSync(join(tmpdir(), "psp-broker-tls-"));
  const file = (name: string) => join(folder, name);
  const secret = "0123456789abcdef".repeat(3);
  let broker: AskingBroker;
  let port: number;

  beforeAll(async () => {
    for (const name of ["authority", "other"]) await makeCertificate(folder, name);
    for (const name of ["broker", "gateway"]) await makeCertificate(folder, name, "authority");
    writeFileSync(file("empty.crt"), "no certificate\n");
    [port = 0] = await findFreePorts(1);
    broker = await startAskingBroker(`http://127.0.0.1:${port}`, secret, {
      cert: readFileSync(file("broker.crt")),
      key: readFileSync(file("broker.key")),
      ca: readFileSync(file("authority.crt")),
      requestCert: true,
      rejectUnauthorized: true,
    });
  });
  afterAll(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (files: Record<string, string>) => ({
    PORT: String(port),
    MQTT_URL: `mqtts://gateway:0123456789abcdef@localhost:${broker.port}`,
    MQTT_AUTH: "http",
    MQTT_AUTH_SECRET: secret,
    ...Object.fromEntries(Object.entries(files).map(([name, value]) => [name, file(value)])),
  });
  const own = { MQTT_CERT: "gateway.crt", MQTT_KEY: "gateway.key" };

  test("a gateway trusts MQTT_CA and proves itself with MQTT_CERT; a session is ended over TLS, too", async () => {
    const world = await createDeviceWorld({ env: env({ MQTT_CA: "authority.crt", ...own }) });
    try {
      const reply = await world.enrol();
      expect(reply.mqtt).toMatchObject({ host: "localhost", port: broker.port, tls: true });
      const identity = { ca: readFileSync(file("authority.crt")), cert: readFileSync(file("gateway.crt")) };
      const device = await world.connect(
        reply,
        { ...identity, key: readFileSync(file("gateway.key")), protocol: "mqtts", host: "localhost" },
        broker.port,
      );
      await device.up("state", birth("s1"));
      await until("connected", async () => (await world.row(device.id)).is_connected);
      world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [device.id] } });
      await until("disconnected", () => !device.client.connected);
    } finally {
      await world.stop();
    }
  });

  test.each([
    ["an unknown authority", own, /unable to verify|self-signed/],
    ["another authority", { MQTT_CA: "other.crt", ...own }, /unable to verify|self-signed|certificate/],
    ["no client certificate", { MQTT_CA: "authority.crt" }, /certificate required/],
  ])("the start fails with %s", async (_, files, reason) => {
    const config = readConfig({ DATA_DIR: folder, ...env(files) });
    const ctx = { config, log: pino({ level: "silent" }), metrics: createMetrics() } as Context;
    const gateway = createExternalBroker(ctx, null, "test");
    await expect(gateway.start({} as BrokerHandlers)).rejects.toThrow(reason);
    await gateway.stop();
  });

  test.each([
    [{ MQTT_CA: "missing.crt" }, /MQTT_CA: .*missing\.crt can't be used: ENOENT/],
    [{ MQTT_CA: "empty.crt" }, /MQTT_CA: .*empty\.crt can't be used/],
    [{ MQTT_CERT: "gateway.key", MQTT_KEY: "gateway.key" }, /MQTT_CERT: .*gateway\.key can't be used/],
    [{ MQTT_CERT: "gateway.crt", MQTT_KEY: "gateway.crt" }, /MQTT_KEY: .*gateway\.crt can't be used/],
    [{ MQTT_CERT: "gateway.crt", MQTT_KEY: "broker.key" }, /MQTT_KEY is not the key of MQTT_CERT/],
    [{ MQTT_CERT: "gateway.crt" }, /MQTT_CERT and MQTT_KEY need each other/],
    [{ MQTT_KEY: "gateway.key" }, /MQTT_CERT and MQTT_KEY need each other/],
  ])("%j prevents the start with a clear message", (files, reason) => {
    expect(() => readConfig({ DATA_DIR: folder, ...env(files) })).toThrow(reason);
  });

  test("the files need a URL with TLS", () => {
    const given = { ...env({ MQTT_CA: "authority.crt" }), MQTT_URL: "mqtt://gateway:0123456789abcdef@localhost" };
    expect(() => readConfig({ DATA_DIR: folder, ...given })).toThrow("begins with mqtts:// or wss://");
  });
});
