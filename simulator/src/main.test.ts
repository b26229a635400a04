// Tests the command line in a real process.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openCloud } from "./testing/cloud.ts";
import { generateCountFile } from "./testing/count-file.ts";
import { waitUntil } from "./testing/virtual-clock.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

function launch(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const said = { out: "", err: "", code: null as number | null };
  child.stdout.on("data", (text: Buffer) => void (said.out += text.toString()));
  child.stderr.on("data", (text: Buffer) => void (said.err += text.toString()));
  const ended = new Promise<typeof said>((resolve) =>
    child.on("close", (code) => resolve(Object.assign(said, { code }))),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, said, ended };
}

function fileWith(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "simulator-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "file");
  writeFileSync(path, text);
  return path;
}

test("--help names every command and fault", async () => {
  const { out, code } = await launch("--help").ended;
  expect(code).toBe(0);
  for (const word of [
    "fleet",
    "one",
    "replay",
    "--credentials",
    "--rest",
    "--exit-with-parent",
    "covered-lens",
    "update-selftest",
  ])
    expect(out).toContain(word);
});

test.each([
  [["dance"], /Unknown command "dance"/],
  [["fleet", "--tokne", "x"], /--tokne/],
  [["fleet"], /Provide an init token/],
  [["one", "--token", "x", "--id", "12"], /--id 12 is not a sensor ID/],
  [
    ["one", "--token", "x", "--id", "02:00:00:00:00:01", "--kind", "pub"],
    /Unknown kind of site "pub". Choose one of shop/,
  ],
  [["fleet", "--token", "x", "--count", "0"], /--count 0 is not a whole number/],
  [["fleet", "--token", "x", "--vpn-port", "9301"], /--vpn-port and --vpn-management-port together/],
  [["fleet", "--token", "x", "--interval", "61"], /--interval must be one of/],
  [["replay", "missing-file", "--sensor", "02:00:00:00:00:01", "--token", "x"], /Can't read missing-file/],
])("%j is answered with a sentence, not a stack", async (args, sentence) => {
  const { err, code } = await launch(...args).ended;
  expect(err).toMatch(sentence);
  expect(err).not.toContain("    at ");
  expect(code).toBeGreaterThan(0);
});

test("a refused token and an absent server end with a sentence", async () => {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  const one = ["one", "--id", "02:00:00:00:00:01"];
  const [refused, absent] = await Promise.all([
    launch(...one, "--url", cloud.url, "--token", "wrong").ended,
    launch(...one, "--url", "http://127.0.0.1:1", "--token", "x").ended,
  ]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/init token is unknown or revoked/) });
  expect(absent).toMatchObject({ code: 1, err: expect.stringMatching(/No response from http:\/\/127.0.0.1:1/) });
});

test("a seeded fleet needs no enrollment and ends with its parent, saying good-bye", async () => {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  const sensors = ["A1", "A2", "A3"].map((end) => ({
    id: `02:00:00:00:00:${end}`,
    type: "APS",
    password: `pw-${end}`,
  }));
  for (const { id, password } of sensors) cloud.passwords.set(id.replaceAll(":", "").toLowerCase(), password);
  const { child, ended } = launch(
    "fleet",
    "--credentials",
    fileWith(JSON.stringify(sensors)),
    "--mqtt",
    `mqtt://127.0.0.1:${cloud.mqttPort}`,
    "--exit-with-parent",
  );
  await waitUntil("three births", () => cloud.births.length === 3);
  child.stdin.end();
  expect(await ended).toMatchObject({ code: 0, err: "" });
  expect(cloud.enrollments).toBe(0);
  await waitUntil("three good-byes", () => cloud.deaths.length === 3);
  expect(cloud.deaths[0]?.body).toMatchObject({ why: "shutdown" });
});

test("replay stores a file and prints its totals; a broken file is reported with its line", async () => {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  const made = generateCountFile({ from: [2005, 10, 29], days: 3, strayReturns: true });
  const common = ["--sensor", "02-00-00-00-00-88", "--url", cloud.url, "--token", cloud.token];
  const { out, code } = await launch("replay", fileWith(made.text), ...common).ended;
  expect(code).toBe(0);
  expect(out.trim().split("\n").at(-1)).toBe(`in ${made.totalIn} out ${made.totalOut}`);
  expect(cloud.countsOf("02:00:00:00:00:88")).toHaveLength(144);
  const broken = await launch("replay", fileWith(`${made.text}nonsense\n`), ...common).ended;
  expect(broken).toMatchObject({ code: 2, err: expect.stringMatching(/Line 29\d is not "flow/) });
});
