// What the proxy knows of a session on a sensor's pages, and whom it asks for one.

/** An open session of one person on one sensor's pages. */
export type PageSession = {
  sensorId: string;
  isReadOnly: boolean;
  /** As the sensor reads it in `x-psconnect-user`. */
  user: string;
  /** Aborted when the session ends, for whatever reason. */
  ended: AbortSignal;
  /** Whether a method of JSON-RPC may be passed on. */
  mayCall(method: string): boolean;
  /** Resolves when it is on record that something is about to be written there. */
  recordWrite(method: string, path: string): Promise<void>;
};

/** Who may come in. Both answer null for everything unknown, whatever the reason. */
export type Sessions = {
  /** Trades the token of a link, which is worth nothing afterwards, for the value of a cookie. */
  enter(label: string, token: string, cookies: readonly string[]): Promise<string | null>;
  find(label: string, cookies: readonly string[]): Promise<PageSession | null>;
};
