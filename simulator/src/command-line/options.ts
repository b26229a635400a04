// The command line: what can be said, what it means, and sentences for what can't.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { parseMac } from "@psp/contract/kit/ids.ts";
import { sensorTypes, type SensorType } from "@psp/contract/sensor/sensor-type.ts";
import { restUsers } from "@psp/contract/sensor/sensor.rest.ts";
import { parseFaults, scripts, type FaultPlan } from "../faults/scripts.ts";
import { type SiteKind, siteKinds } from "../counting/site.ts";
import type { Member } from "../fleet/fleet.ts";
import type { TypeMix } from "../device/identity.ts";
import type { Broker } from "../link/link.ts";
import { isZone } from "../local-time.ts";
import { orders, type Half, type Order } from "../replay/replay.ts";

/** A mistake on the command line; its message is for people. */
export class UsageError extends Error {}

export const usage = `Virtual people-counting sensors that speak the device protocol of PS.Platform.

npm run simulate -- fleet --count 300 --token <init token> [options]
npm run simulate -- one --id 02:00:00:00:00:01 --type APS --token <init token> [options]
npm run simulate -- replay FILE --sensor 02:00:00:00:00:02 --token <init token> [options]

Connection
  --url URL             server to enrol at (http://127.0.0.1:8080)
  --token TOKEN         init token; each sensor gets its own credential with it
  --mqtt URL            broker, e.g. mqtt://127.0.0.1:1883 or mqtts://host; overrides what enrolment answers
  --credentials FILE    JSON list of {id,type,password} instead of a token; also {fwKey, sensors:[…]};
                        each may have zone, kind (${siteKinds.join(", ")}), fw, rest (password as for --rest)
                        and faults (text as for --faults)

fleet and one
  --count N             number of sensors (300)
  --types LIST          mix, e.g. APS:7,PS.C1:2,ZOD:1 (that)
  --interval SECONDS    count interval until the server wishes another: 60, 300, 600, 900, 1800, 3600 (300)
  --history TIME        fill in the past on the first start, e.g. 14d or 36h (nothing)
  --zone ZONE           time zone of the sites (Europe/Berlin)
  --seed TEXT           the same seed gives the same sensors and the same people (demo)
  --from TIME           start the sensors' time in the past, ISO 8601
  --speed FACTOR        run that many times as fast until the present is reached (1)
  --state-dir DIR       keep credentials and buffers between runs
  --truth FILE          append the people really let through as JSON lines
  --installs FILE       append a JSON line whenever a sensor boots into a firmware
  --hurry FACTOR        install that many times as fast as a real device (1)
  --rest PASSWORD       every APS is an older one: it opens a tunnel to --url, offers its REST interface in it, and
                        takes firmware by POST /apiv1/update alone; its users ${restUsers.join(" and ")}
                        both have this password
  --rate N              sensors switched on per second (40 with a token, 200 without)
  --faults LIST         name[:sensors][@startMinute[+minutes]],…  e.g. covered-lens:3@10+30,reboot-storm
  --retry               keep trying when the server is away at the start
  --exit-with-parent    end when standard input closes
  --verbose             say what every sensor does

one
  --id MAC              the sensor's id
  --password TEXT       its MQTT password instead of a token (with --mqtt)
  --type TYPE           ${sensorTypes.join(", ")} (APS)
  --kind KIND           of its site: ${siteKinds.join(", ")} (by its id)

replay
  FILE                  counts in the CalIt2 form: flow (7 out, 9 in), mm/dd/yy, HH:MM:SS local, count
  --sensor MAC          sensor whose history this becomes
  --password TEXT       its MQTT password instead of a token (with --mqtt)
  --zone ZONE           time zone of the file (America/Los_Angeles)
  --order ORDER         ${orders.join(", ")} (forward)
  --half first|second   only half of the file; numbers stay those of the whole
  --twice               send everything a second time

Faults
${Object.entries(scripts)
  .map(([name, { says }]) => `  ${name.padEnd(20)}  ${says}`)
  .join("\n")}
`;

const options = {
  help: { type: "boolean", short: "h" },
  url: { type: "string" },
  token: { type: "string" },
  mqtt: { type: "string" },
  credentials: { type: "string" },
  count: { type: "string" },
  types: { type: "string" },
  interval: { type: "string" },
  history: { type: "string" },
  zone: { type: "string" },
  kind: { type: "string" },
  seed: { type: "string" },
  from: { type: "string" },
  speed: { type: "string" },
  "state-dir": { type: "string" },
  truth: { type: "string" },
  installs: { type: "string" },
  hurry: { type: "string" },
  rest: { type: "string" },
  rate: { type: "string" },
  faults: { type: "string" },
  retry: { type: "boolean" },
  "exit-with-parent": { type: "boolean" },
  verbose: { type: "boolean" },
  id: { type: "string" },
  type: { type: "string" },
  sensor: { type: "string" },
  password: { type: "string" },
  order: { type: "string" },
  half: { type: "string" },
  twice: { type: "boolean" },
} as const;

