// The simulator's command line: `npm run simulate -- --help`.
import { once } from "node:events";
import { parseCounts, replay } from "./replay/replay.ts";
import { type Clock, createRealClock } from "./clock.ts";
import { enrol, EnrolError } from "./link/enrol.ts";
import { readCommands } from "./fleet/commands.ts";
import {
  createFleet,
  generateMembers,
  createInstallLog,
  noStore,
  createFileStore,
  createEnvironment,
} from "./fleet/fleet.ts";
import { createCertificateRequest, firmwareByType, hardwareByType } from "./device/identity.ts";
import type { Broker } from "./link/link.ts";
import { generateHistory } from "./fleet/past.ts";
import { readTextFile } from "./command-line/values.ts";
import { parseCommand, type PastOptions, type ReplayOptions, type RunOptions } from "./command-line/options.ts";
import { usage, UsageError } from "./command-line/usage.ts";
import { openVpnServer } from "./vpn/vpn-server.ts";
import { noTruth, openTruthFile } from "./counting/truth.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);
const printEveryMs = 10_000;

/** Resolves with the reason when the process should end. */
function asked(exitWithParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve("interrupted"));
    process.once("SIGTERM", () => resolve("terminated"));
    if (!exitWithParent) return;
    process.stdin.resume();
    process.stdin.once("end", () => resolve("parent gone"));
    process.stdin.once("close", () => resolve("parent gone"));
    process.stdin.once("error", () => resolve("parent gone"));
  });
}

async function run(options: RunOptions): Promise<number> {
  const net = createRealClock();
  const { from, speed, installs, hurry, verbose, history: historyMs, interval: intervalS } = options;
  const psconnect = !(options.noPsconnect ?? false);
  const { token = null, rest = null, mqtt: broker = null } = options;
  const clock = from === undefined ? net : createRealClock({ from, speed });
  const store = options.stateDir ? createFileStore(options.stateDir) : noStore();
  const truth = options.truth ? openTruthFile(options.truth) : noTruth();
  const log = (sensorId: string, text: string): void => {
    if (verbose) say(`${new Date(clock.now()).toISOString()} ${sensorId} ${text}`);
  };
  const installed = installs ? createInstallLog(installs, clock.now) : undefined;
  const vpn = await openVpn(options, net);
  const env = createEnvironment({ clock, net, truth, store, log, hurry, vpn, ...(installed ? { installed } : {}) });
  const members = options.members ?? generateMembers(options.count, options.seed, options.types);
  const fleet = createFleet({ ...options, members, token, broker, rest, psconnect, store, historyMs, intervalS }, env);

  if (options.commands) readCommands(process.stdin, fleet.sensors, complain);
  const ending = asked(options.exitWithParent ?? false);
  const refused = new Promise<Error>((resolve) => {
    fleet.start((error) => {
      if (options.retry && error instanceof EnrolError && error.retryable) return false;
      resolve(error);
      return true;
    });
  });
  const printNumbers = (): void => {
    const { sensors, online, sent, waiting, resentBatches } = fleet.numbers();
    const megabytes = Math.round(process.memoryUsage().rss / 1e6);
    say(
      `${online} of ${sensors} online, ${sent} records sent, ${waiting} waiting, ${resentBatches} batches sent again, ${megabytes} MB`,
    );
    net.at(net.now() + printEveryMs, printNumbers);
  };
  net.at(net.now() + printEveryMs, printNumbers);

  const reason = await Promise.race([ending, refused]);
  await fleet.stop();
  await truth.close();
  await vpn?.stop();
  if (reason instanceof Error) complain(reason.message);
  return reason instanceof Error ? 1 : 0;
}

/** Starts the simulated VPN server if enabled. If a port is in use, sensors work without it. */
async function openVpn({ vpnPort: pages, vpnManagementPort: management }: RunOptions, clock: Clock) {
  if (pages === 0) return null;
  return openVpnServer({ management, pages }, clock).catch((error: unknown) => {
    complain(`There is no simulated VPN: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  });
}

/** Waits while standard output is full, so that the output does not pile up in memory. */
async function printPast({ members, seed, from, to, interval: intervalS, skip, exitWithParent }: PastOptions) {
  if (exitWithParent) void asked(true).then(() => process.exit(1));
  for (const month of generateHistory(members, seed, { from, to, intervalS }, skip)) {
    if (!process.stdout.write(`${JSON.stringify(month)}\n`)) await once(process.stdout, "drain");
  }
  return 0;
}

async function playFile(options: ReplayOptions): Promise<number> {
  const file = readCounts(options);
  const { halfHours, unplaceable } = file;
  say(`${options.path}: ${halfHours.length} half hours, ${file.totalIn} in, ${file.totalOut} out`);
  if (unplaceable.times)
    complain(
      `${unplaceable.times} values have times that don't exist in ${options.zone} (${unplaceable.people} people). They are skipped.`,
    );
  const net = createRealClock();
  const { broker, password } = await credentialOf(options);
  const { sensor: id, order, half = null, twice = false } = options;
  const result = await replay({ id, broker, password, file, order, half, twice, net, log: say });
  const stretch = `${new Date(result.from).toISOString()} to ${new Date(result.to).toISOString()}`;
  say(`stored: ${result.records} intervals from ${stretch} in ${result.batches} batches`);
  say(`in ${result.in} out ${result.out}`);
  return 0;
}

function readCounts({ path, zone }: ReplayOptions): ReturnType<typeof parseCounts> {
  const text = readTextFile(path);
  try {
    return parseCounts(text, zone);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function credentialOf(options: ReplayOptions): Promise<{ broker: Broker; password: string }> {
  const { url, token, sensor: id, mqtt: broker, password } = options;
  if (password && broker) return { broker, password };
  if (!token) throw new UsageError("replay requires --token or --password.");
  // The key depends only on the id, so that the same sensor can be replayed in parts or in another order.
  const reply = await enrol({
    url,
    token,
    id,
    type: "APS",
    hw: hardwareByType.APS,
    fw: firmwareByType.APS,
    csr: createCertificateRequest("replay", id),
    time: Date.now(),
  });
  const { host, port, tls } = reply.mqtt;
  return { broker: broker ?? { host, port, tls }, password: reply.mqtt.password };
}

async function main(args: string[]): Promise<number> {
  const command = parseCommand(args);
  if (command.do === "run") return run(command.options);
  if (command.do === "past") return printPast(command.options);
  if (command.do === "replay") return playFile(command.options);
  say(usage);
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    complain(error instanceof Error ? error.message : String(error));
    if (error instanceof UsageError) complain("Run npm run simulate -- --help to see all options.");
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
