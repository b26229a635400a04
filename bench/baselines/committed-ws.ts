// Baseline for a live channel that stores each change: an HTTP call and one committed statement before the broadcast, without sessions,
// rights and audit. Usage: `node committed-ws.ts PORT DATABASE_URL`.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import pg from "pg";
import { WebSocketServer } from "ws";

const db = new pg.Client(process.argv[3]);
await db.connect();
await db.query("create table bench_change (message text); insert into bench_change values ('')");

const server = createServer((request, response) => {
  void (async () => {
    const message = await text(request);
    await db.query({ name: "change", text: "update bench_change set message = $1", values: [message] });
    response.end();
    for (const socket of sockets.clients) socket.send(message);
  })();
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => process.stdout.write("ready\n"));
