// What a tunnel is to the rest of the server: HTTP requests to one sensor, through the connection that it opened itself.
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

/**
 * There is no whole answer. `sent` is false only when the request surely never left this process; `status` is known when
 * the answer had begun.
 */
export class TunnelError extends Error {
  readonly sent: boolean;
  readonly status: number | null;
  constructor(message: string, sent: boolean, status: number | null = null) {
    super(message);
    this.sent = sent;
    this.status = status;
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
