// Proves that a fresh clone starts as an ordinary user and as root, in a path with a space, with an empty home and npm cache, and
// survives stops, kills and occupied ports. Without `--whole` it links packages and console instead of installing and building
// them, and runs as one user only.

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { cloneInto, freePorts, LINKED_PATHS, linkInto, Product, signIn, systemPath } from "./fresh-clone.product.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const IS_WHOLE = process.argv.includes("--whole");
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };
/** In `npm test`, other stages slow the machine down, so that limits only catch hangs. */
const HANGS_MS = 300_000;
const FIRST_START_MS = IS_WHOLE ? 240_000 : HANGS_MS;
const SECOND_START_MS = IS_WHOLE ? 10_000 : HANGS_MS;
const STOP_MS = IS_WHOLE ? 5_000 : HANGS_MS;
const SIGN_IN_MS = IS_WHOLE ? 60_000 : HANGS_MS;
/** Number of printed logins: the personas, plus the root account on the first start. */
const LOGINS = { first: 7, later: 6, withoutDemo: 1 };

const failures = [];

async function step(title, limitMs, work) {
  const startedAt = Date.now();
  try {
    await work();
    const tookMs = Date.now() - startedAt;
    if (tookMs > limitMs) throw new Error(`took ${tookMs} ms, more than ${limitMs} ms`);
    console.log(`ok: ${title} (${(tookMs / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    failures.push(title);
    console.error(`FAILED: ${title}: ${error.message}`);
    return false;
  }
}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

async function stop(product) {
  await product.signal("SIGTERM", STOP_MS);
  expect(
    product.exitCode === 0 || product.exitSignal === "SIGTERM",
    `it ended with ${product.exitCode ?? product.exitSignal}`,
  );
  const left = product.leftovers();
  expect(left.length === 0, `processes were left: ${left.join("; ")}`);
}

async function fullPass(place, who) {
  const [port, otherPort, mqttPort] = await freePorts(3);
  const start = (env = {}) => new Product(place, who, { PORT: String(port), MQTT_PORT: String(mqttPort), ...env });

  let product = start();
  const firstStart = () => product.healthy(port, FIRST_START_MS);
  if (!(await step("first start", FIRST_START_MS, firstStart))) return;
  await step(
    `at the printed address ${IS_WHOLE ? "each printed login leads" : "two printed logins lead"} in`,
    SIGN_IN_MS,
    async () => signIn(await product.printed(SIGN_IN_MS), LOGINS.first, IS_WHOLE ? LOGINS.first : 2),
  );
  await step("SIGTERM ends it cleanly", STOP_MS, () => stop(product));

  product = start();
  await step("second start", SECOND_START_MS, () => product.healthy(port, HANGS_MS));
  await step("SIGTERM ends it cleanly again", STOP_MS, () => stop(product));

  const blocker = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  product = start();
  await step("a taken port gives one clear line and code 1", SECOND_START_MS, async () => {
    await product.ended(SECOND_START_MS);
    expect(product.exitCode === 1, `code ${product.exitCode}`);
    const lines = product.output.split("\n").filter((line) => line.includes("PORT"));
    expect(lines.length === 1 && lines[0].includes(String(port)), `it says: ${product.output}`);
  });
  product = start({ PORT: String(otherPort) });
  await step("another PORT works beside it", SECOND_START_MS, () => product.healthy(otherPort, HANGS_MS));
  blocker.close();

  await step("kill -9 of the whole group, then a start at once", IS_WHOLE ? 60_000 : HANGS_MS, async () => {
    await product.kill();
    product = start();
    await product.healthy(port, HANGS_MS);
  });
  await step(`${IS_WHOLE ? "each" : "one"} printed login still leads in`, SIGN_IN_MS, async () =>
    signIn(await product.printed(SIGN_IN_MS), LOGINS.later, IS_WHOLE ? LOGINS.later : 1),
  );
  await step("SIGTERM ends it cleanly after that", STOP_MS, () => stop(product));
  if (!IS_WHOLE) return;

  product = start({ DEMO: "off", HOST: "127.0.0.1", DATA_DIR: path.join(place.home, "data") });
  await step("without the demo the first login leads in", SIGN_IN_MS, async () =>
    signIn(await product.printed(SIGN_IN_MS), LOGINS.withoutDemo),
  );
  await step("SIGTERM ends that, too", STOP_MS, () => stop(product));
}

async function shortPass(place, who) {
  rmSync(path.join(place.repo, "data"), { recursive: true, force: true });
  const [port, mqttPort] = await freePorts(2);
  const start = () => new Product(place, who, { PORT: String(port), MQTT_PORT: String(mqttPort) });
  let product = start();
  if (!(await step("start on empty data", 60_000, () => product.healthy(port, 60_000)))) return;
  await step("at the printed address each printed login leads in", SIGN_IN_MS, async () =>
    signIn(await product.printed(SIGN_IN_MS), LOGINS.first),
  );
  await step("SIGTERM ends it cleanly", STOP_MS, () => stop(product));
  for (const [title, program] of [
    ["npm", "npm start"],
    ["start.mjs", "node start.mjs"],
  ]) {
    product = start();
    await step(`start again for the kill of ${title}`, SECOND_START_MS, () => product.healthy(port, 60_000));
    await step(`kill -9 of ${title} alone leaves no process behind`, 2 * STOP_MS, () =>
      product.killOnly(program, 2 * STOP_MS),
    );
  }
}

function giveTo(folder, { uid, gid }) {
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    // Hard links keep their owner, because a new owner would also own the files of the original checkout. All users can read them.
    const isLinked = !IS_WHOLE && LINKED_PATHS.some((one) => file.startsWith(path.join(place.repo, one)));
    if (entry.isDirectory()) giveTo(file, { uid, gid });
    else if (!isLinked && !lstatSync(file).isSymbolicLink()) chownSync(file, uid, gid);
  }
}

/** Whether the user can run this machine's Node and npm. They may be installed in root's home, which others can't read. */
function canRunNode(user) {
  const env = { PATH: systemPath(), HOME: tmpdir() };
  return spawnSync("npm", ["--version"], { ...user, cwd: "/", env }).status === 0;
}

const base = mkdtempSync(path.join(tmpdir(), "psp clone "));
chmodSync(base, 0o755);
const place = { repo: path.join(base, "a clone"), home: path.join(base, "home"), cache: path.join(base, "npm-cache") };
try {
  console.log(cloneInto(ROOT, place.repo));
  if (!IS_WHOLE) linkInto(place.repo, ROOT);
  mkdirSync(place.home);
  mkdirSync(place.cache);
  if (!IS_ROOT) {
    console.log("-- as this user");
    await fullPass(place, null);
  } else if (canRunNode(NOBODY)) {
    giveTo(base, NOBODY);
    console.log("-- as an ordinary user");
    await fullPass(place, NOBODY);
    if (IS_WHOLE) {
      // Tests the installed clone with files owned by root, in a folder that no one else can read.
      giveTo(base, { uid: 0, gid: 0 });
      chmodSync(base, 0o700);
      console.log("-- as root, in a folder closed to others");
      await shortPass(place, null);
    }
  } else {
    console.log("-- as root only: an ordinary user cannot reach this machine's npm");
    await fullPass(place, null);
  }
} finally {
  for (const product of Product.all) await product.kill();
  // PostgreSQL may still write for a moment after its server was killed.
  rmSync(base, { recursive: true, force: true, maxRetries: 30 });
}
console.log(failures.length === 0 ? "fresh clone: every step passed" : `fresh clone: ${failures.length} steps failed`);
process.exit(failures.length === 0 ? 0 : 1);
