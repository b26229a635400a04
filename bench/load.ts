// Generates load with closed-loop clients over keep-alive connections, and compares the medians of alternating rounds.
import { Agent, request } from "node:http";

export type Target = { url: string; headers?: Record<string, string> };

/** Measures responses per second. Each client sends its next request once it has the response to the previous one. */
export async function measureRate(target: Target, clients: number, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const until = performance.now() + ms;
  const from = performance.now();
  let answers = 0;
  const loop = async () => {
    while (performance.now() < until) {
      await fetchBody(target, agent);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  agent.destroy();
  return answers / ((performance.now() - from) / 1000);
}

/** Reads the whole response and returns its size in bytes; throws unless the status is 200. */
export function fetchBody(target: Target, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(target.url, { headers: target.headers ?? {}, ...(agent ? { agent } : {}) }, (reply) => {
      let bytes = 0;
      reply.on("data", (chunk: Buffer) => (bytes += chunk.length));
      reply.on("end", () =>
        reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`${target.url} → ${reply.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Measures both sides in turn, so that load peaks affect both. Returns the medians. */
export async function measureAlternately(rounds: number, ours: () => Promise<number>, baseline: () => Promise<number>) {
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    mine.push(await ours());
    theirs.push(await baseline());
  }
  return { ours: median(mine), baseline: median(theirs) };
}

export type BenchRow = { call: string; ours: number; baseline: number; unit: string; goal: number | null };

export function formatRow({ call, ours, baseline, unit, goal }: BenchRow): string {
  const ratio = ours / baseline;
  const verdict = goal === null ? "" : ratio >= goal ? `  ≥ ${goal} ok` : `  below ${goal}`;
  const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
  return `${call.padEnd(44)} ${figure(ours).padStart(10)} / ${figure(baseline).padStart(10)} ${unit.padEnd(8)} = ${ratio.toFixed(2)}${verdict}`;
}
