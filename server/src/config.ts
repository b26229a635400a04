// The only reader of process.env: turns it into one typed value, or stops the start with a sentence that says what to change (decisions 2).
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Operator, readOperator } from "@psp/contract/legal/operator.ts";
import { z } from "zod";

const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback);
const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  );
const web = z.url({ protocol: /^https?$/, error: "Should be an address like https://console.example.com" });
/** As browsers send them: a slash behind or capital letters would never match, anything more is a mistake. */
const origins = list.pipe(
  z.array(
    web
      .refine((text) => /^https?:\/\/[^/?#@]+\/?$/i.test(text), "Should be origins like https://export.example.com")
      .transform((text) => new URL(text).origin),
  ),
);
const address = z.string().optional();
const onOff = z.enum(["on", "off"]).transform((text) => text === "on");

const parts = ["api", "gateway", "worker"] as const;
export type Part = (typeof parts)[number];

const environment = z.object({
  NODE_ENV: z.string().default("development"),
  PARTS: z
    .string()
    .default(parts.join(","))
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(z.enum(parts)).min(1)),
  PORT: port(8080),
  HOST: address,
  MQTT_PORT: port(1883),
  MQTTS_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  MQTTS_CERT: address,
  MQTTS_KEY: address,
  MQTT_URL: address,
  MQTT_PUBLIC_HOST: address,
  DATABASE_URL: address,
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(16),
  DATA_DIR: z.string().default("./data"),
  MAIL_URL: address,
  MAIL_FROM: z.string().default("PS.Platform <no-reply@example.com>"),
  PUBLIC_URL: web.optional(),
  ADMIN_EMAIL: z.email().default("admin@example.com"),
  ADMIN_PASSWORD: address,
  DEMO: onOff.default(false),
  DEMO_SENSORS: z.coerce.number().int().min(0).max(20_000).default(300),
  SESSION_SECRET: address,
  DISPLAY_PRIVATE_KEY: address,
  FIRMWARE_SIGNING_KEY: address,
  FIRMWARE_MAX_MB: z.coerce.number().int().min(1).max(4096).default(512),
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  S3_BUCKET: address,
  S3_REGION: z.string().default("us-east-1"),
  S3_ACCESS_KEY_ID: address,
  S3_SECRET_ACCESS_KEY: address,
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  CORS_ORIGINS: origins,
  ALLOWED_ORIGINS: origins,
  EXPORT_URL: address,
  BUILDINGS_URL: address,
  DESIGNER_URL: address,
  ANALYTICS_URL: address,
  OCCUPANCY_URL: address,
  SUPPORT_URL: z.string().default("https://support.example.com"),
  NOTICES_URL: z.string().default("/notices.txt"),
  CLAIMING_DOMAINS: list,
  DEVICE_LINK_ROOT: z.string().default("devices.localhost"),
  PAGE_SIZE: z.coerce.number().int().min(1).max(500).default(50),
  CONNECTION_TIMEOUT_HOURS: z.coerce.number().min(0.01).max(87_600).default(24),
  TEST_CLOCK: onOff.default(false),
  TRUST_PROXY: onOff.default(false),
});

export type Config = {
  production: boolean;
  parts: ReadonlySet<Part>;
  host: string;
  port: number;
  mqtt: {
    port: number;
    tls: { port: number; cert: string; key: string } | null;
    url: string | null;
    publicHost: string;
  };
  database: { url: string | null; pool: number };
  dataDir: string;
  mail: { url: string | null; from: string };
  publicUrl: string;
  /** Origins whose pages may call with the cookie: our own and the configured ones. */
  origins: ReadonlySet<string>;
  allowedOrigins: readonly string[];
  admin: { email: string; password: string | null };
  demo: { on: boolean; sensors: number };
  secrets: { session: string; display: string; firmware: string };
  /** Packages go to PostgreSQL unless an S3-compatible store is named. */
  firmware: { maxBytes: number; s3: S3Config | null };
  logLevel: string;
  links: Record<"export" | "buildings" | "designer" | "analytics" | "occupancy" | "support" | "notices", string | null>;
  /** The company that runs this installation, and whom it employs, as footer and legal pages name them. */
  operator: Operator;
  claimingDomains: readonly string[];
  deviceLinkRoot: string;
  pageSize: number;
  connectionTimeoutHours: number;
  testClock: boolean;
  trustProxy: boolean;
};

export class ConfigError extends Error {}

/** Reads and checks the whole configuration; throws ConfigError with a sentence for the operator. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".") ?? "configuration"}: ${issue?.message ?? "invalid"}`);
  }
  const e = parsed.data;
  const production = e.NODE_ENV === "production";
  if (production && e.TEST_CLOCK) throw new ConfigError("TEST_CLOCK=on is refused when NODE_ENV=production");
  const dataDir = resolve(e.DATA_DIR);
  const publicUrl = (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, "");
  const tls =
    e.MQTTS_PORT !== undefined && e.MQTTS_CERT && e.MQTTS_KEY
      ? { port: e.MQTTS_PORT, cert: e.MQTTS_CERT, key: e.MQTTS_KEY }
      : null;
  if (e.MQTTS_PORT !== undefined && !tls) throw new ConfigError("MQTTS_PORT needs MQTTS_CERT and MQTTS_KEY");
  return {
    production,
    parts: new Set(e.PARTS),
    host: e.HOST ?? (e.DEMO ? "127.0.0.1" : "0.0.0.0"),
    port: e.PORT,
    mqtt: {
      port: e.MQTT_PORT,
      tls,
      url: e.MQTT_URL ?? null,
      publicHost: e.MQTT_PUBLIC_HOST ?? new URL(publicUrl).hostname,
    },
    database: { url: e.DATABASE_URL ?? null, pool: e.DATABASE_POOL },
    dataDir,
    mail: { url: e.MAIL_URL ?? null, from: e.MAIL_FROM },
    publicUrl,
    origins: new Set([new URL(publicUrl).origin, ...e.CORS_ORIGINS]),
    allowedOrigins: e.ALLOWED_ORIGINS,
    admin: { email: e.ADMIN_EMAIL, password: e.ADMIN_PASSWORD ?? null },
    demo: { on: e.DEMO, sensors: e.DEMO_SENSORS },
    secrets: {
      session: secret("SESSION_SECRET", e.SESSION_SECRET, dataDir, production),
      display: secret("DISPLAY_PRIVATE_KEY", e.DISPLAY_PRIVATE_KEY, dataDir, production),
      firmware: secret("FIRMWARE_SIGNING_KEY", e.FIRMWARE_SIGNING_KEY, dataDir, production),
    },
    firmware: { maxBytes: e.FIRMWARE_MAX_MB * 1024 * 1024, s3: s3Of(e) },
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
    operator: readOperator(given),
    claimingDomains: e.CLAIMING_DOMAINS,
    deviceLinkRoot: e.DEVICE_LINK_ROOT,
    pageSize: e.PAGE_SIZE,
    connectionTimeoutHours: e.CONNECTION_TIMEOUT_HOURS,
    testClock: e.TEST_CLOCK,
    trustProxy: e.TRUST_PROXY,
  };
}

export type S3Config = {
  /** E.g. `https://s3.eu-central-1.amazonaws.com`; buckets are addressed by path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

function s3Of(e: z.output<typeof environment>): S3Config | null {
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

/** A given secret must be long; without one, 32 random bytes are made once and kept in DATA_DIR/secrets. */
function secret(name: string, given: string | undefined, dataDir: string, production: boolean): string {
  if (given !== undefined) {
    const weak = given.length < 32 || /^(.)\1*$|changeme|secret|password|default/i.test(given);
    if (weak && production) throw new ConfigError(`${name} must be at least 32 random characters`);
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
