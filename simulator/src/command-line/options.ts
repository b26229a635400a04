// Command-line parsing: commands, options and error messages.
import { parseArgs } from "node:util";
import { z } from "zod";
import type { Member } from "../fleet/fleet.ts";
import { orders } from "../replay/replay.ts";
import { UsageError } from "./usage.ts";
import * as values from "./values.ts";

/** A switch; all other options take a value. */
const flag = z.boolean().optional();

const connection = {
  url: values.httpUrl.default("http://127.0.0.1:8080"),
  token: z.string().optional(),
  mqtt: values.brokerUrl.optional(),
  exitWithParent: flag,
};
const fleet = z.object({
  ...connection,
  credentials: z.string().optional(),
  count: values.wholeNumber(1, 100_000).default(300),
  types: values.typeMix.prefault("APS:7,PS.C1:2,ZOD:1"),
  interval: values.countInterval.default(300),
  history: values.span.default(0),
  zone: values.timeZone.default("Europe/Berlin"),
  seed: z.string().default("demo"),
  from: values.pastInstant.optional(),
  speed: values.positive.default(1),
  stateDir: z.string().optional(),
  truth: z.string().optional(),
  installs: z.string().optional(),
  hurry: values.positive.default(1),
  rest: values.restPassword.optional(),
  noPsconnect: flag,
  vpnPort: values.wholeNumber(0, 65_535).default(0),
  vpnManagementPort: values.wholeNumber(0, 65_535).default(0),
  rate: values.wholeNumber(1, 5000).optional(),
  faults: values.faults.default([]),
  retry: flag,
  verbose: flag,
  commands: flag,
  password: z.string().optional(),
});
const one = fleet.extend({
  id: values.mac,
  type: values.sensorType.default("APS"),
  kind: values.siteKind.optional(),
});
const past = z.object({
  credentials: z.string(),
  from: values.pastInstant,
  to: values.pastInstant,
  interval: values.countInterval.default(900),
  seed: z.string().default("demo"),
  skip: values.wholeNumber(0, 1_000_000).default(0),
  exitWithParent: flag,
});
const replay = z.object({
  ...connection,
  sensor: values.mac,
  password: z.string().optional(),
  zone: values.timeZone.default("America/Los_Angeles"),
  order: z.enum(orders, { error: `is not one of ${orders.join(", ")}.` }).default("forward"),
  half: z.enum(["first", "second"], { error: "is neither first nor second." }).optional(),
  twice: flag,
});

export type RunOptions = z.output<typeof fleet> & {
  /** Null generates a fleet of `count` sensors. */
  members: Member[] | null;
  fwKey: string | null;
  retry: boolean;
  rate: number;
};
export type PastOptions = z.output<typeof past> & { members: Member[] };
export type ReplayOptions = z.output<typeof replay> & { path: string };
export type Command =
  | { do: "help" }
  | { do: "run"; options: RunOptions }
  | { do: "past"; options: PastOptions }
  | { do: "replay"; options: ReplayOptions };

/** Throws UsageError with a user-facing message. */
export function parseCommand(args: string[]): Command {
  const { given, positionals } = parse(args);
  const [command, file, extra] = positionals;
  if (given["help"] || command === "help" || (command === undefined && args.length === 0)) return { do: "help" };
  if (command === "fleet" || command === "one") {
    if (file !== undefined) throw new UsageError(`Unexpected argument "${file}".`);
    return { do: "run", options: command === "one" ? oneOptions(given) : fleetOptions(given) };
  }
  if (command === "past") {
    const options = read(past, given);
    return { do: "past", options: { ...options, members: values.readCredentials(options.credentials).members } };
  }
  if (command === "replay") {
    if (file === undefined) throw new UsageError("replay requires a file.");
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
    return { do: "replay", options: replayOptions(given, file) };
  }
  throw new UsageError(
    command === undefined
      ? "Choose a command: fleet, one, past or replay."
      : `Unknown command "${command}". Use fleet, one, past or replay.`,
  );
}

type Given = Record<string, string | boolean | undefined>;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function parse(args: string[]): { given: Given; positionals: string[] } {
  const known: [string, z.ZodType][] = Object.entries({ help: flag, ...one.shape, ...past.shape, ...replay.shape });
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = Object.fromEntries(
    known.map(([name, value]) => [kebab(name), { type: value === flag ? "boolean" : "string" }]),
  );
  options["help"] = { type: "boolean", short: "h" };
  try {
    const { values: given, positionals } = parseArgs({ args, options, allowPositionals: true });
    return {
      given: Object.fromEntries(known.map(([name]) => [name, given[kebab(name)]])),
      positionals,
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function read<S extends z.ZodType>(schema: S, given: Given): z.output<S> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { path = [], message = "" } = parsed.error.issues[0] ?? {};
  const [name = ""] = path.map(String);
  if (given[name] === undefined) throw new UsageError(`--${kebab(name)} is required.`);
  throw new UsageError(/^[A-Z"-]/.test(message) ? message : `--${kebab(name)} ${String(given[name])} ${message}`);
}

function fleetOptions(given: Given): RunOptions {
  const options = read(fleet, given);
  const file = options.credentials === undefined ? null : values.readCredentials(options.credentials);
  if (file && !options.mqtt) throw new UsageError("--credentials requires --mqtt.");
  if (options.password && !options.mqtt) throw new UsageError("--password requires --mqtt.");
  if (!file && !options.token && !options.password && !options.stateDir)
    throw new UsageError(
      "Provide an init token with --token, or --credentials FILE for sensors that have already enrolled.",
    );
  if ((options.vpnPort === 0) !== (options.vpnManagementPort === 0))
    throw new UsageError("Use --vpn-port and --vpn-management-port together.");
  const { retry = file !== null, rate = file ? 200 : 40 } = options;
  return { ...options, members: file?.members ?? null, fwKey: file?.fwKey ?? null, retry, rate };
}

function oneOptions(given: Given): RunOptions {
  const { id, type, kind, password } = read(one, given);
  const options = fleetOptions({ ...given, verbose: given["verbose"] ?? true });
  return { ...options, members: [{ id, type, kind, password }] };
}

function replayOptions(given: Given, path: string): ReplayOptions {
  const options = read(replay, given);
  if (!options.token && !options.password)
    throw new UsageError("replay requires --token (to enroll the sensor) or --password.");
  if (options.password && !options.mqtt) throw new UsageError("--password requires --mqtt.");
  return { ...options, path };
}
