// Starts the parts of the process in list order, and stops them.
import type { Logger } from "pino";
import type { Config, PartName } from "../config.ts";
import type { Context } from "../context.ts";
import type { UpgradeGuard } from "./upgrade.ts";

export type RunningPart = {
  stop(): Promise<void> | void;
  /** Announcements may have been lost, so that everything must be loaded again. */
  missed?: (() => Promise<void> | void) | undefined;
  /** Messages of other processes may have been lost. */
  messagesLost?: (() => Promise<void> | void) | undefined;
  /** True, or what is missing, for the log. While a part is not ready, load balancers send no traffic to the process. */
  isReady?: (() => true | string) | undefined;
  /** Closes open connections evenly within this time, and refuses new ones. Called before `stop`. */
  drain?: ((withinMs: number) => Promise<void> | void) | undefined;
};
export type Part<Host> = {
  name: string;
  runsIn: readonly PartName[];
  /** Paths of the part's WebSockets. A path that ends with a slash includes all paths below it. */
  upgrades?(config: Config): readonly string[];
  /** Runs before anything listens. */
  prepare?(ctx: Context): Promise<void>;
  /** Returns null if there is nothing to run. */
  start(host: Host): Promise<RunningPart | null> | RunningPart | null;
};

const runsHere = ({ parts }: Pick<Config, "parts">, { runsIn }: Part<never>) => runsIn.some((name) => parts.has(name));

export function listUpgradePaths(config: Config, parts: readonly Part<never>[]): Set<string> {
  return new Set(parts.flatMap((part) => (runsHere(config, part) ? (part.upgrades?.(config) ?? []) : [])));
}

/** A stack of running parts. */
export function createRunningParts(log: Logger) {
  const all: RunningPart[] = [];
  async function end(running: RunningPart): Promise<void> {
    try {
      await running.stop();
    } catch (error) {
      log.error({ err: error }, "a part did not stop cleanly");
    }
  }
  function forEach(makeGood: (one: RunningPart) => Promise<void> | void): void {
    for (const one of all)
      void Promise.resolve(makeGood(one)).catch((error: unknown) =>
        log.warn({ err: error }, "missed events were not made good"),
      );
  }
  return {
    add: (running: RunningPart) => void all.push(running),
    /** Stops one after another, for parts that need earlier ones until they have stopped. The last one added is stopped first. */
    async stop(): Promise<void> {
      for (const one of all.splice(0).toReversed()) await end(one);
    },
    /** Stops all at the same time, so that the slowest one decides how long it takes. */
    async stopAtOnce(): Promise<void> {
      await Promise.all(all.splice(0).toReversed().map(end));
    },
    missed: () => forEach((one) => one.missed?.()),
    messagesLost: () => forEach((one) => one.messagesLost?.()),
    findMissing(): string[] {
      return all.map((one) => one.isReady?.() ?? true).filter((answer) => answer !== true);
    },
    async drain(withinMs: number): Promise<void> {
      await Promise.allSettled(all.map(async (one) => one.drain?.(withinMs)));
    },
  };
}

export async function prepareParts(parts: readonly Part<never>[], ctx: Context): Promise<void> {
  for (const part of parts) if (runsHere(ctx.config, part)) await part.prepare?.(ctx);
}

/** Starts the parts of this process; each accepts upgrades until it is stopped. They stop at the same time. */
export async function startParts<Host extends { ctx: { log: Logger }; config: Config; upgrades: UpgradeGuard }>(
  parts: readonly Part<Host>[],
  host: Host,
  running: { add(running: RunningPart): void },
): Promise<void> {
  const all = createRunningParts(host.ctx.log);
  running.add({
    missed: all.missed,
    messagesLost: all.messagesLost,
    isReady: () => all.findMissing()[0] ?? true,
    drain: all.drain,
    stop: all.stopAtOnce,
  });
  for (const part of parts) {
    if (!runsHere(host.config, part)) continue;
    const started = await part.start(host);
    if (started === null) continue;
    const paths = part.upgrades?.(host.config) ?? [];
    for (const path of paths) host.upgrades.open(path);
    all.add({
      missed: started.missed,
      messagesLost: started.messagesLost,
      isReady: started.isReady,
      drain: started.drain,
      stop() {
        for (const path of paths) host.upgrades.shut(path);
        return started.stop();
      },
    });
  }
}
