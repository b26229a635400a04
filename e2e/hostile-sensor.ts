// A malicious sensor, which is properly enrolled and serves arbitrary content through its tunnel.
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { type AddressInfo, connect } from "node:net";

export type RequestHandler = (request: Http2ServerRequest, reply: Http2ServerResponse) => void;

/** Enrolls with this init token and opens the tunnel. The returned function closes the tunnel and ends the sensor. */
export async function openHostileSensor(
  baseUrl: string,
  token: string,
  id: string,
  serve: RequestHandler,
): Promise<() => void> {
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
  // Node's WebSocket accepts headers, unlike the browser's.
  const options = { headers: { authorization } } as unknown as string[];
  const socket = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/device/tunnel`, options);
  socket.binaryType = "arraybuffer";
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  near.on("error", () => near.destroy());
  // The server sends first, so early messages must be buffered.
  socket.addEventListener("message", ({ data }) => near.write(Buffer.from(data as ArrayBuffer)));
  near.on("data", (chunk) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(chunk);
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
