// Replaces all processes of a real installation by those of another version, one after the other, during calls, live clients and writes.
// Needs the programs of `bench/real/installation.ts`, otherwise exits with 2. `--from COMMIT`: the version before; default: the newest
// one with an older schema.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signIn } from "../product.ts";
import { findMissing, type Installation, nodes, startInstallation } from "../real/installation.ts";
import { watchAcknowledgments } from "./acknowledgments.ts";
import { enrol, runDevice, runRest, verify } from "./crash-writers.ts";
import { findUnseen, startLiveReader } from "./live-readers.ts";

const { values: flags } = parseArgs({
  options: {
    from: { type: "string" },
    devices: { type: "string", default: "6" },
  },
});
const root = join(import.meta.dirname, "../..");
const callers = 4;
const readers = 3;
const betweenCallsMs = 20;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (text: string) => void process.stdout.write(`${text}\n`);
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** The commit before the one that added the newest migration. */
function findOlderSchema(): string {
  return git("log", "-1", "--diff-filter=A", "--format=%H~1", "--", "server/src/db/migrations");
}

/** Unpacks the version into the folder, with its dependencies. */
function unpack(commit: string, folder: string): void {
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const lock = "package-lock.json";
  if (readFileSync(join(folder, lock)).equals(readFileSync(join(root, lock))))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
  const built = join(root, "console/dist");
  if (existsSync(built)) symlinkSync(built, join(folder, "console/dist"));
}

type Calls = { answered: number; failed: string[] };

/** Reads and changes a location of its own until `stopped`. Never repeats a call. */
async function runCaller(at: Installation, owner: string, calls: Calls, stopped: () => boolean): Promise<void> {
  const api = await signIn(at.url);
  const { _id } = await api.call<{ _id: string }>("POST", "/api/measurement", { name: "called", owner });
  for (let n = 0; !stopped(); n += 1) {
    const call = [
      () => api.call("GET", "/api/v2/measurement?limit=50"),
      () => api.call("PUT", `/api/measurement/${_id}`, { name: `called ${n}` }),
      () => api.call("GET", "/api/auth/user"),
    ][n % 3];
    try {
      await call?.();
      calls.answered += 1;
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
      calls.failed.push(String(error) + cause);
    }
    await pause(betweenCallsMs);
  }
}

async function main(): Promise<number> {
  const missing = findMissing();
  if (missing !== null) {
    tell(`left out: ${missing}`);
    return 2;
  }
  const from = git("rev-parse", flags.from ?? findOlderSchema());
  const before = await mkdtemp(join(tmpdir(), "psp-before-"));
  try {
    unpack(from, before);
    const at = await startInstallation({ isSynchronous: true, code: before });
    try {
      return await run(at, from);
    } finally {
      await at.end();
    }
  } finally {
    await rm(before, { recursive: true, force: true });
  }
}

async function run(at: Installation, from: string): Promise<number> {
  const api = await signIn(at.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "upgrade", owner: me._id });
  const count = Number(flags.devices);
  const devices = await Promise.all(Array.from({ length: count }, (_, index) => enrol(at, token, index)));
  const ledger = join(at.dataDir, "ledger");
  appendFileSync(ledger, "");
  let stopped = false;
  const calls: Calls = { answered: 0, failed: [] };
  const tally = { locations: 0 };
  const live = await Promise.all(Array.from({ length: readers }, () => startLiveReader(at)));
  const work = [
    ...devices.map((device, index) => runDevice(at, device, index, ledger)),
    runRest(at, me._id, 1, ledger, () => stopped, tally),
    ...Array.from({ length: callers }, () => runCaller(at, me._id, calls, () => stopped)),
  ];
  const watch = watchAcknowledgments(devices);
  await at.databases.untilWhole(180_000);
  let failed = 0;
  const names = [...nodes.processes, ...nodes.gateways];
  for (const round of [`from ${from.slice(0, 12)} to this version`, "this version, restarted"]) {
    const [answeredBefore, failedBefore] = [calls.answered, calls.failed.length];
    watch.take();
    for (const name of names) {
      await at.stopProcess(name);
      await at.startProcess(name, root);
    }
    await watch.untilNext(90_000);
    const errors = calls.failed.slice(failedBefore);
    failed += errors.length;
    tell(
      `${round}: ${calls.answered - answeredBefore} calls answered, ${errors.length} failed, ` +
        `${Math.round(watch.take())} ms without acknowledgment`,
    );
    for (const [reason, same] of Map.groupBy(errors, (error) => error)) tell(`  ${same.length} times: ${reason}`);
  }
  stopped = true;
  watch.stop();
  for (const device of devices) device.stop = true;
  await Promise.all(work);
  const unseen = () => live.reduce((sum, one) => sum + findUnseen(ledger, one).length, 0);
  for (let n = 0; n < 100 && unseen() > 0; n += 1) await pause(100);
  const missed = unseen();
  const resumes = live.reduce((sum, one) => sum + one.resumes, 0);
  const reloads = live.reduce((sum, one) => sum + one.reloads, 0);
  const outcome = await verify(at.url, devices, ledger);
  await Promise.all(live.map((one) => one.stop()));
  tell(
    `${outcome.records} records and ${outcome.locations} locations acknowledged, ${outcome.lost} lost, ${outcome.doubled} doubled, ` +
      `${outcome.wrong} wrong; live: ${resumes} resumes, ${reloads} reloads, ${missed} changes missed`,
  );
  const isProved = tally.locations > 0 && resumes > 0 && calls.answered > 0 && devices.every(({ acked }) => acked > 0);
  if (!isProved) process.stderr.write("Nothing is proved: not every writer or reader was served\n");
  const wrong = outcome.lost + outcome.doubled + outcome.wrong + missed + reloads + failed;
  return isProved && wrong === 0 ? 0 : 1;
}

process.exitCode = await main();
