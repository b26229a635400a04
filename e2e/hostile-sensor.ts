// A sensor in the hands of a journey that means harm: enrolled like any other, it serves whatever the journey says through its tunnel.
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { type AddressInfo, connect } from "node:net";

export type Serve = (request: Http2ServerRequest, reply: Http2ServerResponse) => void;

/** Enrols at the product with this init token and opens its tunnel; the result ends it. */
export async function openHostileSensor(baseUrl: string, token: string, id: string, serve: Serve): Promise<() => void> {
  const reply = await fetch(`${baseUrl}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, id, type: "APS", nonce: "n", time: Date.now() }),
  });
  if (reply.status !== 201) throw new Error(`enrollment answered ${reply.status}`);
  const { mqtt } = (await reply.json()) as { mqtt: { username: string; password: string } };
  const server = createServer((request, answer) => {
    answer.stream.on("error", () => undefined);
    serve(request, answer);
  });
  server.on("sessionError", () => undefined);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const authorization = `Basic ${Buffer.from(`${mqtt.username}:${mqtt.password}`).toString("base64")}`;
  // Node's WebSocket takes headers, which a browser's does not.
  const options = { headers: { authorization } } as unknown as string[];
  const socket = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/device/tunnel`, options);
  socket.binaryType = "arraybuffer";
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  near.on("error", () => near.destroy());
  // The server speaks first: what comes early waits in the socket.
  socket.addEventListener("message", ({ data }) => near.write(Buffer.from(data as ArrayBuffer)));
  near.on("data", (piece) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(piece);
  });
  near.pause();
  socket.addEventListener("open", () => near.resume());
  socket.addEventListener("close", () => near.destroy());
  return () => {
    socket.close();
    near.destroy();
    server.close();
  };
}
