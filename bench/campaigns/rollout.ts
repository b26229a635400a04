// Runs a rollout over a simulated fleet while server and devices are killed. Every sensor must boot into a firmware at most once
// per task. Once all deadlines have passed, it must be in the state that an independent model predicts.
// `--sensors 10000 --kills 20 --device-kills 2 --failing 0.05 --seed 1`.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toMac } from "@psp/contract/kit/mac.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { enrolSensor } from "../enrol.ts";
import { type Api, createProduct, type Product } from "../product.ts";
import {
  fetchAllSensors,
  passAllDeadlines,
  ensureSignedIn,
  retryUntilResponse,
  printLine,
  waitForAll,
  waitUntilQuiet,
  wait,
} from "./rollout-watch.ts";
import {
  type Fate,
  first,
  type InstallLogEntry,
  isExplainedByKill,
  isFaulty,
  isRolloutOver,
  type RolloutMember,
  oldVersion,
  second,
  findRolloutErrors,
} from "./rollout-model.ts";

const { values: flags } = parseArgs({
  options: {
    sensors: { type: "string", default: "100" },
    kills: { type: "string", default: "2" },
    "device-kills": { type: "string", default: "1" },
    /** Fraction of sensors on which any new firmware fails. */
    failing: { type: "string", default: "0.05" },
    /** Fraction of sensors that are of an older kind and updated over REST. */
    rest: { type: "string", default: "0.2" },
    kb: { type: "string", default: "64" },
    /** Speed factor of installations. */
    hurry: { type: "string", default: "4" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const count = Number(flags.sensors);

let state = Number(flags.seed) || 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const restLogin = { feature: "restapi", username: "user-role-edit", password: "campaign-of-kills" };

function fateOf(): Fate {
  const failing = Number(flags.failing);
  const dice = random();
  if (dice < failing) return (["selftest", "hash", "sig"] as const)[Math.floor(random() * 3)] ?? "hash";
  if (dice < failing + 0.1) return "canceled";
  return dice < failing + 0.15 ? "replaced" : "plain";
}

/** Gives REST sensors no faults, because a faulty one would report no error but only keep its old version. */
function restFateOf(): Fate {
  const dice = random();
  return dice < 0.15 ? "canceled" : dice < 0.3 ? "replaced" : "plain";
}

async function enrolAll(product: Product, token: string): Promise<{ members: RolloutMember[]; fwKey: string }> {
  const members: RolloutMember[] = [];
  let fwKey = "";
  while (members.length < count) {
    const id = toMac(0x0200_0001_0000 + members.length);
    const answer = await enrolSensor(product.url, token, id);
    fwKey = answer.fwKey;
    const isRest = random() < Number(flags.rest);
    members.push({ id, fate: isRest ? restFateOf() : fateOf(), isRest, password: answer.mqtt.password });
  }
  return { members, fwKey };
}

async function upload(product: Product, api: Api, owner: string, type: string, name: string): Promise<string> {
  const form = new FormData();
  for (const [field, value] of Object.entries({ owner, type, name })) form.append(field, value);
  const bytes = new Uint8Array(Number(flags.kb) * 1024).map((_, index) => index % 251);
  form.append("file", new Blob([bytes]), "firmware.bin");
  const response = await fetch(`${product.url}/api/artifact`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.token}` },
    body: form,
  });
  if (!response.ok) throw new Error(`Upload: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { _id: string })._id;
}

/** Runs the simulated fleet in a separate process, which resumes its state after a kill. */
function createFleet(product: Product, credentials: string, installs: string) {
  const options = {
    credentials,
    mqtt: `mqtt://127.0.0.1:${product.mqttPort}`,
    url: product.url,
    "state-dir": join(product.dataDir, "fleet"),
    installs,
    hurry: flags.hurry,
    interval: "60",
    rate: "200",
  };
  const named = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const simulator = join(import.meta.dirname, "../../simulator/src/main.ts");
  const args = [simulator, "fleet", ...named, "--retry", "--exit-with-parent"];
  let child: ChildProcess | null = null;
  return {
    start() {
      child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "inherit"] });
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Cancels and replaces updates during the rollout, repeating each call until it gets a response. */
async function changeMinds(product: Product, members: RolloutMember[], firmware: string): Promise<void> {
  const lot = members.filter(({ fate }) => fate === "canceled" || fate === "replaced");
  for (const [index, { id, fate }] of lot.entries()) {
    // The first half is changed at once, during downloads, and the others spread over the rollout.
    if (index > lot.length / 2) await wait((random() * 4 * Math.max(5000, count * 4)) / lot.length);
    const body = { artifact: fate === "canceled" ? "" : firmware };
    await retryUntilResponse(product, (api) => api.call("PUT", `/api/sensor/${encodeURIComponent(id)}`, body));
  }
}

async function killInTurns(product: Product, fleet: ReturnType<typeof createFleet>): Promise<number[]> {
  const times: number[] = [];
  const kills = Number(flags.kills);
  const deviceKills = Number(flags["device-kills"]);
  for (let round = 1; round <= kills + deviceKills; round += 1) {
    await wait(1500 + random() * 4000);
    times.push(Date.now());
    if (round % Math.ceil((kills + deviceKills) / Math.max(1, deviceKills)) === 0 && deviceKills > 0) {
      await fleet.kill();
      fleet.start();
      printLine(`kill ${round}: all devices`);
    } else {
      await product.kill("server");
      printLine(`kill ${round}: server, back after ${Math.round(await product.start())} ms`);
    }
  }
  return times;
}

async function main(): Promise<number> {
  const product = await createProduct({ TEST_CLOCK: "on" });
  await product.start();
  const api = await ensureSignedIn(product);
  const { _id: me } = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "rollout", owner: me });
  const [wanted, better] = [
    await upload(product, api, me, "APS", first),
    await upload(product, api, me, "APS", second),
  ];
  const foreign = await upload(product, api, me, "ZOD", first);
  const { members, fwKey } = await enrolAll(product, token);
  const credentials = join(product.dataDir, "members.json");
  const installsFile = join(product.dataDir, "installs");
  await writeFile(installsFile, "");
  const sensors = members.map(({ id, password, fate, isRest }) => ({
    id,
    type: "APS",
    password,
    fw: oldVersion,
    ...(isRest ? { rest: restLogin.password } : {}),
    ...(isFaulty(fate) ? { faults: `update-${fate}` } : {}),
  }));
  for (const { id } of members.filter((one) => one.isRest))
    await api.call("PUT", `/api/sensor/${encodeURIComponent(id)}`, { sensorFeatureCredentials: [restLogin] });
  await writeFile(credentials, JSON.stringify({ fwKey, sensors }));
  const fleet = createFleet(product, credentials, installsFile);
  fleet.start();
  await waitForAll(product, "online", async (all) => all.filter((one) => one.scomState.isConnected).length, 600_000);
  printLine(`seed ${flags.seed}: ${count} sensors are online`);

  const ids = members.map(({ id }) => id);
  const assign = (artifact: string) =>
    api.call<{ success: number }>(
      "PUT",
      "/api/v2/sensor/batch-update",
      { sensorIDs: ids, changes: { artifact } },
      {},
      300_000,
    );
  const refused = await assign(foreign);
  const from = Date.now();
  const given = await assign(wanted);
  const [kills] = await Promise.all([killInTurns(product, fleet), changeMinds(product, members, better)]);
  const byId = new Map(members.map((member) => [member.id, member]));
  const isEnd = (sensor: Sensor) => {
    const member = byId.get(sensor._id);
    return member !== undefined && isRolloutOver(sensor, member);
  };
  const unanswered = await waitUntilQuiet(product, isEnd);
  const tookMs = Date.now() - from;
  await passAllDeadlines(product, isEnd);

  const installs = new Map<string, InstallLogEntry[]>();
  for (const line of (await readFile(installsFile, "utf8")).split("\n").filter(Boolean)) {
    const install = JSON.parse(line) as InstallLogEntry;
    installs.set(install.sensor, [...(installs.get(install.sensor) ?? []), install]);
  }
  const all = await fetchAllSensors(product);
  let wrong = refused.success;
  const ends: Record<string, number> = {};
  for (const member of members) {
    const sensor = all.get(member.id);
    const fault = sensor
      ? findRolloutErrors(member, sensor, installs.get(member.id) ?? [], unanswered.get(member.id))
      : "not there";
    if (fault !== null) printLine(`WRONG ${member.id} (${member.fate}): ${fault}`);
    if (fault !== null) wrong += 1;
    const end = `${member.isRest ? "rest " : ""}${member.fate} ${sensor?.sensorUpdateTask?.status ?? "open"}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  for (const [id, order] of unanswered) {
    if (isExplainedByKill(order, kills)) continue;
    printLine(`WRONG ${id}: no kill explains that the order of ${new Date(order.at).toISOString()} has no answer`);
    wrong += 1;
  }
  printLine(`${JSON.stringify(ends)}`);
  printLine(
    `seed ${flags.seed}: ${given.success} sensors assigned, ${flags.kills} kills of the server and ${flags["device-kills"]} of all devices, ` +
      `${[...installs.values()].flat().length} installations, ` +
      `${unanswered.size} orders without an answer, ${wrong} wrong, ${Math.round(tookMs / 1000)} s`,
  );
  await fleet.kill();
  await product.end();
  return wrong === 0 && given.success === count ? 0 : 1;
}

process.exitCode = await main();
