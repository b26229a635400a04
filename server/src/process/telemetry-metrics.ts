// Translates the registry of /metrics into OpenTelemetry's metrics, so that each is measured once.
import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { hrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from "prom-client";

type Times = { startTime: HrTime; endTime: HrTime };

export function createMetricProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime();
  return {
    async collect() {
      const times = { startTime, endTime: hrTime() };
      const found = await registry.getMetricsAsJSON();
      const metrics = found.flatMap((metric) => toMetric(metric, times) ?? []);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "ps-platform" }, metrics }] }, errors: [] };
    },
  };
}

/** Returns null for a summary: OTLP can't carry it. */
function toMetric(metric: MetricObjectWithValues<MetricValue<string>>, times: Times): MetricData | null {
  const { name, help, values } = metric;
  const descriptor = { name, description: help, unit: "", valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const points = () =>
    values.map(({ labels, value }) => ({ ...times, attributes: { ...labels } as Attributes, value }));
  // The type of the library says that this is a number.
  switch (metric.type as unknown as string) {
    case "counter":
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case "gauge":
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case "histogram":
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) };
    default:
      return null;
  }
}

/** Prometheus counts all values up to a bound, OpenTelemetry those between two bounds. */
function toHistograms(values: readonly MetricValueWithName<string>[], times: Times) {
  const grouped = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels));
  return [...grouped].map(([key, list]) => {
    const buckets = list.filter(({ metricName }) => metricName?.endsWith("_bucket"));
    const upTo = buckets.map(({ value }) => value);
    const valueOf = (suffix: string) => list.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    return {
      ...times,
      attributes: JSON.parse(key) as Attributes,
      value: {
        buckets: {
          boundaries: buckets.slice(0, -1).map(({ labels }) => Number(labels["le"])),
          counts: upTo.map((value, n) => value - (upTo[n - 1] ?? 0)),
        },
        sum: valueOf("_sum"),
        count: valueOf("_count"),
      },
    };
  });
}
