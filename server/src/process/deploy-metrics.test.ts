// Compares the Prometheus rules and the Grafana dashboard in deploy/ with the metrics that a process really has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createWorld, type World } from "../testing/world.ts";

const folder = join(import.meta.dirname, "../../../deploy");
const rules = parse(readFileSync(join(folder, "prometheus/rules.yaml"), "utf8")) as {
  groups: { rules: { record?: string; alert?: string; expr: string }[] }[];
};
const dashboard = JSON.parse(readFileSync(join(folder, "grafana/dashboard.json"), "utf8")) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const allRules = rules.groups.flatMap((group) => group.rules);
const recorded = new Set(allRules.flatMap(({ record }) => record ?? []));

/** Labels and bucket bounds of each series. */
let series: Map<string, { labels: Set<string>; bounds: Set<string> }>;
let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway,worker" } });
  const metrics = world.ctx.metrics.registry.getMetricsAsArray() as unknown as {
    name: string;
    labelNames?: string[];
    upperBounds?: number[];
  }[];
  series = new Map(
    metrics.flatMap(({ name, labelNames = [], upperBounds }) => {
      const labels = new Set([...labelNames, "job", "instance"]);
      const bounds = new Set([...(upperBounds ?? []).map(String), "+Inf"]);
      if (upperBounds === undefined) return [[name, { labels, bounds: new Set<string>() }] as const];
      const none = { labels, bounds: new Set<string>() };
      return [
        [`${name}_bucket`, { labels: labels.union(new Set(["le"])), bounds }] as const,
        [`${name}_sum`, none] as const,
        [`${name}_count`, none] as const,
      ];
    }),
  );
  // Prometheus makes it for each process that it reads.
  series.set("up", { labels: new Set(["job", "instance"]), bounds: new Set() });
});
afterAll(() => world.stop());

/** What an expression uses that the product does not have. */
function unknownIn(expr: string): string[] {
  const unknown: string[] = [];
  const used = [...expr.matchAll(/(?<![\w:"=~|])(up|(?:psp|nodejs|process)[_:][\w:]+)(?:\{([^}]*)\})?/g)];
  if (used.length === 0) return ["no metric"];
  const labels = new Set<string>();
  for (const [, name = "", selector = ""] of used) {
    const found = series.get(name);
    if (!found && !recorded.has(name)) unknown.push(name);
    for (const label of found?.labels ?? []) labels.add(label);
    for (const [, label = "", value = ""] of selector.matchAll(/(\w+)=~?"([^"]*)"/g)) {
      if (!found?.labels.has(label)) unknown.push(`${name}{${label}}`);
      if (label === "le" && !found?.bounds.has(value)) unknown.push(`${name}{le="${value}"}`);
    }
  }
  for (const [, list = ""] of expr.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of list.split(/, */)) if (!labels.has(label)) unknown.push(`by (${label})`);
  return unknown;
}

test("every metric, label and bucket in the Prometheus rules is one of the product", () => {
  expect(allRules.map(({ record, alert, expr }) => [record ?? alert, unknownIn(expr)])).toEqual(
    allRules.map(({ record, alert }) => [record ?? alert, []]),
  );
});

test("every metric, label and bucket in the Grafana dashboard is one of the product", () => {
  expect(dashboard.panels.map(({ title, targets }) => [title, targets.flatMap(({ expr }) => unknownIn(expr))])).toEqual(
    dashboard.panels.map(({ title }) => [title, []]),
  );
});

test.each([
  ["sum(rate(psp_http_requests_total[5m]))", ["psp_http_requests_total"]],
  ['rate(psp_http_request_seconds_bucket{le="0.3"}[5m])', ['psp_http_request_seconds_bucket{le="0.3"}']],
  ['psp_database_connections{pool="a"}', ["psp_database_connections{pool}"]],
  ["sum by (sensor) (psp_devices_connected)", ["by (sensor)"]],
  ["psp:calls_slow:ratio > 1", ["psp:calls_slow:ratio"]],
  ["1 > 2", ["no metric"]],
])("a wrong expression is found: %s", (expr, unknown) => expect(unknownIn(expr)).toEqual(unknown));

test("every alert is explained to operators", () => {
  const text = readFileSync(join(folder, "../docs/operations.md"), "utf8");
  const missing = allRules.flatMap(({ alert }) => (alert !== undefined && !text.includes(`\`${alert}\``) ? alert : []));
  expect(missing).toEqual([]);
});
