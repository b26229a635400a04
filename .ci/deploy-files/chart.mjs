// Checks the Helm chart: renders it, and checks the objects and whether the server starts with their variables.

import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readConfig } from "../../server/src/config.ts";
import { renderTemplate } from "./chart-template.mjs";
import { programFaults } from "./machines.mjs";

const FOLDER = "deploy/helm/";
/** What a user must enter. */
const ENTERED = {
  "image.repository": "registry.example.com/ps-platform",
  existingSecret: "ps-platform",
  publicUrl: "https://console.example.com",
};
const SECRET = {
  DATABASE_URL: "postgres://psp:Zc8mQ2vTb5@postgres:5432/psp",
  MAIL_URL: "smtp://mail:25",
  SESSION_SECRET: "0123456789abcdefghijklmnopqrstuvwxyz",
  FIRMWARE_SIGNING_KEY: "0123456789abcdefghijklmnopqrstuvwxyz",
  DISPLAY_PRIVATE_KEY: "0123456789abcdefghijklmnopqrstuvwxyz",
  METRICS_TOKEN: "0123456789abcdefghijklmnopqrstuvwxyz",
  ADMIN_EMAIL: "you@company.example",
  ADMIN_PASSWORD: "a long enough passphrase 7",
};
/** What a user may enter. */
const FILES = {
  volumes: [{ name: "files", secret: { secretName: "files" } }],
  volumeMounts: [{ name: "files", mountPath: "/files", readOnly: true }],
};
const MIN_STOP_S = 15;

