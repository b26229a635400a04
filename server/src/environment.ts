// Environment variables of the server: format, default and limits of each. config.ts combines them.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { maxPackageBytes } from "@psp/contract/firmware/package-size.ts";
import { parseDeviceRoot } from "@psp/contract/remote-access/device-root.ts";
import { timeoutHoursLimits } from "@psp/contract/sensor/presence.ts";
import { readVpnServers } from "@psp/contract/vpn/vpn-servers.ts";
import { z } from "zod";

/** Its message is for the operator. */
export class ConfigError extends Error {}
export const mebibyte = 1024 * 1024;
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
/**
 * Normalizes origins to what browsers send, because a trailing slash or capital letters would never match. Refuses anything after
 * the origin, such as a path.
 */
const origins = list.pipe(
  z.array(
    web
      .refine((text) => /^https?:\/\/[^/?#@]+\/?$/i.test(text), "Should be origins like https://export.example.com")
      .transform((text) => new URL(text).origin),
  ),
);
const busServers = list.pipe(
  z
    .array(
      z
        .url({ protocol: /^(?:nats|tls)$/, error: "Should be nats://bus.example.com:4222, or several with commas" })
        .transform((text) => new URL(text)),
    )
    .min(1),
);
const address = z.string().optional();
/** Prefix of call paths: an origin, a path, or both. The result has no trailing slash. */
const root = z
  .string()
  .regex(
    /^(?:https?:\/\/[^/?#@\s]+)?(?:\/[\w.~-]+)*\/?$/i,
    "Should be an address like https://api.example.com, a path like /platform, or both",
  )
  .transform((text) => text.replace(/\/$/, ""))
  .optional();
const tiles = z
  .url({ protocol: /^https?$/, error: "Should be an address like https://tiles.example.com/{z}/{x}/{y}.png" })
  .refine((text) => ["{z}", "{x}", "{y}"].every((part) => text.includes(part)), "Should contain {z}, {x} and {y}");
/** `[mqtt://|mqtts://]host[:port]`, as devices reach the broker. */
const brokerAddress = z
  .string()
  .transform((text, context) => {
    const match = /^(?:(mqtts?):\/\/)?(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text);
    const [, scheme, name = "", given] = match ?? [];
    if (match && Number(given ?? 1) >= 1 && Number(given ?? 1) <= 65_535)
      return {
        name: name.replaceAll(/[[\]]/g, ""),
        port: given === undefined ? null : Number(given),
        tls: scheme === undefined ? null : scheme.toLowerCase() === "mqtts",
      };
    context.addIssue({ code: "custom", message: "Should be like mqtt.example.com, or mqtts://mqtt.example.com:8883" });
    return z.NEVER;
  })
  .optional();
/** Names a file; becomes its text. `check` throws if the text can't be used. */
const fileText = (check: (text: string) => unknown = () => undefined) =>
  z
    .string()
    .transform((path, context) => {
      try {
        const text = readFileSync(path, "utf8").trim();
        check(text);
        return text;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        context.addIssue({ code: "custom", message: `${path} can't be used: ${reason}` });
        return z.NEVER;
      }
    })
    .optional();
const certificateFile = fileText((pem) => new X509Certificate(pem));
const onOff = z.enum(["on", "off"]).transform((text) => text === "on");

const vpnServers = z
  .string()
  .max(16_384, "At most 16,384 characters")
  .default("[]")
  .transform((text, context) => {
    try {
      return readVpnServers(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "invalid" });
      return z.NEVER;
    }
  });

const maxHops = 16;
/** Number of trusted proxies in front of the server, or their addresses. `off` or 0: none. */
const proxies = z
  .string()
  .default("off")
  .transform((text, context): number | string[] | null => {
    if (text === "off" || text === "0") return null;
    if (/^\d+$/.test(text) && Number(text) <= maxHops) return Number(text);
    const ranges = text.split(",").map((part) => part.trim());
    if (ranges.every(isRange)) return ranges;
    const message =
      text === "on"
        ? '"on" would trust any sender and disable all limits per client. Set the number of proxies in front (1) or their addresses (10.0.0.0/8, fd00::/8)'
        : "Must be the number of proxies in front (1) or their addresses (10.0.0.0/8, fd00::/8)";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** Whether the text is an address or a CIDR range. Refuses a range of all addresses, because it would trust everybody. */
function isRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const width = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : 0;
  if (width === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= width);
}

const parts = ["api", "gateway", "worker"] as const;

export const environmentSchema = z.object({
  NODE_ENV: z.string().default("development"),
  INSTANCE_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "At most 64 letters, digits, _, . and -")
    .optional(),
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
  MQTT_PROXY: onOff.default(false),
  MQTT_URL: address,
  MQTT_PUBLIC_HOST: brokerAddress,
  MQTT_AUTH: z.enum(["dynamic-security", "http"]).optional(),
  MQTT_AUTH_SECRET: address,
  MQTT_AUTH_SECRET_FILE: fileText(),
  MQTT_CA: certificateFile,
  MQTT_CERT: certificateFile,
  MQTT_KEY: fileText(createPrivateKey),
  DATABASE_URL: address,
  BUS_URL: busServers.optional(),
  DATABASE_DIRECT_URL: address,
  DATABASE_READ_URL: address,
  SOCKETS_PER_SESSION: z.coerce.number().int().min(1).max(100_000).default(50),
  SOCKETS_PER_ACCOUNT: z.coerce.number().int().min(1).max(100_000).default(1_000),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(16),
  DRAIN_SECONDS: z.coerce.number().min(0).max(300).optional(),
  DATA_DIR: z.string().default("./data"),
  BACKUP_DIR: address,
  BACKUP_PASSPHRASE: address,
  BACKUP_PASSPHRASE_FILE: address,
  MAIL_URL: address,
  MAIL_FROM: z.string().default("PS.Platform <no-reply@example.com>"),
  PUBLIC_URL: web.optional(),
  ADMIN_EMAIL: z.email().default("admin@example.com"),
  ADMIN_PASSWORD: address,
  DEMO: onOff.default(false),
  DEMO_OPEN: onOff.default(false),
  DEMO_HISTORY: onOff.default(true),
  DEMO_SENSORS: z.coerce.number().int().min(0).max(20_000).default(300),
  SESSION_SECRET: address,
  DISPLAY_PRIVATE_KEY: address,
  FIRMWARE_SIGNING_KEY: address,
  FIRMWARE_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(4096)
    .default(maxPackageBytes / mebibyte),
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
  GEOCODER_URL: web.optional(),
  MAP_TILE_URL: tiles.optional(),
  MAP_ATTRIBUTION: address,
  CLAIMING_DOMAINS: list,
  API_ROOT: root,
  DATA_ROOT: root,
  DEVICE_LINK_ROOT: z
    .string()
    .default("devices.localhost")
    .refine(
      (text) => parseDeviceRoot(text) !== null,
      "Should be a host name like devices.example.com, with scheme and port if they are others: https://devices.example.com:8443",
    ),
  INTERNAL_URL: web.optional(),
  AUTO_LOGIN_EDIT_USER: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default("user-role-edit"),
  AUTO_LOGIN_VIEW_USER: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default("user-role-view"),
  VPN_SERVERS: vpnServers,
  PAGE_SIZE: z.coerce.number().int().min(1).max(500).default(50),
  PURGE_AFTER_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
  CONNECTION_TIMEOUT_HOURS: z.coerce.number().min(timeoutHoursLimits.min).max(timeoutHoursLimits.max).default(24),
  METRICS_TOKEN: z.string().min(16, "At least 16 characters").optional(),
  OTEL_SDK_DISABLED: z
    .string()
    .default("false")
    .transform((text) => text.toLowerCase() === "true"),
  OTEL_EXPORTER_OTLP_ENDPOINT: web.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: web.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: web.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal("http/json", 'Only "http/json" is supported').optional(),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  OTEL_METRICS_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(100).max(3_600_000).default(60_000),
  TEST_CLOCK: onOff.default(false),
  TEST_HASHING: onOff.default(false),
  TRUST_PROXY: proxies,
});

export type Environment = z.output<typeof environmentSchema>;
