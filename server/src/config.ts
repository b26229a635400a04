// Reads process.env, which no other file does, into a typed configuration. Refuses to start with a message on what to change.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { readOperator } from "@psp/contract/legal/operator.ts";
import { type DeviceRoot, parseDeviceRoot } from "@psp/contract/remote-access/device-root.ts";
import { readBrokerAuth, readBrokerTls } from "./broker-config.ts";
import { ConfigError, type Environment, environmentSchema, mebibyte } from "./environment.ts";

export type PartName = Environment["PARTS"][number];
export type Config = ReturnType<typeof readConfig>;

/** Throws ConfigError with a message for the operator. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const given = withoutEmpty(env);
  const e = parseEnvironment(given);
  const { host, keptFrom } = hostOf(e);
  const isExposed = e.NODE_ENV === "production" || e.DEMO_OPEN || !isLoopback(host);
  for (const name of ["TEST_CLOCK", "TEST_HASHING"] as const)
    if (isExposed && e[name]) throw new ConfigError(`${name}=on is refused ${exposedHint}`);
  const dataDir = resolve(e.DATA_DIR);
  const publicUrl = (e.PUBLIC_URL ?? `http://${toBrowserHost(host)}:${e.PORT}`).replace(/\/+$/, "");
  return {
    /** Whether strangers may reach this process. If so, guessable secrets are refused (ADR 0004). */
    isExposed,
    parts: new Set(e.PARTS),
    /** Name of this process in logs and metrics. */
    instanceName: e.INSTANCE_NAME ?? `${hostname()}-${process.pid}`,
    host,
    port: e.PORT,
    mqtt: {
      port: e.MQTT_PORT,
      tls: tlsOf(e),
      /** Whether a load balancer may send each client's address first (PROXY protocol). */
      isBehindProxy: e.MQTT_PROXY,
      url: e.MQTT_URL ?? null,
      /** PEM texts for the connection to `url`. */
      urlTls: readBrokerTls(e),
      /** How the external broker learns which devices may connect; null with the embedded one. */
      auth: readBrokerAuth(e),
      /** Where devices connect to. Without a port or TLS, those of the broker apply. */
      publicHost: publicHostOf(e, publicUrl),
    },
    /** Open live and display sockets per session and account in this process. */
    sockets: { perSession: e.SOCKETS_PER_SESSION, perAccount: e.SOCKETS_PER_ACCOUNT },
    /** NATS servers that carry messages between processes; null: the database does. */
    busServers: e.BUS_URL ?? null,
    database: databaseOf(e),
    /** How long load balancers get to move traffic elsewhere before the process stops. A single process has no load balancer. */
    drainMs: (e.DRAIN_SECONDS ?? (e.DATABASE_URL === undefined ? 0 : 5)) * 1000,
    dataDir,
    /** The embedded database's WAL and the list of erased ids go here. */
    backupDir: e.BACKUP_DIR === undefined ? null : resolve(e.BACKUP_DIR),
    mail: { url: e.MAIL_URL ?? null, from: e.MAIL_FROM },
    /** The address for browsers and mail links, without a trailing slash. */
    publicUrl,
    /** If false, `publicUrl` is a guess, so every loopback name is trusted (http/session.ts). */
    isPublicUrlSet: e.PUBLIC_URL !== undefined,
    /** Origins that may send the session cookie: sibling applications, and the console if API_ROOT or DATA_ROOT is another origin. */
    corsOrigins: corsOriginsOf(e, publicUrl),
    allowedOrigins: e.ALLOWED_ORIGINS,
    admin: { email: e.ADMIN_EMAIL, password: e.ADMIN_PASSWORD ?? null },
    /** `keptFrom`: the HOST that was refused because the demo's passwords are public; null if none was. */
    demo: { on: e.DEMO, sensors: e.DEMO_SENSORS, history: e.DEMO_HISTORY, keptFrom },
    secrets: {
      session: secret("SESSION_SECRET", e.SESSION_SECRET, dataDir, isExposed),
      display: secret("DISPLAY_PRIVATE_KEY", e.DISPLAY_PRIVATE_KEY, dataDir, isExposed),
      firmware: secret("FIRMWARE_SIGNING_KEY", e.FIRMWARE_SIGNING_KEY, dataDir, isExposed),
    },
    /** Packages are stored in PostgreSQL unless S3 is configured. */
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
    /** The operating company, named in the footer and on legal pages. */
    operator: readOperator(given),
    /** Search URL of an external geocoder (Nominatim, Photon). Null: the bundled list of places is searched. */
    geocoderUrl: e.GEOCODER_URL ?? null,
    /** URL template and attribution of street tiles. Null: the bundled map is used. */
    map: { tileUrl: e.MAP_TILE_URL ?? null, attribution: e.MAP_ATTRIBUTION ?? null },
    claimingDomains: e.CLAIMING_DOMAINS,
    /** Base URLs: `api` for calls, `data` for sockets and exports. Null: the console's own origin, or the URL it was built with. */
    roots: { api: e.API_ROOT ?? null, data: e.DATA_ROOT ?? e.API_ROOT ?? null },
    /** Parent domain of the host names for device pages. Each sensor has its own host name. */
    deviceLinkRoot: e.DEVICE_LINK_ROOT,
    deviceRoot: deviceRootOf(e.DEVICE_LINK_ROOT, publicUrl),
    /** URL at which other processes reach this one. Null: its own address if HOST is a loopback address, else none. */
    internalUrl: e.INTERNAL_URL ?? null,
    /** User names on the sensors: one with write access, one for viewing only. */
    autoLogin: { edit: e.AUTO_LOGIN_EDIT_USER, view: e.AUTO_LOGIN_VIEW_USER },
    /** VPN servers for sensors. Each has a `baseUrl` for the device pages of its sensors. */
    vpnServers: e.VPN_SERVERS,
    pageSize: e.PAGE_SIZE,
    /** Retention of names and addresses of deleted accounts and logins. */
    purgeAfterDays: e.PURGE_AFTER_DAYS,
    connectionTimeoutHours: e.CONNECTION_TIMEOUT_HOURS,
    /** Token for reading metrics from other machines. */
    metricsToken: e.METRICS_TOKEN ?? null,
    /** Where spans and metrics are sent. Null: nowhere. */
    telemetry: telemetryOf(e),
    testClock: e.TEST_CLOCK,
    testHashing: e.TEST_HASHING,
    /** Number of trusted proxies in front of the server, or their addresses and ranges. */
    trustProxy: e.TRUST_PROXY,
  };
}

