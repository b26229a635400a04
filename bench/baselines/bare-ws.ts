// Baseline for the live channel: broadcasts every frame to every socket, without permissions or database. Usage:
// `node bare-ws.ts PORT`.
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ port: Number(process.argv[2] ?? 0), host: "127.0.0.1", perMessageDeflate: false });
server.on("connection", (socket) => {
  socket.on("message", (data: Buffer) => {
    const text = data.toString("utf8");
    for (const other of server.clients) other.send(text);
  });
});
server.on("listening", () => process.stdout.write("ready\n"));
