// Load and statistics: a closed loop of clients over kept-alive connections, and medians of interleaved rounds.
import { Agent, request } from "node:http";

export type Target = { url: string; headers?: Record<string, string> };

/** Answers per second of `clients` clients that each ask again as soon as they were answered, for `ms` milliseconds. */
export async function rate(target: Target, clients: number, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const until = performance.now() + ms;
  const from = performance.now();
  let answers = 0;
  const loop = async () => {
    while (performance.now() < until) {
      await ask(target, agent);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  agent.destroy();
  return answers / ((performance.now() - from) / 1000);
}

/** One answer, read to its end; throws unless it is 200. */
export function ask(target: Target, agent?: Agent): Promise<number> {
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

/** Ours and the baseline in turn, `rounds` times, so that a noisy minute hits both. Answers both medians. */
export async function paired(rounds: number, ours: () => Promise<number>, baseline: () => Promise<number>) {
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    mine.push(await ours());
    theirs.push(await baseline());
  }
  return { ours: median(mine), baseline: median(theirs) };
}

export type Row = { call: string; ours: number; baseline: number; unit: string; goal: number | null };

/** One line of the report; the ratio is what counts. */
export function report({ call, ours, baseline, unit, goal }: Row): string {
  const ratio = ours / baseline;
  const verdict = goal === null ? "" : ratio >= goal ? `  ≥ ${goal} ok` : `  below ${goal}`;
  const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
  return `${call.padEnd(44)} ${figure(ours).padStart(10)} / ${figure(baseline).padStart(10)} ${unit.padEnd(8)} = ${ratio.toFixed(2)}${verdict}`;
}
