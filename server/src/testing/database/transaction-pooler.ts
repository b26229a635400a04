// A pooler like PgBouncer with pool_mode = transaction: each transaction of a client gets the session that has been idle longest.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { placeOf } from "./database-wire.ts";

type Session = { stream: Socket; pid: number; secret: number; client: Client | null };
type Client = {
  stream: Socket;
  pid: number;
  secret: number;
  session: Session | null;
  /** Bytes that wait for a session. */
  waiting: Buffer[];
  /** Statements without `ReadyForQuery` so far. */
  open: number;
};

const cancelCode = 80_877_102;
const sslCode = 80_877_103;
const knownParameters = /^(user|database|application_name|client_encoding|datestyle|timezone)$/i;

/** Like PgBouncer before 1.21, it knows no prepared statements, and refuses settings in the startup message. */
export async function createTransactionPooler(databaseUrl: string, sessionCount = 8) {
  const idle: Session[] = [];
  const queue: Client[] = [];
  const clients = new Set<Client>();
  const target = new URL(databaseUrl);

  for (let n = 0; n < sessionCount; n += 1) await addSession();

  async function addSession(): Promise<void> {
    const login = new pg.Client({ connectionString: databaseUrl });
    login.on("error", () => undefined);
    await login.connect();
    const { processID, secretKey, connection } = login as unknown as {
      processID: number;
      secretKey: number;
      connection: { stream: Socket };
    };
    const { stream } = connection;
    const session: Session = { stream, pid: processID, secret: secretKey, client: null };
    stream.removeAllListeners("data");
    stream.on(
      "data",
      splitter((message) => forward(session, message), true),
    );
    idle.push(session);
  }

  /** What a session without a client says is lost, such as notifications. */
  function forward(session: Session, message: Buffer): void {
    const { client } = session;
    if (!client) return;
    client.stream.write(message);
    if (message.toString("latin1", 0, 1) !== "Z") return;
    client.open -= 1;
    if (message.toString("latin1", 5, 6) !== "I" || client.open > 0) return;
    client.session = null;
    session.client = null;
    idle.push(session);
    serve();
  }

  function serve(): void {
    while (idle.length > 0 && queue.length > 0) {
      const session = idle.shift();
      const client = queue.shift();
      if (!session || !client) return;
      client.session = session;
      session.client = client;
      session.stream.write(Buffer.concat(client.waiting.splice(0)));
    }
  }

  function onMessage(client: Client, message: Buffer): void {
    const type = message.toString("latin1", 0, 1);
    if (type === "X") return void client.stream.end();
    if (type === "Q" || type === "S") client.open += 1;
    if (client.session) return void client.session.stream.write(message);
    if (client.waiting.push(message) === 1) queue.push(client);
    serve();
  }

  function onStart(stream: Socket, packet: Buffer): Client | null {
    const code = packet.readInt32BE(4);
    if (code === sslCode) stream.write("N");
    if (code === cancelCode) cancel(packet.readInt32BE(8), packet.readInt32BE(12), stream);
    if (code === sslCode || code === cancelCode) return null;
    const names = packet
      .toString("utf8", 8)
      .split("\0")
      .filter((_, index) => index % 2 === 0);
    const unknown = names.find((name) => name !== "" && !knownParameters.test(name));
    if (unknown !== undefined) {
      const fields = { S: "FATAL", C: "08P01", M: `unsupported startup parameter: ${unknown}` };
      stream.end(
        toMessage(
          "E",
          Buffer.from(
            `${Object.entries(fields)
              .map(([key, value]) => `${key}${value}\0`)
              .join("")}\0`,
          ),
        ),
      );
      return null;
    }
    const client: Client = {
      stream,
      pid: randomInt(2 ** 30),
      secret: randomInt(2 ** 30),
      session: null,
      waiting: [],
      open: 0,
    };
    clients.add(client);
    const keys = Buffer.alloc(8);
    keys.writeInt32BE(client.pid);
    keys.writeInt32BE(client.secret, 4);
    stream.write(
      Buffer.concat([toMessage("R", Buffer.alloc(4)), toMessage("K", keys), toMessage("Z", Buffer.from("I"))]),
    );
    return client;
  }

  /** The request is for the session that the client has at this moment. */
  function cancel(pid: number, secret: number, stream: Socket): void {
    const session = [...clients].find((one) => one.pid === pid && one.secret === secret)?.session;
    if (!session) return void stream.end();
    const packet = Buffer.alloc(16);
    for (const [index, word] of [16, cancelCode, session.pid, session.secret].entries())
      packet.writeInt32BE(word | 0, index * 4);
    const sent = connect(placeOf(target));
    sent.on("error", () => undefined).on("close", () => stream.end());
    sent.end(packet);
  }

  const server = createServer({ noDelay: true }, (stream) => {
    let client: Client | null = null;
    const take = splitter(
      (message) => (client ? onMessage(client, message) : (client = onStart(stream, message))),
      () => client !== null,
    );
    stream.on("data", take);
    stream.on("error", () => undefined);
    stream.on("close", () => {
      if (!client) return;
      clients.delete(client);
      const place = queue.indexOf(client);
      if (place >= 0) queue.splice(place, 1);
      if (!client.session) return;
      // A session with a transaction that was not ended can't be used again.
      client.session.stream.destroy();
      void addSession().then(serve, () => undefined);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const url = new URL(databaseUrl);
  url.search = "";
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    close() {
      server.close();
      for (const { stream } of clients) stream.destroy();
      for (const { stream } of idle) stream.destroy();
    },
  };
}

function toMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Splits a stream into messages. The first ones of a client have no type. */
function splitter(onMessage: (message: Buffer) => void, isTyped: true | (() => boolean)): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const at = isTyped === true || isTyped() ? 1 : 0;
      if (rest.length < at + 4) return;
      const length = at + rest.readInt32BE(at);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(message);
    }
  };
}
