// Tests which configurations are refused if others can connect, and who can reach the demo with its public passwords.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { until } from "../testing/devices/device-world.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";

let place: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  place = await createTestDatabase(migrate);
  dataDir = mkdtempSync(join(tmpdir(), "psp-start-up-"));
});
afterAll(async () => {
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: place.url,
      DATA_DIR: dataDir,
      DRAIN_SECONDS: "0",
      PORT: "0",
      MQTT_PORT: "0",
      LOG_LEVEL: "silent",
      ...env,
    },
  });
  const said = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said.out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said.err += text));
  return { child, said, closed: once(child, "close") };
}

const strong = "0f8d3a61c57e9b24d1606fbe8a7c35d9";
const weak: Record<string, string>[] = [
  { SESSION_SECRET: "short" },
  { SESSION_SECRET: "x".repeat(64) },
  { SESSION_SECRET: "please-changeme-0123456789-abcdefghijkl" },
  { FIRMWARE_SIGNING_KEY: "abab".repeat(16) },
  { DISPLAY_PRIVATE_KEY: strong.slice(1) },
  { TEST_CLOCK: "on" },
  { TEST_HASHING: "on" },
];

test("T-11 T-29 weak secrets and the test clock prevent an exposed start, naming the setting", () => {
  for (const env of weak) {
    const [name = ""] = Object.keys(env);
    for (const where of [
      {},
      { HOST: "0.0.0.0" },
      { HOST: "192.0.2.7", DEMO: "off" },
      { NODE_ENV: "production" },
      { DEMO: "on", DEMO_OPEN: "on" },
      { DEMO: "on", DEMO_OPEN: "on", HOST: "192.0.2.7" },
      // A proxy on the same machine may let others in.
      { DEMO: "on", DEMO_OPEN: "on", HOST: "127.0.0.1" },
    ])
      expect(() => readConfig({ DATA_DIR: dataDir, ...env, ...where }), JSON.stringify({ ...env, ...where })).toThrow(
        new RegExp(`^${name}.*where others can connect`),
      );
    for (const where of [{ DEMO: "on" }, { HOST: "127.0.0.1" }, { HOST: "::1" }, { HOST: "localhost" }])
      expect(readConfig({ DATA_DIR: dataDir, ...env, ...where }).isExposed, JSON.stringify(where)).toBe(false);
  }
  const { secrets } = readConfig({ DATA_DIR: dataDir, HOST: "0.0.0.0", SESSION_SECRET: strong });
  expect(secrets.session).toBe(strong);
  // A name that only starts like a loopback address can resolve anywhere.
  expect(readConfig({ DATA_DIR: dataDir, HOST: "127.example.com" }).isExposed).toBe(true);
});

test("T-29 the refused start prints one sentence and touches nothing", async () => {
  // The database is unreachable, so that a start that gets this far prints a different error.
  const nowhere = { DATABASE_URL: "postgres://someone@127.0.0.1:1/none", HOST: "0.0.0.0" };
  const cases: [Record<string, string>, RegExp][] = [
    [{ SESSION_SECRET: "short" }, /^Configuration: SESSION_SECRET is too weak\. .*\n$/],
    [{ TEST_CLOCK: "on" }, /^Configuration: TEST_CLOCK=on is refused .*\n$/],
    [{ ADMIN_PASSWORD: "admin" }, /^Configuration: ADMIN_PASSWORD is too weak \(At least 15 characters, .*\n$/],
  ];
  await Promise.all(
    everyNth(2, cases).map(async ([env, sentence]) => {
      const { child, said, closed } = start({ ...nowhere, ...env });
      await closed;
      expect(said.err).toMatch(sentence);
      expect([child.exitCode, said.out]).toEqual([1, ""]);
    }),
  );
});

/** Whether a connection succeeds. On Linux, all of 127.0.0.0/8 leads to this machine, and a server on 0.0.0.0 listens on all of it. */
function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((open) => {
    socket.destroy();
    return open as boolean;
  });
}

test(
  "T-29 the demo listens on this machine only, whatever HOST says, and says how to open it",
  { tags: "prove" },
  async () => {
    const { child, said, closed } = start({ DEMO: "on", DEMO_SENSORS: "0", HOST: "0.0.0.0" });
    try {
      await until("it is ready", () => said.out.includes("Demo logins"));
      expect(said.out).toMatch(/^Not listening on HOST=0\.0\.0\.0 .*DEMO_OPEN=on/m);
      expect(said.out).toContain("only this machine can connect");
      for (const door of [/ready at http:\/\/localhost:(\d+)/, /mqtt:\/\/127\.0\.0\.1:(\d+)/]) {
        const port = Number(door.exec(said.out)?.[1]);
        expect([await answers("127.0.0.1", port), await answers("127.0.0.2", port)]).toEqual([true, false]);
      }
    } finally {
      child.kill("SIGTERM");
      await closed;
    }
    const hostOf = (env: Record<string, string>) => readConfig({ DATA_DIR: dataDir, DEMO: "on", ...env }).host;
    expect(hostOf({})).toBe("127.0.0.1");
    expect(hostOf({ HOST: "localhost" })).toBe("localhost");
    expect(hostOf({ HOST: "192.0.2.7" })).toBe("127.0.0.1");
    expect(hostOf({ HOST: "192.0.2.7", DEMO_OPEN: "on" })).toBe("192.0.2.7");
    expect(hostOf({ DEMO_OPEN: "on" })).toBe("0.0.0.0");
  },
);