function databaseOf(e: Environment) {
  for (const name of ["DATABASE_DIRECT_URL", "DATABASE_READ_URL"] as const)
    if (e[name] !== undefined && e.DATABASE_URL === undefined) throw new ConfigError(`${name} needs DATABASE_URL`);
  if (e.BUS_URL !== undefined && e.DATABASE_URL === undefined)
    throw new ConfigError("BUS_URL connects processes that share a database: it needs DATABASE_URL");
  return {
    url: e.DATABASE_URL ?? null,
    /** For sessions: notifications and locks. */
    directUrl: e.DATABASE_DIRECT_URL ?? e.DATABASE_URL ?? null,
    /** For reads that a replica may answer. */
    readUrl: e.DATABASE_READ_URL ?? null,
    pool: e.DATABASE_POOL,
  };
}

const withoutEmpty = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));

function parseEnvironment(given: NodeJS.ProcessEnv): Environment {
  const parsed = environmentSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(`${issue?.path.join(".") ?? "configuration"}: ${issue?.message ?? "invalid"}`);
}

export type BackupConfig = ReturnType<typeof readBackupConfig>;

/** Configuration of the commands that make and restore backups. Unlike `readConfig`, it generates no secrets. */
export function readBackupConfig(env: NodeJS.ProcessEnv) {
  const e = parseEnvironment(withoutEmpty(env));
  return {
    dataDir: resolve(e.DATA_DIR),
    databaseUrl: e.DATABASE_DIRECT_URL ?? e.DATABASE_URL ?? null,
    backupDir: e.BACKUP_DIR === undefined ? null : resolve(e.BACKUP_DIR),
    /** Throws ConfigError if none is set. */
    passphrase: () => readPassphrase(e),
  };
}

function readPassphrase({ BACKUP_PASSPHRASE: given, BACKUP_PASSPHRASE_FILE: file }: Environment): string {
  if (file !== undefined && !existsSync(file)) throw new ConfigError(`BACKUP_PASSPHRASE_FILE: ${file} does not exist`);
  const passphrase = (file === undefined ? given : readFileSync(file, "utf8").trim()) ?? "";
  if (passphrase.length >= minPassphrase) return passphrase;
  throw new ConfigError(
    `Set BACKUP_PASSPHRASE_FILE or BACKUP_PASSPHRASE to a passphrase of at least ${minPassphrase} characters`,
  );
}

