// Tests what the configuration of an external broker's authorization refuses.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";

const secret = "0123456789abcdef".repeat(2);
const url = "mqtt://gateway:0123456789abc%2Fef@broker.example";

function read(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "psp-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "secret"), `${secret}\n`);
  const files = Object.entries(env).map(([name, value]) => [name, value.replace("FOLDER", folder)]);
  return readConfig({ DATA_DIR: folder, ...Object.fromEntries(files) }).mqtt.auth;
}

test("an external broker has dynamic security unless MQTT_AUTH says http", () => {
  expect(read({})).toBeNull();
  expect(read({ MQTT_URL: url })).toEqual({ by: "dynamic-security" });
  expect(read({ MQTT_URL: url, MQTT_AUTH: "dynamic-security" })).toEqual({ by: "dynamic-security" });
  const http = { by: "http", secret, username: "gateway", password: "0123456789abc/ef" };
  expect(read({ MQTT_URL: url, MQTT_AUTH: "http", MQTT_AUTH_SECRET: secret })).toEqual(http);
  expect(read({ MQTT_URL: url, MQTT_AUTH: "http", MQTT_AUTH_SECRET_FILE: "FOLDER/secret" })).toEqual(http);
});

test.each([
  [{ MQTT_AUTH: "http", MQTT_AUTH_SECRET: secret }, "MQTT_AUTH needs MQTT_URL"],
  [{ MQTT_AUTH: "jwt", MQTT_URL: url }, "MQTT_AUTH"],
  [{ MQTT_AUTH: "http", MQTT_URL: url }, "needs MQTT_AUTH_SECRET_FILE or MQTT_AUTH_SECRET"],
  [{ MQTT_AUTH: "http", MQTT_URL: url, MQTT_AUTH_SECRET: secret.slice(1) }, "at least 32 characters"],
  [{ MQTT_AUTH: "http", MQTT_URL: url, MQTT_AUTH_SECRET_FILE: "FOLDER/none" }, "MQTT_AUTH_SECRET_FILE"],
  ...["broker.example", "mqtt://broker.example", "mqtt://gateway@broker.example", "mqtt://g:short@broker.example"].map(
    (broken) => [
      { MQTT_AUTH: "http", MQTT_URL: broken, MQTT_AUTH_SECRET: secret },
      "a user and a password of at least 16 characters",
    ],
  ),
] as [Record<string, string>, string][])("%j prevents the start with a clear message", (env, reason) => {
  expect(() => read(env)).toThrow(reason);
});
