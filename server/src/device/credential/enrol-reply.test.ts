// Tests where enrolled devices connect to, for every way to configure it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readConfig } from "../../config.ts";
import { endpointOf } from "./enrol-reply.ts";

const dataDir = mkdtempSync(join(tmpdir(), "psp-reply-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const read = (env: Record<string, string>) =>
  readConfig({ DATABASE_URL: "postgres://someone@127.0.0.1/none", DATA_DIR: dataDir, HOST: "127.0.0.1", ...env });
const inner = "mqtt://gateway:secret@broker.internal:1884";

const withTls = { MQTTS_PORT: "8884", MQTTS_CERT: "/none/cert.pem", MQTTS_KEY: "/none/key.pem" };

const cases: [Record<string, string>, string][] = [
  [{}, "mqtt localhost 1883"],
  [{ PUBLIC_URL: "https://console.example.com" }, "mqtt console.example.com 1883"],
  [{ MQTT_PUBLIC_HOST: "mqtt.example.com" }, "mqtt mqtt.example.com 1883"],
  [{ MQTT_PUBLIC_HOST: "mqtt.example.com:2883" }, "mqtt mqtt.example.com 2883"],
  [{ MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com:8883" }, "mqtts mqtt.example.com 8883"],
  [{ MQTT_PUBLIC_HOST: "[2001:db8::1]:2883" }, "mqtt 2001:db8::1 2883"],
  [{ MQTT_URL: inner }, "mqtt broker.internal 1884"],
  [{ MQTT_URL: inner, PUBLIC_URL: "https://console.example.com" }, "mqtt broker.internal 1884"],
  [{ MQTT_URL: "mqtts://broker.internal" }, "mqtts broker.internal 8883"],
  [{ MQTT_URL: inner, MQTT_PUBLIC_HOST: "mqtt.example.com" }, "mqtt mqtt.example.com 1884"],
  [{ MQTT_URL: inner, MQTT_PUBLIC_HOST: "mqtt.example.com:1883" }, "mqtt mqtt.example.com 1883"],
  [{ MQTT_URL: inner, MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com:8883" }, "mqtts mqtt.example.com 8883"],
  // Without a port, the scheme decides: the broker's own port for it, else the standard one.
  [withTls, "mqtts localhost 8884"],
  [{ ...withTls, MQTT_PUBLIC_HOST: "mqtt.example.com" }, "mqtts mqtt.example.com 8884"],
  [{ ...withTls, MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com" }, "mqtts mqtt.example.com 8884"],
  [{ ...withTls, MQTT_PUBLIC_HOST: "mqtt://mqtt.example.com" }, "mqtt mqtt.example.com 1883"],
  [{ MQTT_PORT: "1885", MQTT_PUBLIC_HOST: "mqtt://mqtt.example.com" }, "mqtt mqtt.example.com 1885"],
  [{ MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com" }, "mqtts mqtt.example.com 8883"],
  [{ MQTT_URL: inner, MQTT_PUBLIC_HOST: "mqtt://mqtt.example.com" }, "mqtt mqtt.example.com 1884"],
  [{ MQTT_URL: inner, MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com" }, "mqtts mqtt.example.com 8883"],
  [{ MQTT_URL: "mqtts://broker:8885", MQTT_PUBLIC_HOST: "mqtts://mqtt.example.com" }, "mqtts mqtt.example.com 8885"],
  [{ MQTT_URL: "mqtts://broker:8885", MQTT_PUBLIC_HOST: "mqtt://mqtt.example.com" }, "mqtt mqtt.example.com 1883"],
  [{ MQTT_URL: "tls://broker:8885" }, "mqtts broker 8885"],
  [{ MQTT_URL: "ws://broker:8083/mqtt", MQTT_PUBLIC_HOST: "mqtt.example.com" }, "mqtt mqtt.example.com 1883"],
  [{ MQTT_URL: "wss://broker:8084/mqtt", MQTT_PUBLIC_HOST: "mqtt.example.com" }, "mqtts mqtt.example.com 8883"],
  [{ MQTT_URL: "wss://broker:8084/mqtt", MQTT_PUBLIC_HOST: "mqtt://mqtt.example.com" }, "mqtt mqtt.example.com 1883"],
];

test.each(["ws://broker:8083/mqtt", "wss://broker:8084/mqtt"])("DE-01 %s needs MQTT_PUBLIC_HOST", (url) => {
  expect(() => read({ MQTT_URL: url })).toThrow("MQTT_PUBLIC_HOST must name where they connect to");
});

test.each(cases)("DE-01 with %j, devices connect to %s", (env, expected) => {
  const { host, port, tls } = endpointOf(read(env), null);
  expect(`${tls ? "mqtts" : "mqtt"} ${host} ${port}`).toBe(expected);
});

test.each(["http://mqtt.example.com", "mqtt.example.com:0", "mqtt.example.com:70000", "a b", "mqtt.example.com/x"])(
  "DE-01 MQTT_PUBLIC_HOST is refused at the start: %s",
  (text) => {
    expect(() => read({ MQTT_PUBLIC_HOST: text })).toThrow(/MQTT_PUBLIC_HOST/);
  },
);
