// Spans of calls and jobs. Nothing is recorded unless telemetry is exported.

export type Span = {
  /** `status`: of the HTTP response. */
  end(outcome: { hasFailed: boolean; status?: number }): void;
};

export type TracedCall = {
  /** Name of the call. */
  name: string;
  method: string;
  /** The path with names of its parameters, never with their values. */
  route: string;
  /** Headers of the request; only the W3C trace context is read. */
  headers: Record<string, unknown>;
};

export type Tracing = {
  beginCall: ((call: TracedCall) => Span) | null;
  beginJob: ((name: string) => Span) | null;
};

export const createTracing = (): Tracing => ({ beginCall: null, beginJob: null });
