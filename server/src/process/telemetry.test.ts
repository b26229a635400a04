// Tests what is exported by OTLP, with a collector that decodes its JSON protocol.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { until } from "../testing/devices/device-world.ts";
import { createWorld, type World } from "../testing/world.ts";

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };
type Span = {
  traceId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  status: { code?: number };
};
type Point = { attributes: Attribute[]; asDouble?: number; count?: number; bucketCounts?: number[] };
type Metric = { name: string; histogram?: { dataPoints: Point[] }; gauge?: { dataPoints: Point[] } };
type Exported = {
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
  resourceMetrics?: { resource: { attributes: Attribute[] }; scopeMetrics: { metrics: Metric[] }[] }[];
};

const texts: string[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    texts.push(`${request.url} ${Buffer.concat(chunks).toString()}`);
    response.setHeader("content-type", "application/json").end("{}");
  });
});
let world: World;
beforeAll(async () => {
  await new Promise<void>((done) => void collector.listen(0, "127.0.0.1", done));
  world = await createWorld({
    env: {
      PARTS: "api,worker",
      INSTANCE_NAME: "traced",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
      OTEL_METRIC_EXPORT_INTERVAL: "100",
    },
  });
});
afterAll(async () => {
  await world.stop();
  await new Promise((done) => void collector.close(done));
});

const received = (path: string) =>
  texts.filter((text) => text.startsWith(`${path} `)).map((text) => JSON.parse(text.slice(path.length)) as Exported);
const spans = () =>
  received("/v1/traces").flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
const toObject = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
const traceOf = (n: number) => n.toString(16).padStart(32, "a");

test("a call makes a span with its route, status and parent, and without secrets or ids", async () => {
  const guest = await world.account("Traced guest", world.root, fullPermissions);
  const parent = "b".repeat(16);
  const from = (n: number) => ({ traceparent: `00-${traceOf(n)}-${parent}-01` });
  const find = (n: number) => until(`span ${n}`, () => spans().find(({ traceId }) => traceId === traceOf(n)));
  await world.call(guest, "GET", `/api/account/${guest.id}?unknown=hush`, { headers: from(1) });
  await world.call(guest, "GET", `/api/account/${guest.id}`, { headers: from(2) });
  await world.call(null, "GET", `/api/account/${guest.id}`, { headers: from(3) });
  await world.call(null, "POST", "/api/login", {
    headers: from(4),
    body: { email: guest.email, password: "hush-hush" },
  });
  const [refused, answered, anonymous] = [await find(1), await find(2), await find(3)];
  expect(answered).toMatchObject({ name: "GET /api/account/:id", kind: 2, parentSpanId: parent });
  expect(toObject(answered.attributes)).toEqual({
    "http.request.method": "GET",
    "http.route": "/api/account/:id",
    "psp.call": expect.any(String),
    "http.response.status_code": 200,
  });
  expect([refused, anonymous].map(({ attributes }) => toObject(attributes)["http.response.status_code"])).toEqual([
    400, 401,
  ]);
  const sent = texts.join("\n");
  for (const secret of [guest.id, guest.email, guest.token, "hush", world.root.token, "127.0.0.1"])
    expect(sent).not.toContain(secret);
});

test("a job makes a span, and a failed one is an error", async () => {
  const { tracing } = world.ctx;
  tracing.beginJob?.("of this test").end({ hasFailed: true });
  const failed = await until("the span", () => spans().find(({ name }) => name === "job of this test"));
  expect(failed.status.code).toBe(2);
  const real = await until("a job", () => spans().find(({ name }) => name === "job housekeeping"));
  expect([toObject(real.attributes), real.status.code ?? 0]).toEqual([{ "psp.job": "housekeeping" }, 0]);
});

test("all metrics arrive, with the process that they belong to", async () => {
  await world.call(world.root, "GET", "/api/account");
  const metricsIn = ({ resourceMetrics = [] }: Exported) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  const find = (name: string) =>
    received("/v1/metrics")
      .flatMap(metricsIn)
      .findLast((metric) => metric.name === name);
  const calls = await until("calls", () => {
    const points = find("psp_http_request_seconds")?.histogram?.dataPoints ?? [];
    return points.find(({ attributes }) => toObject(attributes)["status"] === "200");
  });
  expect(Number(calls.count)).toBeGreaterThan(0);
  expect(calls.bucketCounts?.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(calls.count));
  const pool = find("psp_database_connections")?.gauge?.dataPoints ?? [];
  expect(pool.map(({ attributes }) => toObject(attributes)["state"])).toContain("waiting");
  const [first] = received("/v1/metrics")[0]?.resourceMetrics ?? [];
  expect(toObject(first?.resource.attributes ?? [])).toMatchObject({
    "service.name": "ps-platform",
    "service.instance.id": "traced",
  });
});

test("nothing of telemetry is loaded unless a standard variable asks for it", () => {
  const script = `
    import { createRequire } from "node:module";
    await import(${JSON.stringify(join(import.meta.dirname, "server.ts"))});
    process.stdout.write(Object.keys(createRequire(import.meta.url).cache).join("\\n"));`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(loaded).toContain("prom-client");
  expect(loaded).not.toMatch(/@opentelemetry.(sdk|exporter|core|resources)/);
});

test.each([
  [{}, null],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" },
    { traces: "http://collector:4318/v1/traces", metrics: "http://collector:4318/v1/metrics", intervalMs: 60_000 },
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/own" },
    { traces: "http://traces/own", metrics: null, intervalMs: 60_000 },
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" }, null],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "none",
    },
    null,
  ],
])("the standard variables decide what is exported: %o", (env, expected) => {
  const { dataDir } = world.ctx.config;
  expect(readConfig({ HOST: "127.0.0.1", DATA_DIR: dataDir, ...env }).telemetry).toEqual(expected);
});