const name = z.string().regex(/^[a-z][a-z0-9-]*$/);
const labels = z.record(z.string().startsWith("app.kubernetes.io/"), z.string());
const metadata = z.strictObject({ name, labels });
const selector = z.strictObject({ matchLabels: labels });
const count = z.number().int();
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(["/health/live", "/health/ready"]), port: z.literal("http") }),
  periodSeconds: count,
  failureThreshold: count,
  timeoutSeconds: count.optional(),
});
const reference = (...keys) => z.strictObject(Object.fromEntries(keys.map((key) => [key, z.string()])));
const amounts = z.partialRecord(z.enum(["cpu", "memory"]), z.string().regex(/^\d+(m|Mi|Gi)?$/));
const container = z.strictObject({
  name,
  image: z.string().regex(/^[\w./-]+:(?!latest$)[\w.-]+$/, "Should be an image with a version"),
  imagePullPolicy: z.enum(["IfNotPresent", "Always"]),
  envFrom: z.array(z.strictObject({ secretRef: reference("name") })),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({ name: z.string(), valueFrom: z.strictObject({ fieldRef: reference("fieldPath") }) }),
    ]),
  ),
  ports: z.array(z.strictObject({ name, containerPort: count })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.strictObject({ requests: amounts, limits: amounts }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(reference("name", "mountPath").extend({ readOnly: z.boolean().optional() })),
});
const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: count.min(MIN_STOP_S),
  imagePullSecrets: z.array(reference("name")),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: count.min(1),
    runAsGroup: count.min(1),
    fsGroup: count.min(1),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: count,
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(["ScheduleAnyway", "DoNotSchedule"]),
      labelSelector: selector,
    }),
  ),
  containers: z.tuple([container]),
  volumes: z.array(
    z.union([
      z.strictObject({ name, emptyDir: z.strictObject({}) }),
      z.strictObject({ name, secret: z.strictObject({ secretName: name }) }),
    ]),
  ),
});
/** Only keys that are in use, so that a typo is reported. */
const OBJECT = z.discriminatedUnion("kind", [
  z.strictObject({
    apiVersion: z.literal("apps/v1"),
    kind: z.literal("Deployment"),
    metadata,
    spec: z.strictObject({
      replicas: count,
      selector,
      strategy: z.strictObject({ rollingUpdate: z.strictObject({ maxSurge: count, maxUnavailable: z.literal(0) }) }),
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Service"),
    metadata,
    spec: z.strictObject({
      type: z.enum(["ClusterIP", "NodePort", "LoadBalancer"]),
      selector: labels,
      ports: z.array(z.strictObject({ name, port: count, targetPort: name })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("policy/v1"),
    kind: z.literal("PodDisruptionBudget"),
    metadata,
    spec: z.strictObject({ maxUnavailable: count.min(1), selector }),
  }),
]);

/** `text` is Chart.yaml. */
export function chartFaults(text, { texts, root }) {
  const chart = parse(text);
  const values = parse(texts.get(`${FOLDER}values.yaml`));
  const templates = [...texts].filter(([file]) => file.startsWith(`${FOLDER}templates/`));
  const render = (given) =>
    templates.flatMap(([, template]) =>
      parseAllDocuments(
        renderTemplate(template, { Values: given, Release: { Name: "one" }, Chart: { AppVersion: chart.appVersion } }),
      ).map((document) => {
        if (document.errors.length > 0) throw document.errors[0];
        return document.toJS();
      }),
    );
  const objects = render(enter(values, ENTERED)).filter((one) => one !== null);
  const { version } = JSON.parse(texts.get("package.json"));
  const faults = chart.appVersion === version ? [] : [`is for version ${chart.appVersion}, and this is ${version}`];
  for (const left of Object.keys(ENTERED)) {
    try {
      render(enter(values, { ...ENTERED, [left]: "" }));
      faults.push(`renders without ${left}`);
    } catch {
      // Missing values must be rejected.
    }
  }
  const { gateway } = values.processes;
  const secure = { ...values.processes, gateway: { ...gateway, isMqtts: true } };
  const more = render({ ...enter(values, ENTERED), ...FILES, processes: secure }).filter((one) => one !== null);
  if (!JSON.stringify(more).includes('"/files"') || !JSON.stringify(more).includes('"targetPort":"mqtts"'))
    faults.push("leaves out files or the port of MQTT over TLS");
  const shapes = [...objects, ...more].flatMap((one) =>
    (OBJECT.safeParse(one).error?.issues ?? []).map(
      ({ path: at, message }) => `${one.kind} ${one.metadata?.name} ${at.join(".")}: ${message}`,
    ),
  );
  if (shapes.length > 0) return [...faults, ...shapes];
  return [...faults, ...[objects, more].flatMap((all) => objectFaults(all, texts)), ...helmFaults(objects, root)];
}

function enter(values, entered) {
  const { "image.repository": repository, ...others } = entered;
  return { ...values, ...others, image: { ...values.image, repository } };
}

function objectFaults(objects, texts) {
  const faults = [];
  const ofKind = (kind) => objects.filter((one) => one.kind === kind);
  const matches = (wanted, { spec }) =>
    Object.entries(wanted).every(([key, value]) => spec.template.metadata.labels[key] === value);
  const deployments = ofKind("Deployment");
  for (const one of deployments) {
    const at = `Deployment ${one.metadata.name}`;
    const { containers, volumes } = one.spec.template.spec;
    if (!matches(one.spec.selector.matchLabels, one)) faults.push(`${at} does not select its own pods`);
    if (!ofKind("PodDisruptionBudget").some(({ spec }) => matches(spec.selector.matchLabels, one)))
      faults.push(`${at} has no disruption budget`);
    for (const mount of containers[0].volumeMounts)
      if (!volumes.some((volume) => volume.name === mount.name)) faults.push(`${at} mounts ${mount.name}`);
    const isGateway = containers[0].env.some(({ name: key, value }) => key === "PARTS" && value.includes("gateway"));
    if (isGateway !== containers[0].ports.some((port) => port.name === "mqtt"))
      faults.push(`${at} has no port for sensors`);
    if (containers[0].readinessProbe.httpGet.path !== "/health/ready") faults.push(`${at} is not asked for readiness`);
    if (containers[0].livenessProbe.httpGet.path !== "/health/live")
      faults.push(`${at} is killed while the database is away`);
    faults.push(...environmentFaults(containers[0], texts).map((fault) => `${at} ${fault}`));
  }
  for (const { metadata: own, spec } of ofKind("Service")) {
    const targets = deployments.filter((one) => matches(spec.selector, one));
    const ports = targets.flatMap((one) => one.spec.template.spec.containers[0].ports.map((port) => port.name));
    if (targets.length !== 1) faults.push(`Service ${own.name} leads to ${targets.length} deployments`);
    for (const { targetPort } of spec.ports)
      if (!ports.includes(targetPort)) faults.push(`Service ${own.name} leads to port ${targetPort}`);
  }
  return faults;
}

function environmentFaults({ env }, texts) {
  const faults = [];
  const rules = texts.get("docs/rules/start-and-configuration.md");
  const given = Object.fromEntries(env.map(({ name: key, value = "10.1.2.3" }) => [key, value]));
  for (const key of Object.keys(given)) {
    if (key !== "POD_IP" && !rules.includes(`\`${key}\``)) faults.push(`sets ${key}, which is no setting`);
    if (/PASSWORD|SECRET|TOKEN|_KEY/.test(key)) faults.push(`holds ${key}`);
  }
  const rendered = Object.entries(given).map(([key, value]) => [key, value.replace("$(POD_IP)", given.POD_IP)]);
  try {
    readConfig({ ...SECRET, ...Object.fromEntries(rendered), NODE_ENV: "production", DATA_DIR: tmpdir() });
  } catch (error) {
    faults.push(`is refused by the product: ${error.message}`);
  }
  return faults;
}

/** Where helm is installed, it must accept the chart and render the same objects. */
function helmFaults(objects, root) {
  const folder = path.join(root, FOLDER);
  const set = Object.entries(ENTERED).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const { error, status, stdout, stderr } = spawnSync("helm", ["template", "one", folder, ...set], {
    encoding: "utf8",
  });
  if (error !== undefined) return [];
  if (status !== 0) return [`helm template: ${stderr}`];
  const byName = (list) => new Map(list.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
  const rendered = parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? []);
  const isSame = isDeepStrictEqual(byName(rendered), byName(objects));
  return [
    ...(isSame ? [] : ["helm renders other objects than .ci/deploy-files/chart-template.mjs"]),
    ...programFaults("helm", ["lint", "--strict", folder, ...set]),
  ];
}
