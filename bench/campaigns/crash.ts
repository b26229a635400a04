// Kills server, PostgreSQL or both at random moments during writes over MQTT and REST, then compares acknowledged with stored
// data. Nothing may be lost or duplicated. `--kills 20 --devices 8 --seed 1 [--negative|--forgetful]`.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Progress, startBatchWriters } from "./crash-batches.ts";
import { startReplacementWriters } from "./crash-replacements.ts";
import { enrol, runDevice, runRest, verify } from "./crash-writers.ts";
import { createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    devices: { type: "string", default: "8" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** Disables synchronous commits; the campaign must then detect losses. */
    negative: { type: "boolean", default: false },
    /** Removes change numbers; the campaign must then detect batches that overwrite later changes. */
    forgetful: { type: "boolean", default: false },
  },
});

let state = Number(flags.seed) || 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const enoughWithinMs = 120_000;
/** Number of changes during batches after which a product without change numbers has lost one. */
const enoughRisked = 20;

/** What has not happened yet. Without it, a campaign that finds no loss proves nothing. */
function findMissing(records: number, locations: number, { late, risked }: Progress): string[] {
  const missing = [
    records === 0 && "no record was acknowledged",
    locations === 0 && "no location was acknowledged",
    !flags.forgetful && late === 0 && "no batch met a sensor that was changed meanwhile",
    flags.forgetful && risked < enoughRisked && `only ${risked} changes were made during a batch`,
  ];
  return missing.filter((one) => one !== false);
}

/** Lets the writers go on until nothing is missing. How long that takes depends on the machine. */
async function waitForEnough(findAllMissing: () => string[]): Promise<string[]> {
  const from = performance.now();
  await pause(1500);
  while (findAllMissing().length > 0 && performance.now() - from < enoughWithinMs) await pause(100);
  return findAllMissing();
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Killed in turn, so that three kills cover all of them. */
const victims = ["server", "postgres", "both"] as const;

async function main(): Promise<number> {
  const product = await createProduct(flags.negative ? { PGOPTIONS: "-c synchronous_commit=off" } : {});
  await product.start();
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const made = await api.call<{ token: string }>("POST", "/api/init_token", { name: "crash", owner: me._id });
  const count = Number(flags.devices);
  const devices = await Promise.all(Array.from({ length: count }, (_, index) => enrol(product, made.token, index)));
  const ledger = join(product.dataDir, "ledger");
  appendFileSync(ledger, "");

  let stopped = false;
  const isForgetful = flags.forgetful;
  const tally = { locations: 0 };
  const fleet = await startBatchWriters(product, random, () => stopped, { forgetful: isForgetful });
  const swaps = await startReplacementWriters(product, me._id, random, () => stopped);
  const writers = [
    ...fleet.writers,
    ...swaps.writers,
    ...devices.map((device, index) => runDevice(product, device, index, ledger)),
    ...[1, 2, 3, 4].map((writer) => runRest(product, me._id, writer, ledger, () => stopped, tally)),
  ];
  const recoveries: number[] = [];
  const from = Math.floor(random() * victims.length);
  for (let round = 1; round <= Number(flags.kills); round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 1500));
    const victim = victims[(round + from) % victims.length] ?? "both";
    await product.kill(victim);
    const tookMs = victim === "postgres" ? await product.untilHealthy() : await product.start();
    recoveries.push(tookMs);
    process.stdout.write(`kill ${round}: ${victim}, back after ${Math.round(tookMs)} ms\n`);
  }
  const missing = await waitForEnough(() =>
    findMissing(Math.max(...devices.map(({ acked }) => acked)), tally.locations, fleet.progress()),
  );
  stopped = true;
  for (const device of devices) device.stop = true;
  await Promise.all(writers);
  const outcome = await verify(product.url, devices, ledger);
  const sensors = await fleet.verify();
  const swapped = { doubled: 0, ...(await swaps.verify()) };
  recoveries.sort((a, b) => a - b);
  const median = Math.round(recoveries[Math.floor(recoveries.length / 2)] ?? 0);
  process.stdout.write(
    `seed ${flags.seed}: ${flags.kills} kills, ${outcome.records} records and ${outcome.locations} locations acknowledged, ` +
      `${outcome.lost} lost, ${outcome.doubled} doubled, ${outcome.wrong} wrong; recovery median ${median} ms, max ${Math.round(recoveries.at(-1) ?? 0)} ms\n`,
  );
  process.stdout.write(
    `sensors: ${sensors.changes} changes and ${sensors.batches} batches, ${sensors.late} sensors changed meanwhile, ` +
      `${sensors.lost} lost, ${sensors.doubled} doubled, ${sensors.wrong} wrong\n`,
  );
  process.stdout.write(
    `replacements: ${swapped.replacements} acknowledged, ${swapped.undone} undone, ${swapped.lost} lost, ${swapped.wrong} half done\n`,
  );
  await product.end();
  if (missing.length > 0) {
    process.stderr.write(
      `Nothing is proved: ${missing.join(", ")} within ${enoughWithinMs / 1000} s after the last kill\n`,
    );
    return 1;
  }
  if (isForgetful) return sensors.lost > 0 ? 0 : 1;
  if (flags.negative) return outcome.lost + sensors.lost > 0 ? 0 : 1;
  return [outcome, sensors, swapped].every(({ lost, doubled, wrong }) => lost + doubled + wrong === 0) ? 0 : 1;
}

process.exitCode = await main();
