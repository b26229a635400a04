// Connects to PostgreSQL: to the host with the right role, if the URL names several, and with TLS as PostgreSQL's documentation says.
import pg from "pg";
import { ConfigError } from "../../environment.ts";

const connectMs = 5000;
/** Per host, all at the same time. */
const tryMs = 2000;
/** Ends an idle connection to a host that is cut off after 15 s instead of hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };
const sslModes = new Set(["disable", "require", "verify-ca", "verify-full"]);

/** `primary`: a host that accepts writes. `replica`: a hot standby. */
export type Role = "primary" | "replica";
const sessionAttributes: Record<Role, string[]> = {
  primary: ["read-write", "primary", "any"],
  replica: ["standby", "any"],
};

type Hosts = {
  /** One URL per host, as node-postgres understands it. */
  urls: string[];
  /** Whether a host is asked for its role before it is used. */
  isChecked: boolean;
};

/** Throws ConfigError for a URL that asks for something that is not supported. */
export function listHosts(url: string, role: Role = "primary"): Hosts {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/.exec(url);
  if (!parts) throw new ConfigError("The database's URL should be like postgres://user:password@host:5432/name");
  const [, before = "", hosts = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get("target_session_attrs");
  if (attributes !== null && !sessionAttributes[role].includes(attributes)) {
    const allowed = sessionAttributes[role].join(", ").replace(/, (?=\w+$)/, " or ");
    throw new ConfigError(`target_session_attrs of the database's URL must be ${allowed}`);
  }
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
    isChecked: names.length > 1 || (attributes !== null && attributes !== "any"),
  };
}

/**
 * Opens a connection of its own, for sessions that a pool can't serve. If the URL names several hosts, all are tried at once, and the first
 * with the role is taken. A lost connection rejects the next statement.
 */
export async function connect(url: string, options: pg.ClientConfig = {}, role: Role = "primary"): Promise<pg.Client> {
  const { urls, isChecked } = listHosts(url, role);
  const tries = urls.map((one) => open({ ...options, connectionString: one }, isChecked ? role : null));
  const client = await Promise.any(tries).catch((error: unknown) => {
    throw summarize(error, urls, role);
  });
  void Promise.allSettled(tries).then((all) => {
    for (const one of all)
      if (one.status === "fulfilled" && one.value !== client) one.value.end().catch(() => undefined);
  });
  return client;
}

async function open(config: pg.ClientConfig, role: Role | null): Promise<pg.Client> {
  const client = new pg.Client({
    ...keepAlive,
    connectionTimeoutMillis: role === null ? connectMs : tryMs,
    ...config,
  });
  client.on("error", () => void client.end().catch(() => undefined));
  await client.connect();
  if (role === null || (await hasRole(client, role))) return client;
  await client.end();
  throw new Error(lacks[role]);
}

const lacks: Record<Role, string> = { primary: "accepts no writes", replica: "is no replica" };

async function hasRole(client: pg.Client, role: Role): Promise<boolean> {
  const { rows } = await client.query<{ isReadOnly: boolean; isStandby: boolean }>({
    text: `select current_setting('transaction_read_only')::boolean as "isReadOnly", pg_is_in_recovery() as "isStandby"`,
    query_timeout: tryMs,
  } as pg.QueryConfig);
  return role === "primary" ? rows[0]?.isReadOnly === false : rows[0]?.isStandby === true;
}

const isRefusedLogin = (error: unknown) => error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? "");

/** One error for all hosts: that of a wrong login, else that no host is available. */
function summarize(error: unknown, urls: readonly string[], role: Role): unknown {
  if (!(error instanceof AggregateError)) return error;
  if (urls.length === 1 || error.errors.every(isRefusedLogin)) return error.errors[0];
  const reasons = error.errors.map((one) => (one instanceof Error ? one.message : String(one)));
  const what = role === "primary" ? "accepts writes" : "is a replica";
  return Object.assign(new Error(`No host of the database ${what}: ${reasons.join("; ")}`), { code: "08001" });
}

export type Place = { host: string; port: number };
export type PlaceFinder = ReturnType<typeof createPlaceFinder>;

/**
 * Finds the host for the connections of a pool, and remembers it until there is a doubt. `onMoved`: another host has the role now, so
 * that no statement on the former one can be trusted, nor will it get an answer if that host is cut off.
 */
export function createPlaceFinder(url: string, onMoved: (to: Place) => void, role: Role = "primary") {
  const { urls, isChecked } = listHosts(url, role);
  let found: Promise<Place> | null = null;
  let last: Place | null = null;

  async function search(): Promise<Place> {
    const client = await connect(url, { application_name: "ps-platform" }, role);
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
    isChecked,
    role,
    /** Null: the only host. */
    find: (): Promise<Place | null> => (isChecked ? find() : Promise.resolve(null)),
    /** After a failed connection, or a host that lost its role. */
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
