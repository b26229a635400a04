// Live clients of a campaign: they follow changes through a load balancer, and resume with their cursor at any process.
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import { type Product, signIn } from "../product.ts";

export type LiveReader = {
  /** Names of the locations that it received. */
  names: Set<string>;
  resumes: number;
  reloads: number;
  stop(): Promise<void>;
};

const pauseMs = 50;

export async function startLiveReader({ url }: Pick<Product, "url">): Promise<LiveReader> {
  const { token } = await signIn(url);
  const reader: LiveReader = { names: new Set(), resumes: 0, reloads: 0, stop };
  let since: string | null = null;
  let socket: WebSocket | null = null;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  /** Resolves when the connection has ended. */
  function connect(greet: () => void): Promise<void> {
    const query = since === null ? "" : `&since=${since}`;
    const opened = new WebSocket(`${url.replace("http", "ws")}/live?token=${token}${query}`);
    socket = opened;
    opened.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { type: string; obj?: { name?: string }; cursor: string };
      if (frame.type === "resync") reader.reloads += 1;
      if (frame.type === "hello" && since !== null) reader.resumes += 1;
      if (frame.type === "measurement" && frame.obj?.name) reader.names.add(frame.obj.name);
      ({ cursor: since } = frame);
      greet();
    });
    opened.on("error", () => undefined);
    return new Promise((resolve) => void opened.once("close", () => resolve()));
  }

  async function stop(): Promise<void> {
    stopped = true;
    socket?.close();
    await running;
  }

  await new Promise<void>((greeted) => {
    running = (async () => {
      while (!stopped) {
        await connect(greeted);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    })();
  });
  return reader;
}

/** Names that were acknowledged and that the reader has not received. */
export function findUnseen(ledger: string, { names }: Pick<LiveReader, "names">): string[] {
  const acknowledged = readFileSync(ledger, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("rest "));
  return acknowledged.map((line) => line.slice("rest ".length)).filter((name) => !names.has(name));
}
