// Connects to PostgreSQL: to the host that accepts writes, if the URL names several, and with TLS as PostgreSQL's documentation says.
import pg from "pg";
import { ConfigError } from "../../environment.ts";

const connectMs = 5000;
/** Per host, all at the same time. */
const tryMs = 2000;
/** Ends an idle connection to a host that is cut off after 15 s instead of hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };
const sslModes = new Set(["disable", "require", "verify-ca", "verify-full"]);
const sessionAttributes = new Set(["any", "read-write", "primary"]);

type Hosts = {
  /** One URL per host, as node-postgres understands it. */
  urls: string[];
  /** Whether only a host counts that accepts writes. */
  isWritableOnly: boolean;
};

/** Throws ConfigError for a URL that asks for something that is not supported. */
export function listHosts(url: string): Hosts {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/.exec(url);
  if (!parts) throw new ConfigError("The database's URL should be like postgres://user:password@host:5432/name");
  const [, before = "", hosts = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get("target_session_attrs");
  if (attributes !== null && !sessionAttributes.has(attributes))
    throw new ConfigError(`target_session_attrs of the database's URL must be read-write, primary or any`);
  parameters.delete("target_session_attrs");
  const sslMode = parameters.get("sslmode");
  if (sslMode !== null && !sslModes.has(sslMode))
    throw new ConfigError(`sslmode of the database's URL must be disable, require, verify-ca or verify-full`);
  if (sslMode === "verify-ca" && !parameters.has("sslrootcert"))
    throw new ConfigError("sslmode=verify-ca needs sslrootcert, the file with the authority's certificate");
  // Without this, node-postgres has its own meaning of the modes.
  if (sslMode !== null) parameters.set("uselibpqcompat", "true");
  // Node checks with the authorities that it knows.
  if (parameters.get("sslrootcert") === "system") parameters.delete("sslrootcert");
  const names = hosts.split(",");
  const rest = `${path}${parameters.size === 0 ? "" : `?${parameters.toString()}`}`;
  return {
    urls: names.map((host) => before + host + rest),
    isWritableOnly: names.length > 1 || (attributes !== null && attributes !== "any"),
  };
}

/**
 * Opens a connection of its own, for sessions that a pool can't serve. If the URL names several hosts, all are tried at once, and the first
 * that accepts writes is taken. A lost connection rejects the next statement.
 */
export async function connect(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const { urls, isWritableOnly } = listHosts(url);
  const tries = urls.map((one) => open({ ...options, connectionString: one }, isWritableOnly));
  const client = await Promise.any(tries).catch((error: unknown) => {
    throw summarize(error, urls);
  });
  void Promise.allSettled(tries).then((all) => {
    for (const one of all)
      if (one.status === "fulfilled" && one.value !== client) one.value.end().catch(() => undefined);
  });
  return client;
}

async function open(config: pg.ClientConfig, isWritableOnly: boolean): Promise<pg.Client> {
  const client = new pg.Client({
    ...keepAlive,
    connectionTimeoutMillis: isWritableOnly ? tryMs : connectMs,
    ...config,
  });
  client.on("error", () => void client.end().catch(() => undefined));
  await client.connect();
  if (!isWritableOnly || (await acceptsWrites(client))) return client;
  await client.end();
  throw new Error("accepts no writes");
}

async function acceptsWrites(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ transaction_read_only: string }>({
    text: "show transaction_read_only",
    query_timeout: tryMs,
  } as pg.QueryConfig);
  return rows[0]?.transaction_read_only === "off";
}

const isRefusedLogin = (error: unknown) => error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? "");

/** One error for all hosts: that of a wrong login, else that no host is available. */
function summarize(error: unknown, urls: readonly string[]): unknown {
  if (!(error instanceof AggregateError)) return error;
  if (urls.length === 1 || error.errors.every(isRefusedLogin)) return error.errors[0];
  const reasons = error.errors.map((one) => (one instanceof Error ? one.message : String(one)));
  return Object.assign(new Error(`No host of the database accepts writes: ${reasons.join("; ")}`), { code: "08001" });
}

export type Place = { host: string; port: number };
export type PlaceFinder = ReturnType<typeof createPlaceFinder>;

/**
 * Finds the host for the connections of a pool, and remembers it until there is a doubt. `onMoved`: another host accepts writes now, so
 * that no statement on the former one can be trusted, nor will it get an answer if that host is cut off.
 */
export function createPlaceFinder(url: string, onMoved: (to: Place) => void) {
  const { urls, isWritableOnly } = listHosts(url);
  let found: Promise<Place> | null = null;
  let last: Place | null = null;

  async function search(): Promise<Place> {
    const client = await connect(url, { application_name: "ps-platform" });
    const place = { host: client.host, port: client.port };
    void client.end().catch(() => undefined);
    if (last && (last.host !== place.host || last.port !== place.port)) onMoved(place);
    last = place;
    return place;
  }
  function find(): Promise<Place> {
    const mine = (found ??= search());
    mine.catch(() => void (found = found === mine ? null : found));
    return mine;
  }
  return {
    firstUrl: urls[0] ?? "",
    isWritableOnly,
    /** Null: the only host. */
    find: (): Promise<Place | null> => (isWritableOnly ? find() : Promise.resolve(null)),
    /** After a failed connection, or a host that accepts no writes any more. */
    doubt: () => void (found = null),
    /** Searches again and again until the returned function is called. */
    watch(everyMs: number): () => void {
      const timer = setInterval(() => {
        found = null;
        find().catch(() => undefined);
      }, everyMs).unref();
      return () => clearInterval(timer);
    },
  };
}