/** A backup may be copied and attacked without limits. */
const minPassphrase = 12;

function publicHostOf({ MQTT_PUBLIC_HOST: given, MQTT_URL: url = "" }: Environment, publicUrl: string) {
  if (given === undefined && /^wss?:/i.test(url))
    throw new ConfigError(
      "MQTT_URL is a WebSocket, which sensors do not use: MQTT_PUBLIC_HOST must name where they connect to",
    );
  return { ...(given ?? { name: new URL(publicUrl).hostname, port: null, tls: null }), isSet: given !== undefined };
}

function corsOriginsOf(e: Environment, publicUrl: string): Set<string> {
  const own = new URL(publicUrl).origin;
  const isApart = [e.API_ROOT, e.DATA_ROOT].some((text) => new URL(text ?? "", publicUrl).origin !== own);
  return new Set([...e.CORS_ORIGINS.filter((origin) => origin !== own), ...(isApart ? [own] : [])]);
}

/** Device pages are untrusted, so none may share a host with the console. */
function deviceRootOf(text: string, publicUrl: string): DeviceRoot {
  const root = parseDeviceRoot(text);
  const consoleHost = new URL(publicUrl).hostname;
  if (!root || consoleHost === root.name || consoleHost.endsWith(`.${root.name}`))
    throw new ConfigError(`DEVICE_LINK_ROOT must be a different host than PUBLIC_URL, and not a parent domain of it`);
  return root;
}

/** Appended to errors about settings that an exposed server refuses. */
export const exposedHint =
  "where others can connect (HOST is no loopback address like 127.0.0.1, or DEMO_OPEN is on) or with NODE_ENV=production";

/** The demo's passwords are public, so it listens on this machine only, unless configured explicitly. */
function hostOf(e: Environment): { host: string; keptFrom: string | null } {
  if (!e.DEMO || e.DEMO_OPEN) return { host: e.HOST ?? "0.0.0.0", keptFrom: null };
  if (e.HOST === undefined || isLoopback(e.HOST)) return { host: e.HOST ?? "127.0.0.1", keptFrom: null };
  return { host: "127.0.0.1", keptFrom: e.HOST };
}

export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** True for loopback addresses and `localhost`, which only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, "");
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
}

export const isAnyAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Host name under which a browser on this machine reaches HOST: `localhost` if possible. */
export function toBrowserHost(host: string): string {
  const written = host.includes(":") ? `[${host}]` : host;
  // A server can listen on an IPv6 address with a zone (fe80::1%eth0), but a URL can't contain it.
  const isNameable = URL.canParse(`http://${written}`);
  return isAnyAddress(host) || loopbackNames.includes(written) || !isNameable ? "localhost" : written;
}

export type TelemetryConfig = { traces: string | null; metrics: string | null; intervalMs: number };

function tlsOf({ MQTTS_PORT: port, MQTTS_CERT: cert, MQTTS_KEY: key }: Environment) {
  if (port === undefined) return null;
  if (!cert || !key) throw new ConfigError("MQTTS_PORT needs MQTTS_CERT and MQTTS_KEY");
  return { port, cert, key };
}

function telemetryOf(e: Environment): TelemetryConfig | null {
  const base = e.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, "");
  const urlOf = (signal: string, own: string | undefined, exporter: "otlp" | "none") =>
    exporter === "none" ? null : (own ?? (base === undefined ? null : `${base}/v1/${signal}`));
  const traces = urlOf("traces", e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, e.OTEL_TRACES_EXPORTER);
  const metrics = urlOf("metrics", e.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, e.OTEL_METRICS_EXPORTER);
  if (e.OTEL_SDK_DISABLED || (traces === null && metrics === null)) return null;
  return { traces, metrics, intervalMs: e.OTEL_METRIC_EXPORT_INTERVAL };
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

/** Minimum number of distinct characters. One in thirty million random secrets of 32 hexadecimal digits has fewer. */
const minCharacters = 8;

/**
 * Returns the configured secret. Throws ConfigError for a weak one if the server is exposed. Without one, generates 32 random bytes
 * once and stores them in DATA_DIR/secrets.
 */
function secret(name: string, given: string | undefined, dataDir: string, isExposed: boolean): string {
  if (given !== undefined) {
    const isWeak =
      given.length < 32 || new Set(given).size < minCharacters || /changeme|secret|password|default/i.test(given);
    if (isWeak && isExposed)
      throw new ConfigError(`${name} is too weak. At least 32 random characters are required ${exposedHint}`);
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
