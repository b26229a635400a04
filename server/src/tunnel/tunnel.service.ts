// What a tunnel is to the rest of the server: HTTP requests to one sensor, through the connection that it opened itself.
import type { IncomingHttpHeaders } from "node:http2";
import type { Duplex, Writable } from "node:stream";

export type TunnelRequest = {
  method: "GET" | "POST" | "PUT";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** For the whole answer; 30 s unless given. */
  timeoutMs?: number;
  /** Of the answer's body; 64 KiB unless given. */
  maxBytes?: number;
};
export type TunnelReply = { status: number; body: Buffer };

/** A request whose body and answer are streams; with `protocol` a WebSocket. */
export type StreamHead = {
  method: string;
  path: string;
  authority: string;
  headers: Record<string, string | string[]>;
  protocol?: "websocket";
  /** No body follows. */
  isBodiless: boolean;
};
export type TunnelStream = {
  /** Takes the body. */
  stream: Duplex;
  /** Rejects with TunnelError when the answer does not begin. */
  head: Promise<{ status: number; headers: IncomingHttpHeaders }>;
  /** Passes the answer on, no faster than the target takes it; breaks it off when nothing moved for `idleMs`, if given. */
  pipeTo(target: Writable, idleMs?: number): void;
  cancel(): void;
};

/**
 * There is no whole answer. `sent` is false only when the request surely never left this process; `status` is known when
 * the answer had begun.
 */
export class TunnelError extends Error {
  readonly sent: boolean;
  readonly status: number | null;
  /** What became of the answer: it did not come in time, it is too large, or the way to the sensor is gone. */
  readonly kind: "late" | "large" | "gone";
  constructor(message: string, sent: boolean, status: number | null = null, kind: TunnelError["kind"] = "gone") {
    super(message);
    this.sent = sent;
    this.status = status;
    this.kind = kind;
  }
}

/** The tunnels that end in this process. A sensor may have its tunnel at another one: then it has none here. */
export type Tunnels = {
  isOpen(sensorId: string): boolean;
  openIds(): string[];
  /** Throws TunnelError when the sensor gives no complete answer within limits. */
  request(sensorId: string, request: TunnelRequest): Promise<TunnelReply>;
  /** Called whenever a tunnel is ready for requests; returns the function that stops that. */
  onOpen(listener: (sensorId: string) => void): () => void;
};

/** What a proxy needs of them. */
export type TunnelStreams = Pick<Tunnels, "isOpen"> & {
  /** Throws TunnelError when the sensor has no tunnel here, or too much is asked of it at once. */
  stream(sensorId: string, head: StreamHead): TunnelStream;
  /** Whether the sensor answers within three seconds. */
  probe(sensorId: string): Promise<boolean>;
};
