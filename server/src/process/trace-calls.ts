// Traces the calls of the API from the first hook until the response is sent (docs/rules/start-and-configuration.md#telemetry).
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Span, Tracing } from "../kit/telemetry/tracing.ts";

export function traceCalls(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook("onRequest", async (request) => {
    const { url: route, config, method } = request.routeOptions;
    const { call: name } = config as { call?: string };
    if (tracing.beginCall === null || name === undefined || route === undefined) return;
    spans.set(request, tracing.beginCall({ name, method: String(method), route, headers: request.headers }));
  });
  app.addHook("onResponse", async (request, { statusCode }) => {
    spans.get(request)?.end({ status: statusCode, hasFailed: statusCode >= 500 });
  });
}
