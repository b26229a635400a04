// Kills processes, databases and the bus of a real installation, and cuts nodes off, during writes over MQTT and REST. Compares
// acknowledged with stored data at the end, and with what standbys answer all the time. Needs the programs of
// `bench/real/installation.ts`, otherwise exits with 2.
// `--faults 20 --seed 1 --record FILE [--negative] [--broker]`. `--record` adds up the results of several runs; `failover.jsonl`
// beside this file has those until now.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../load.ts";
import { signIn } from "../product.ts";
import { findMissing, type Installation, nodes, startInstallation } from "../real/installation.ts";
import { watchAcknowledgments } from "./acknowledgments.ts";
import { readCounts, type ReadTally } from "./count-readers.ts";
import { type Device, enrol, runDevice, runRest, verify } from "./crash-writers.ts";

const { values: flags } = parseArgs({
  options: {
    faults: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    devices: { type: "string", default: "6" },
    record: { type: "string" },
    /** Only these kinds of faults, in this order. */
    only: { type: "string", multiple: true },
    /** Replicates asynchronously, and cuts off leaders whose standbys are behind; the campaign must then detect losses. */
    negative: { type: "boolean", default: false },
    /** With Mosquitto instead of the embedded brokers. */
    broker: { type: "boolean", default: false },
  },
});

let state = Number(flags.seed) || 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (text: string) => void process.stdout.write(`${text}\n`);
const leaderWithinMs = 90_000;
const servedWithinMs = 90_000;
const wholeWithinMs = 180_000;

type Fault = keyof typeof faults;
const isFault = (name: string): name is Fault => name in faults;

/** Each resolves when the parts run again. */
const faults = {
  async "process killed"(at: Installation) {
    const name = pick([...nodes.processes, ...nodes.gateways]);
    at.network.signal(name, "SIGKILL");
    await pause(random() * 1_500);
    await at.startProcess(name);
  },
  async "two processes killed"(at: Installation) {
    const [one, other] = [pick(nodes.processes), pick(nodes.gateways)];
    for (const name of [one, other]) at.network.signal(name, "SIGKILL");
    await pause(random() * 1_500);
    await Promise.all([one, other].map((name) => at.startProcess(name)));
  },
  async "process cut off"(at: Installation) {
    const name = pick([...nodes.processes, ...nodes.gateways]);
    at.network.cut(name);
    await pause(2_000 + random() * 6_000);
    at.network.heal(name);
    await at.untilReady(name);
  },
  async "leader killed"(at: Installation) {
    const leader = await at.databases.untilLeader(leaderWithinMs);
    const before = await at.databases.untilTimeline(leaderWithinMs, 0);
    at.network.signal(leader, "SIGKILL", "postgres");
    // If no standby takes the lock, Patroni promotes the same node again.
    await at.databases.untilTimeline(leaderWithinMs, before);
  },
  async "leader cut off"(at: Installation) {
    const leader = await at.databases.untilLeader(leaderWithinMs);
    at.network.cut(leader);
    await at.databases.untilLeader(leaderWithinMs, leader);
    await pause(random() * 2_000);
    at.network.heal(leader);
  },
  async "standby cut off"(at: Installation) {
    const leader = await at.databases.untilLeader(leaderWithinMs);
    const name = pick(nodes.databases.filter((one) => one !== leader));
    at.network.cut(name);
    await pause(2_000 + random() * 6_000);
    at.network.heal(name);
  },
  async "standby killed"(at: Installation) {
    const leader = await at.databases.untilLeader(leaderWithinMs);
    at.network.signal(pick(nodes.databases.filter((one) => one !== leader)), "SIGKILL", "postgres");
  },
  /**
   * With asynchronous replication, what is acknowledged meanwhile is lost with the leader. With a synchronous one, Patroni may find no
   * standby that has everything, and waits for the leader.
   */
  async "leader cut off while standbys lag"(at: Installation) {
    const leader = await at.databases.untilLeader(leaderWithinMs);
    const standbys = nodes.databases.filter((one) => one !== leader);
    // A stopped standby would still find what arrived meanwhile in its socket.
    for (const name of standbys) at.network.cut(name);
    await pause(2_000);
    at.network.cut(leader);
    for (const name of standbys) at.network.heal(name);
    await at.databases.untilLeader(leaderWithinMs, leader);
    at.network.heal(leader);
  },
  async "bus killed"(at: Installation) {
    at.network.signal(nodes.bus, "SIGKILL");
    await pause(random() * 2_000);
    at.startBus();
  },
  async "pooler killed"(at: Installation) {
    at.network.signal(nodes.pooler, "SIGKILL");
    await pause(random() * 2_000);
    at.startPooler();
  },
  /** Only with `--broker`. */
  async "broker killed"(at: Installation) {
    at.network.signal(nodes.broker, "SIGKILL");
    await pause(random() * 2_000);
    if (flags.broker) at.startBroker();
  },
  async "bus cut off"(at: Installation) {
    at.network.cut(nodes.bus);
    await pause(2_000 + random() * 6_000);
    at.network.heal(nodes.bus);
  },
} as const;