export type Connection = { url: string; token: string | null; broker: Broker | null; exitWithParent: boolean };
export type RunOptions = Connection & {
  members: Member[] | null;
  fwKey: string | null;
  count: number;
  types: TypeMix;
  intervalS: number;
  historyMs: number;
  zone: string;
  seed: string;
  from: number | null;
  speed: number;
  stateDir: string | null;
  truthFile: string | null;
  installsFile: string | null;
  hurry: number;
  rest: string | null;
  rate: number;
  faults: FaultPlan[];
  retry: boolean;
  verbose: boolean;
};
export type ReplayOptions = Connection & {
  path: string;
  id: string;
  password: string | null;
  zone: string;
  order: Order;
  half: Half | null;
  twice: boolean;
};
export type Command = { do: "help" } | { do: "run"; options: RunOptions } | { do: "replay"; options: ReplayOptions };

/** Reads the arguments. Throws UsageError with a sentence for people. */
export function parseCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  const [command, file, extra] = positionals;
  if (values.help || command === "help" || (command === undefined && args.length === 0)) return { do: "help" };
  if (command === "fleet" || command === "one") {
    if (file !== undefined) throw new UsageError(`"${file}" is one word too many.`);
    return { do: "run", options: runOptions(values, command) };
  }
  if (command === "replay") {
    if (file === undefined) throw new UsageError("replay needs the file to play.");
    if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many.`);
    return { do: "replay", options: replayOptions(values, file) };
  }
  throw new UsageError(
    command === undefined ? "Say fleet, one or replay." : `There is no command "${command}": say fleet, one or replay.`,
  );
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
type Values = ReturnType<typeof parse>["values"];

function connection(values: Values): Connection {
  const url = values.url ?? "http://127.0.0.1:8080";
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new UsageError(`--url ${url} is no http address.`);
  return {
    url,
    token: values.token ?? null,
    broker: values.mqtt ? brokerOf(values.mqtt) : null,
    exitWithParent: values["exit-with-parent"] ?? false,
  };
}

function brokerOf(text: string): Broker {
  const url = URL.parse(text);
  if (!url || !/^mqtts?:$/.test(url.protocol) || !url.hostname)
    throw new UsageError(`--mqtt ${text} is not of the form mqtt://host:port.`);
  const tls = url.protocol === "mqtts:";
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || (tls ? 8883 : 1883), tls };
}

function runOptions(values: Values, command: "fleet" | "one"): RunOptions {
  const base = connection(values);
  const seed = values.seed ?? "demo";
  const given = values.credentials ? readCredentials(values.credentials) : null;
  if (given && !base.broker) throw new UsageError("--credentials needs --mqtt.");
  if (values.password && !base.broker) throw new UsageError("--password needs --mqtt.");
  if (!given && !base.token && !values.password && !values["state-dir"])
    throw new UsageError("An init token is needed: --token, or --credentials FILE for sensors that have enrolled.");
  const one =
    command === "one"
      ? [
          {
            id: macOf(values.id, "--id"),
            type: typeOf(values.type ?? "APS"),
            kind: kindOf(values.kind),
            password: values.password,
          },
        ]
      : null;
  return {
    ...base,
    members: one ?? given?.members ?? null,
    fwKey: given?.fwKey ?? null,
    count: wholeNumber(values.count ?? "300", "--count", 1, 100_000),
    types: typesOf(values.types ?? "APS:7,PS.C1:2,ZOD:1"),
    intervalS: wholeNumber(values.interval ?? "300", "--interval", 60, 3600),
    historyMs: values.history ? spanOf(values.history) : 0,
    zone: zoneOf(values.zone ?? "Europe/Berlin"),
    seed,
    from: values.from === undefined ? null : instantOfText(values.from),
    speed: positive(values.speed ?? "1", "--speed"),
    stateDir: values["state-dir"] ?? null,
    truthFile: values.truth ?? null,
    installsFile: values.installs ?? null,
    hurry: positive(values.hurry ?? "1", "--hurry"),
    rest: values.rest === undefined ? null : restOf(values.rest),
    rate: wholeNumber(values.rate ?? (given ? "200" : "40"), "--rate", 1, 5000),
    faults: faultsOf(values.faults ?? ""),
    retry: values.retry ?? given !== null,
    verbose: values.verbose ?? command === "one",
  };
}

