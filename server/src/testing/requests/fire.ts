// Sends fuzzed requests over keep-alive connections, and reads only the beginning of endless responses.
import { Agent, request } from "node:http";
import type { Answer } from "./failure.ts";
import type { Shot } from "./fuzz.ts";
import { stopwatch } from "../devices/stopwatch.ts";

const enough = 4_000_000;
/** Counts only the time during which this process could run. */
const timeoutMs = 5_000;

export type Fire = (shot: Shot, token: string | null) => Promise<Answer>;

export function createFire(base: string, parallel: number): { fire: Fire; stop(): void } {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const lived = stopwatch();
  const fire: Fire = (shot, token) =>
    new Promise((resolve, reject) => {
      const body = shot.body === null ? null : Buffer.from(shot.body);
      const headers: Record<string, string> = {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body ? { "content-length": String(body.length) } : {}),
        ...shot.headers,
      };
      const sent = request({ hostname, port, agent, method: shot.method, path: shot.path, headers }, (reply) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const done = () =>
          resolve({
            status: reply.statusCode ?? 0,
            contentType: reply.headers["content-type"] ?? "",
            requestId: String(reply.headers["x-request-id"] ?? ""),
            text: size > enough ? "[]" : Buffer.concat(chunks).toString("utf8"),
          });
        reply.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= enough) return;
          done();
          reply.destroy();
        });
        reply.on("end", done);
        reply.on("error", (error) => (size > enough ? undefined : reject(error)));
      });
      const begunAt = lived();
      const watch = setInterval(() => {
        if (lived() - begunAt > timeoutMs) sent.destroy(new Error(`no answer within ${timeoutMs} ms`));
      }, 500);
      sent.on("close", () => clearInterval(watch));
      sent.on("error", reject);
      sent.end(body ?? undefined);
    });
  return { fire, stop: () => agent.destroy() };
}