/** One in twenty strikes the leader. */
const usual: readonly Fault[] = [
  ...(["process killed", "process cut off", "process killed", "two processes killed", "bus killed"] as const),
  ...(["process killed", "process cut off", "process killed", "standby cut off", "leader killed"] as const),
  ...(["process killed", "process cut off", "process killed", "two processes killed", "bus cut off"] as const),
  ...(["process killed", "process cut off", "process killed", "standby cut off", "process killed"] as const),
  ...(["process killed", "process cut off", "process killed", "two processes killed", "pooler killed"] as const),
  ...(["process killed", "process cut off", "process killed", "standby cut off", "leader cut off"] as const),
  ...(["process killed", "process cut off", "process killed", "two processes killed", "bus cut off"] as const),
  ...(["process killed", "process cut off", "process killed", "standby killed", "process killed"] as const),
];

/** In this order, again and again. */
function findOrder(): readonly Fault[] {
  if (flags.negative) return ["leader cut off while standbys lag"];
  const unknown = flags.only?.find((name) => !isFault(name));
  if (unknown !== undefined) throw new Error(`There is no fault '${unknown}', only: ${Object.keys(faults).join(", ")}`);
  const order = flags.only?.filter(isFault) ?? usual;
  return flags.broker ? order.map((fault, n) => (n % 5 === 4 ? "broker killed" : fault)) : order;
}

type Result = {
  seed: string;
  faults: Record<string, number[]>;
  records: number;
  locations: number;
  lost: number;
  doubled: number;
  wrong: number;
  /** How often a standby had to be restarted, because it did not follow by itself. */
  restarts?: number;
} & ReadTally;

/** Adds the result to the file and prints the sums of all runs in it. */
function record(file: string, result: Result): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`, { flush: true });
  const runs = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result);
  const sum = (name: Exclude<keyof Result, "seed" | "faults">) =>
    runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  tell(
    `in ${runs.length} runs: ${sum("records")} records and ${sum("locations")} locations acknowledged, ` +
      `${sum("lost")} lost, ${sum("doubled")} doubled, ${sum("wrong")} wrong; ${sum("reads")} reads, ${sum("stale")} stale; ` +
      `${sum("restarts")} standbys restarted`,
  );
  for (const fault of Object.keys(faults))
    describe(
      fault,
      runs.flatMap((run) => run.faults[fault] ?? []),
    );
}

function describe(fault: string, silences: readonly number[]): void {
  if (silences.length === 0) return;
  tell(
    `  ${fault}: ${silences.length}, without acknowledgment: median ${Math.round(median([...silences]))} ms, longest ${Math.round(Math.max(...silences))} ms`,
  );
}

/** Prints how far each device got, and whether each process is ready. */
async function describeStandstill(at: Installation, devices: readonly Device[]): Promise<void> {
  for (const { id, acked, next, made, client } of devices)
    tell(`${id}: acknowledged to ${acked}, next ${next} of ${made}, connected: ${client?.connected}`);
  for (const name of [...nodes.processes, ...nodes.gateways]) {
    const answer = fetch(`http://${at.network.addressOf(name)}:8080/health/ready`, {
      signal: AbortSignal.timeout(5_000),
    });
    tell(`${name}: ${await answer.then((got) => got.text()).catch(String)}`);
  }
}

