// Exports spans and metrics by OTLP/HTTP. Loaded only if it is configured (docs/rules/start-and-configuration.md#telemetry).
import { setTimeout as delay } from "node:timers/promises";
import {
  type Attributes,
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { TelemetryConfig } from "../config.ts";
import type { Context } from "../context.ts";
import type { Span, TracedCall } from "../kit/telemetry/tracing.ts";
import { createMetricProducer } from "./telemetry-metrics.ts";

/** A collector that is away must not delay the shutdown. */
const lastExportMs = 2_000;

/** The libraries read the other standard variables, such as headers and the sampler, from the environment. */
export function startTelemetry(ctx: Context, { traces, metrics, intervalMs }: TelemetryConfig) {
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        "service.name": "ps-platform",
        "service.instance.id": ctx.config.instanceName,
        "psp.parts": [...ctx.config.parts],
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const ignore = () => undefined;
  const error = (message: string) => ctx.log.warn({ message }, "telemetry was not exported");
  diag.setLogger(
    { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const providers: { shutdown(): Promise<void> }[] = [];
  if (traces !== null) {
    const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter({ url: traces }))];
    const provider = new BasicTracerProvider({ resource, spanProcessors });
    Object.assign(ctx.tracing, createSpans(provider));
    providers.push(provider);
  }
  if (metrics !== null) {
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: metrics }),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(intervalMs, 30_000),
      metricProducers: [createMetricProducer(ctx.metrics.registry, resource)],
    });
    providers.push(new MeterProvider({ resource, readers: [reader] }));
  }
  return {
    async stop(): Promise<void> {
      const ended = Promise.allSettled(providers.map((provider) => provider.shutdown()));
      await Promise.race([ended, delay(lastExportMs, undefined, { ref: false })]);
    },
  };
}

function createSpans(provider: BasicTracerProvider) {
  const tracer = provider.getTracer("ps-platform");
  const propagator = new W3CTraceContextPropagator();
  const begin = (name: string, kind: SpanKind, attributes: Attributes, parent = ROOT_CONTEXT): Span => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return {
      end({ hasFailed, status }) {
        if (status !== undefined) span.setAttribute("http.response.status_code", status);
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return {
    beginCall: ({ name, method, route, headers }: TracedCall) =>
      begin(
        `${method} ${route}`,
        SpanKind.SERVER,
        { "http.request.method": method, "http.route": route, "psp.call": name },
        propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
      ),
    beginJob: (name: string) => begin(`job ${name}`, SpanKind.INTERNAL, { "psp.job": name }),
  };
}
