// Tests provisioning with an external broker that accepts the connection but never responds.
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { createProvisioner } from "./dynamic-security.ts";

test("an unavailable broker fails the call within its timeout", async () => {
  const lost: unknown[] = [];
  const onLost = (error: unknown) => void lost.push(error);
  process.on("unhandledRejection", onLost);
  onTestFinished(() => void process.off("unhandledRejection", onLost));
  const silent = createServer(() => undefined);
  await new Promise<void>((go) => silent.listen(0, "127.0.0.1", go));
  onTestFinished(() => void silent.close());
  const dataDir = mkdtempSync(join(tmpdir(), "psp-broker-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = readConfig({
    DATABASE_URL: "postgres://someone@127.0.0.1/none",
    DATA_DIR: dataDir,
    MQTT_URL: `mqtt://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  const provisioner = createProvisioner({ config, log: pino({ level: "silent" }) } as Context, 20);
  onTestFinished(() => provisioner?.stop());
  await expect(provisioner?.put("001628fa0001", "secret")).rejects.toThrow("did not confirm");
  await new Promise(setImmediate);
  expect(lost).toEqual([]);
});