async function main(): Promise<number> {
  const missing = findMissing();
  if (missing !== null) {
    tell(`left out: ${missing}`);
    return 2;
  }
  const at = await startInstallation({ isSynchronous: !flags.negative, hasBroker: flags.broker });
  try {
    return await run(at);
  } finally {
    await at.end();
  }
}

async function run(at: Installation): Promise<number> {
  const api = await signIn(at.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "failover", owner: me._id });
  const count = Number(flags.devices);
  const devices = await Promise.all(Array.from({ length: count }, (_, index) => enrol(at, token, index)));
  const ledger = join(at.dataDir, "ledger");
  appendFileSync(ledger, "");
  let stopped = false;
  const tally = { locations: 0 };
  const read: ReadTally = { reads: 0, stale: 0 };
  // At full speed, a killed process would take three times as long to start.
  const paced = { ...at, paceMs: 200 };
  const writers = [
    ...devices.map((device, index) => runDevice(paced, device, index, ledger)),
    ...[1, 2, 3].map((writer) => runRest(paced, me._id, writer, ledger, () => stopped, tally)),
    readCounts(at, devices, () => stopped, read),
  ];
  const watch = watchAcknowledgments(devices);
  await at.databases.untilWhole(wholeWithinMs);
  const silences: Record<string, number[]> = {};
  let restarts = 0;
  const order = findOrder();
  for (let round = 1; round <= Number(flags.faults); round += 1) {
    await pause(1_000 + random() * 3_000);
    watch.take();
    const fault = order[(round - 1) % order.length] ?? "process killed";
    const from = performance.now();
    await faults[fault](at);
    await watch.untilNext(servedWithinMs).catch(async (error: unknown) => {
      await describeStandstill(at, devices);
      throw error;
    });
    const silence = watch.take();
    (silences[fault] ??= []).push(Math.round(silence));
    tell(
      `fault ${round}: ${fault}, over after ${Math.round(performance.now() - from)} ms, ${Math.round(silence)} ms without acknowledgment`,
    );
    restarts += await at.databases.untilWhole(wholeWithinMs);
  }
  const from = performance.now();
  const isEnough = () => tally.locations > 0 && read.reads > 0 && devices.every(({ acked }) => acked > 0);
  while (!isEnough() && performance.now() - from < servedWithinMs) await pause(100);
  stopped = true;
  watch.stop();
  for (const device of devices) device.stop = true;
  await Promise.all(writers);
  const outcome = { ...(await verify(at.url, devices, ledger)), ...read, restarts };
  tell(
    `seed ${flags.seed}: ${flags.faults} faults, ${outcome.records} records and ${outcome.locations} locations acknowledged, ` +
      `${outcome.lost} lost, ${outcome.doubled} doubled, ${outcome.wrong} wrong; ${read.reads} reads, ${read.stale} stale; ${restarts} standbys restarted`,
  );
  for (const [fault, list] of Object.entries(silences)) describe(fault, list);
  if (flags.record !== undefined) record(flags.record, { seed: flags.seed, faults: silences, ...outcome });
  if (!isEnough() || (await at.countStandbyReads()) === 0) {
    process.stderr.write("Nothing is proved: not every device, writer or reader was served, or no standby answered\n");
    return 1;
  }
  if (flags.negative) return outcome.lost > 0 ? 0 : 1;
  return outcome.lost + outcome.doubled + outcome.wrong + outcome.stale === 0 ? 0 : 1;
}

process.exitCode = await main();
