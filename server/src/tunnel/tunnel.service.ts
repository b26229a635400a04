// The interface of tunnels for the rest of the server: HTTP requests to a sensor through its own connection.
import type { IncomingHttpHeaders } from "node:http2";
import type { Duplex, Writable } from "node:stream";

export type TunnelRequest = {
  method: "GET" | "POST" | "PUT";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Time limit for the whole response; 30 s by default. */
  timeoutMs?: number;
  /** Maximum size of the response body; 64 KiB by default. */
  maxBytes?: number;
};
export type TunnelReply = { status: number; body: Buffer };

export type StreamHead = {
  method: string;
  path: string;
  authority: string;
  headers: Record<string, string | string[]>;
  protocol?: "websocket";
  isBodiless: boolean;
};
export type TunnelStream = {
  stream: Duplex;
  /** Rejects with TunnelError if there is no response. */
  head: Promise<{ status: number; headers: IncomingHttpHeaders }>;
  /** Pipes the response with backpressure; aborts when nothing moved for `idleMs`. */
  pipeTo(target: Writable, idleMs?: number): void;
  cancel(): void;
};

/**
 * Thrown if there is no complete response. `sent` is false only if the request certainly never left this process. `status` is set if
 * the response had begun.
 */
export class TunnelError extends Error {
  readonly sent: boolean;
  readonly status: number | null;
  /** Timeout, response too large, or connection lost. */
  readonly kind: "late" | "large" | "gone";
  constructor(message: string, sent: boolean, status: number | null = null, kind: TunnelError["kind"] = "gone") {
    super(message);
    this.sent = sent;
    this.status = status;
    this.kind = kind;
  }
}

/** The tunnels that end in this process; a sensor's tunnel may end in another one. */
export type Tunnels = {
  isOpen(sensorId: string): boolean;
  openIds(): string[];
  /** Throws TunnelError if no complete response arrives within the limits. */
  request(sensorId: string, request: TunnelRequest): Promise<TunnelReply>;
  /** Calls `listener` whenever a tunnel becomes ready; returns a function that unsubscribes. */
  onOpen(listener: (sensorId: string) => void): () => void;
};

export type TunnelStreams = Pick<Tunnels, "isOpen"> & {
  /** Throws TunnelError if the sensor has no tunnel here or its limit of streams is reached. */
  stream(sensorId: string, head: StreamHead): TunnelStream;
  probe(sensorId: string): Promise<boolean>;
};
