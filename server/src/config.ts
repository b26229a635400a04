// The only reader of process.env: turns it into one typed value, or stops the start with a sentence that says what to change.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { join, resolve } from "node:path";
import { readOperator } from "@psp/contract/legal/operator.ts";
import { type DeviceRoot, parseDeviceRoot } from "@psp/contract/remote-access/device-root.ts";
import { type Environment, environment, mebibyte } from "./environment.ts";

export type PartName = Environment["PARTS"][number];
export type Config = ReturnType<typeof readConfig>;
export class ConfigError extends Error {}

/** Reads and checks the whole configuration; throws ConfigError with a sentence for the operator. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".") ?? "configuration"}: ${issue?.message ?? "invalid"}`);
  }
  const e = parsed.data;
  const { host, keptFrom } = hostOf(e);
  const isExposed = e.NODE_ENV === "production" || e.DEMO_OPEN || !isLoopback(host);
  for (const name of ["TEST_CLOCK", "TEST_HASHING"] as const)
    if (isExposed && e[name]) throw new ConfigError(`${name}=on is refused ${whenExposed}`);
  const dataDir = resolve(e.DATA_DIR);
  const publicUrl = (e.PUBLIC_URL ?? `http://${reachableName(host)}:${e.PORT}`).replace(/\/+$/, "");
  const tls =
    e.MQTTS_PORT !== undefined && e.MQTTS_CERT && e.MQTTS_KEY
      ? { port: e.MQTTS_PORT, cert: e.MQTTS_CERT, key: e.MQTTS_KEY }
      : null;
  if (e.MQTTS_PORT !== undefined && !tls) throw new ConfigError("MQTTS_PORT needs MQTTS_CERT and MQTTS_KEY");
  return {
    /** Strangers may reach this process: nothing that they could guess may open it (ADR 0004). */
    isExposed,
    parts: new Set(e.PARTS),
    host,
    port: e.PORT,
    mqtt: {
      port: e.MQTT_PORT,
      tls,
      url: e.MQTT_URL ?? null,
      publicHost: e.MQTT_PUBLIC_HOST ?? new URL(publicUrl).hostname,
    },
    /** Live sockets, and sockets of displays, that one session and one account may have open in this process. */
    sockets: { perSession: e.SOCKETS_PER_SESSION, perAccount: e.SOCKETS_PER_ACCOUNT },
    database: { url: e.DATABASE_URL ?? null, pool: e.DATABASE_POOL },
    dataDir,
    mail: { url: e.MAIL_URL ?? null, from: e.MAIL_FROM },
    /** The address that people open and that mails link to, without a slash at the end. */
    publicUrl,
    /** While it is not set, `publicUrl` is a guess, and every loopback name is as good (http/session.ts). */
    isPublicUrlSet: e.PUBLIC_URL !== undefined,
    /** Origins whose pages may call with the cookie: sibling applications, and the console where its calls go to another origin. */
    corsOrigins: corsOriginsOf(e, publicUrl),
    allowedOrigins: e.ALLOWED_ORIGINS,
    admin: { email: e.ADMIN_EMAIL, password: e.ADMIN_PASSWORD ?? null },
    /** `keptFrom`: the HOST that was asked for and is not listened on, because everybody knows the demo's passwords. */
    demo: { on: e.DEMO, sensors: e.DEMO_SENSORS, history: e.DEMO_HISTORY, keptFrom },
    secrets: {
      session: secret("SESSION_SECRET", e.SESSION_SECRET, dataDir, isExposed),
      display: secret("DISPLAY_PRIVATE_KEY", e.DISPLAY_PRIVATE_KEY, dataDir, isExposed),
      firmware: secret("FIRMWARE_SIGNING_KEY", e.FIRMWARE_SIGNING_KEY, dataDir, isExposed),
    },
    /** Packages go to PostgreSQL unless an S3-compatible store is named. */
    firmware: { maxBytes: e.FIRMWARE_MAX_MB * mebibyte, s3: s3Of(e) },
    logLevel: e.LOG_LEVEL,
    links: {
      export: e.EXPORT_URL ?? null,
      buildings: e.BUILDINGS_URL ?? null,
      designer: e.DESIGNER_URL ?? null,
      analytics: e.ANALYTICS_URL ?? null,
      occupancy: e.OCCUPANCY_URL ?? null,
      support: e.SUPPORT_URL,
      notices: e.NOTICES_URL,
    },
    /** The company that runs this installation, and whom it employs, as footer and legal pages name them. */
    operator: readOperator(given),
    /** The search of an external geocoder (Nominatim, Photon); null: the bundled places. */
    geocoderUrl: e.GEOCODER_URL ?? null,
    /** Where maps get streets from, and whom they name for them; without it they show what the console brings along. */
    map: { tileUrl: e.MAP_TILE_URL ?? null, attribution: e.MAP_ATTRIBUTION ?? null },
    claimingDomains: e.CLAIMING_DOMAINS,
    /** Where the console finds calls, and the sockets and files of counts; null: on its own origin, or as it was built. */
    roots: { api: e.API_ROOT ?? null, data: e.DATA_ROOT ?? e.API_ROOT ?? null },
    /** Below it each sensor has a host of its own, with its pages. */
    deviceLinkRoot: e.DEVICE_LINK_ROOT,
    deviceRoot: deviceRootOf(e.DEVICE_LINK_ROOT, publicUrl),
    /** Where the other processes of this installation reach this one; null: on this machine only, if it listens there. */
    internalUrl: e.INTERNAL_URL ?? null,
    /** How sensors know who may write, and who may only look. */
    autoLogin: { edit: e.AUTO_LOGIN_EDIT_USER, view: e.AUTO_LOGIN_VIEW_USER },
    /** Where sensors connect on request, and under which names their own pages are there. */
    vpnServers: e.VPN_SERVERS,
    pageSize: e.PAGE_SIZE,
    /** How long names and addresses of deleted accounts and logins are kept. */
    purgeAfterDays: e.PURGE_AFTER_DAYS,
    connectionTimeoutHours: e.CONNECTION_TIMEOUT_HOURS,
    /** By which others than this machine may read the metrics. */
    metricsToken: e.METRICS_TOKEN ?? null,
    testClock: e.TEST_CLOCK,
    /** Passwords are hashed at next to no cost. */
    testHashing: e.TEST_HASHING,
    /** How many proxies are in front, or their addresses and ranges. */
    trustProxy: e.TRUST_PROXY,
  };
}

