// The proxy's interface to sessions on device pages.

export type PageSession = {
  sensorId: string;
  isReadOnly: boolean;
  user: string;
  ended: AbortSignal;
  /** Whether a JSON-RPC method may be forwarded. */
  mayCall(method: string): boolean;
  /** Writes the audit row of a write; resolves when it is stored. */
  recordWrite(method: string, path: string): Promise<void>;
};

/** Both functions return null for any invalid input, without a reason. */
export type PageSessions = {
  /** Exchanges a link's one-time token for a cookie value. */
  exchangeToken(label: string, token: string, cookies: readonly string[]): Promise<string | null>;
  find(label: string, cookies: readonly string[]): Promise<PageSession | null>;
};