function replayOptions(values: Values, path: string): ReplayOptions {
  const base = connection(values);
  const id = macOf(values.sensor, "--sensor");
  if (!base.token && !values.password)
    throw new UsageError("replay needs --token (to enrol the sensor) or --password.");
  if (values.password && !base.broker) throw new UsageError("--password needs --mqtt.");
  const order = orders.find((one) => one === (values.order ?? "forward"));
  if (!order) throw new UsageError(`--order is one of ${orders.join(", ")}.`);
  if (values.half !== undefined && values.half !== "first" && values.half !== "second")
    throw new UsageError("--half is first or second.");
  return {
    ...base,
    path,
    id,
    password: values.password ?? null,
    zone: zoneOf(values.zone ?? "America/Los_Angeles"),
    order,
    half: values.half ?? null,
    twice: values.twice ?? false,
  };
}

function macOf(text: string | undefined, option: string): string {
  if (text === undefined) throw new UsageError(`${option} is needed, e.g. ${option} 02:00:00:00:00:01.`);
  const id = parseMac(text);
  if (!id) throw new UsageError(`${option} ${text} is no sensor id: twelve hex digits such as 02:00:00:00:00:01.`);
  return id;
}

function typeOf(text: string): SensorType {
  const type = sensorTypes.find((one) => one === text);
  if (!type) throw new UsageError(`There is no sensor type "${text}": ${sensorTypes.join(", ")}.`);
  return type;
}

function typesOf(text: string): TypeMix {
  return text.split(",").map((part) => {
    const [name = "", weight = "1"] = part.trim().split(":");
    return { type: typeOf(name), weight: wholeNumber(weight, "--types", 1, 1000) };
  });
}

function wholeNumber(text: string, option: string, from: number, to: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < from || value > to)
    throw new UsageError(`${option} ${text} is not a whole number from ${from} to ${to}.`);
  return value;
}

function positive(text: string, option: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new UsageError(`${option} ${text} is not a number above 0.`);
  return value;
}

function restOf(password: string): string {
  if (password.length < 1 || password.length > 200)
    throw new UsageError("--rest needs a password of 1 to 200 characters.");
  return password;
}

function spanOf(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,5})(d|h)$/.exec(text) ?? [];
  if (!number) throw new UsageError(`--history ${text} is not a time such as 14d or 36h.`);
  return Number(number) * (unit === "d" ? 86_400_000 : 3_600_000);
}

function zoneOf(text: string): string {
  if (!isZone(text)) throw new UsageError(`There is no time zone "${text}".`);
  return text;
}

function kindOf(text: string | undefined): SiteKind | undefined {
  const kind = siteKinds.find((one) => one === text);
  if (text !== undefined && kind === undefined)
    throw new UsageError(`There is no kind of site "${text}": ${siteKinds.join(", ")}.`);
  return kind;
}

function instantOfText(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError(`--from ${text} is no time such as 2026-01-31T08:00:00Z.`);
  if (at > Date.now()) throw new UsageError(`--from ${text} is in the future.`);
  return at;
}

function faultsOf(text: string): FaultPlan[] {
  try {
    return parseFaults(text);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const memberSchema = z.object({
  id: z.string(),
  type: z.enum(sensorTypes),
  password: z.string().min(1),
  fw: z.string().optional(),
  rest: z.string().min(1).max(200).optional(),
  zone: z.string().optional(),
  kind: z.enum(siteKinds).optional(),
  faults: z.string().optional(),
});
const credentialsSchema = z.union([
  z.array(memberSchema).transform((sensors) => ({ fwKey: null, sensors })),
  z.object({ fwKey: z.string().nullish(), sensors: z.array(memberSchema) }),
]);

function readCredentials(path: string): { fwKey: string | null; members: Member[] } {
  const parsed = credentialsSchema.safeParse(jsonFile(path));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(
      `${path} is no list of {id,type,password}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }
  const members = parsed.data.sensors.map(({ faults, zone, ...sensor }): Member => ({
    ...sensor,
    id: macOf(sensor.id, "id"),
    zone: zone === undefined ? undefined : zoneOf(zone),
    faults: faults === undefined ? undefined : faultsOf(faults),
  }));
  if (!members.length) throw new UsageError(`${path} names no sensor.`);
  return { fwKey: parsed.data.fwKey ?? null, members };
}

function jsonFile(path: string): unknown {
  const text = textFile(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is no JSON.`);
  }
}

/** A file as text. Throws UsageError where it can't be read. */
export function textFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Can't read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
