// A connection of a pool: finds its host, names declared statements, and leaves a host that lost its role.
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg from "pg";
import type { Place, PlaceFinder } from "./connect.ts";

/** What node-postgres has, but its type definitions lack. */
type Internals = {
  _queryable: boolean;
  processID: number;
  secretKey: number;
  connection: EventEmitter & {
    stream: Socket;
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  };
};
const internalsOf = (client: pg.ClientBase) => client as unknown as Internals;

const readOnlyTransaction = "25006";

/** Whether the statement begins a transaction. */
export const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text);

/** The pool replaces it. */
export function dropConnection(client: pg.ClientBase): void {
  const internals = internalsOf(client);
  // A pool does not give it to the next caller.
  internals._queryable = false;
  internals.connection.stream.destroy();
}

export function isAt(client: pg.ClientBase, { host, port }: Place): boolean {
  const at = client as pg.Client;
  return at.host === host && at.port === port;
}

export function createClientClass(
  finder: PlaceFinder,
  { findName, onLeft }: { findName(text: string): string | undefined; onLeft(): void },
) {
  const isPrimary = finder.role === "primary";
  const lostRole = isPrimary
    ? { names: /^(in_hot_standby|default_transaction_read_only)$/, value: "on" }
    : { names: /^in_hot_standby$/, value: "off" };
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const { connection } = internalsOf(this);
      const leave = () => {
        finder.doubt();
        onLeft();
        // Later, so that the statement gets its own error.
        setImmediate(() => connection.stream.destroy());
      };
      if (isPrimary)
        connection.on("errorMessage", ({ code }: { code: string }) => code === readOnlyTransaction && leave());
      connection.on("end", finder.doubt);
      if (finder.isChecked)
        connection.on("parameterStatus", ({ parameterName, parameterValue }: Record<string, string>) => {
          if (lostRole.names.test(parameterName ?? "") && parameterValue === lostRole.value) leave();
        });
    }
    override connect(...given: unknown[]): never {
      const [done] = given as [(error: unknown) => void];
      const connect = super.connect.bind(this) as (done: (error: unknown) => void) => void;
      const begin = (place: Place | null) => {
        if (place) Object.assign(this, place);
        connect(done);
      };
      finder.find().then(begin, done);
      return undefined as never;
    }
    override query(...given: unknown[]): never {
      const [text, values] = given;
      const name = typeof text === "string" ? findName(text) : undefined;
      const query = super.query as (...args: unknown[]) => Promise<unknown>;
      const result = name === undefined ? query.apply(this, given) : query.call(this, { name, text, values });
      // The statements of a transaction must not run without it (pipelined-driver.ts).
      if (typeof text === "string" && isBegin(text)) result.catch(() => dropConnection(this));
      return result as never;
    }
  };
}

/** Cancels the running statement with the protocol's own request, which also reaches the right session through a pooler. */
export async function sendCancel(client: pg.ClientBase, config: pg.ClientConfig): Promise<void> {
  const { processID, secretKey } = internalsOf(client);
  const { host, port, ssl } = client as pg.Client;
  const { connection } = internalsOf(new pg.Client(config));
  // The server closes the connection when it has dealt with the request.
  const isOver = new Promise((resolve) => void connection.once("end", resolve));
  const send = () => connection.cancel(processID, secretKey);
  connection.on("error", () => connection.stream.destroy());
  connection.once("connect", () => (ssl ? connection.requestSsl() : send()));
  connection.once("sslconnect", send);
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await isOver;
}

/** As the client received it. A pooler in between invents it. */
export const processIdOf = (client: pg.ClientBase): number => internalsOf(client).processID;