function corsOriginsOf(e: Environment, publicUrl: string): Set<string> {
  const own = new URL(publicUrl).origin;
  const isApart = [e.API_ROOT, e.DATA_ROOT].some((text) => new URL(text ?? "", publicUrl).origin !== own);
  return new Set([...e.CORS_ORIGINS.filter((origin) => origin !== own), ...(isApart ? [own] : [])]);
}

/** Sensors' pages are hostile: none of them may have the console's own host. */
function deviceRootOf(text: string, publicUrl: string): DeviceRoot {
  const root = parseDeviceRoot(text);
  const consoleHost = new URL(publicUrl).hostname;
  if (!root || consoleHost === root.name || consoleHost.endsWith(`.${root.name}`))
    throw new ConfigError(`DEVICE_LINK_ROOT must be another host than that of PUBLIC_URL, and none above it`);
  return root;
}

/** Ends the sentences that refuse a start. */
export const whenExposed =
  "where others can connect (HOST is no loopback address like 127.0.0.1, or DEMO_OPEN is on) or with NODE_ENV=production";

/** Everybody knows the demo's passwords: it is for this machine alone, unless the configuration explicitly says otherwise. */
function hostOf(e: Environment): { host: string; keptFrom: string | null } {
  if (!e.DEMO || e.DEMO_OPEN) return { host: e.HOST ?? "0.0.0.0", keptFrom: null };
  if (e.HOST === undefined || isLoopback(e.HOST)) return { host: e.HOST ?? "127.0.0.1", keptFrom: null };
  return { host: "127.0.0.1", keptFrom: e.HOST };
}

/** Under which a browser finds a program on its own machine. */
export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address, or a HOST, is one that only this machine can connect to or from. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, "");
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
}

/** Whether a HOST means every address of this machine. */
export const isAnyAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** What a browser on this machine can call the address that we listen on: `localhost`, unless that would miss it. */
export function reachableName(host: string): string {
  const written = host.includes(":") ? `[${host}]` : host;
  // An IPv6 address with a zone (fe80::1%eth0) can be listened on, but is part of no address of a page.
  const isNameable = URL.canParse(`http://${written}`);
  return isAnyAddress(host) || loopbackNames.includes(written) || !isNameable ? "localhost" : written;
}

export type S3Config = {
  /** E.g. `https://s3.eu-central-1.amazonaws.com`; buckets are addressed by path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

function s3Of(e: Environment): S3Config | null {
  if (e.S3_ENDPOINT === undefined) return null;
  if (!e.S3_BUCKET || !e.S3_ACCESS_KEY_ID || !e.S3_SECRET_ACCESS_KEY)
    throw new ConfigError("S3_ENDPOINT needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY");
  return {
    endpoint: e.S3_ENDPOINT,
    bucket: e.S3_BUCKET,
    region: e.S3_REGION,
    accessKeyId: e.S3_ACCESS_KEY_ID,
    secretAccessKey: e.S3_SECRET_ACCESS_KEY,
  };
}

/** Different ones: of 32 random hexadecimal digits, one text in thirty million has fewer. */
const minCharacters = 8;

/** A given secret must be long; without one, 32 random bytes are made once and kept in DATA_DIR/secrets. */
function secret(name: string, given: string | undefined, dataDir: string, isExposed: boolean): string {
  if (given !== undefined) {
    const isWeak =
      given.length < 32 || new Set(given).size < minCharacters || /changeme|secret|password|default/i.test(given);
    if (isWeak && isExposed)
      throw new ConfigError(`${name} is too weak: at least 32 random characters are needed ${whenExposed}`);
    return given;
  }
  const folder = join(dataDir, "secrets");
  const file = join(folder, name.toLowerCase());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(file)) {
    const kept = readFileSync(file, "utf8").trim();
    if (kept.length >= 32) return kept;
  }
  const made = randomBytes(32).toString("hex");
  writeFileSync(file, made, { mode: 0o600, flush: true });
  return made;
}
