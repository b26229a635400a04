// Sends one HTTP request exactly as written, without normalization.
import { request } from "node:http";

export type RawReply = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

export function rawRequest(
  base: string,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const length: Record<string, string> =
    options.body === undefined ? {} : { "content-length": String(Buffer.byteLength(options.body)) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...length, ...options.headers }, agent: false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("end", () =>
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
        reply.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(options.body);
  });
}
