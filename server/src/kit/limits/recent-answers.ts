// Reuses expensive answers for less than a second, so that their cost does not grow with the number of requests.
import { createSingleFlight } from "./single-flight.ts";

/** Less than the second for which consoles collect changes, so that a refetch after a change never gets an answer from before it. */
const maxAgeMs = 900;
const maxAnswers = 1_000;

type Answer<T> = { key: string; value: T; begunAt: number };
type Options<T> = {
  /** Only such answers are reused. */
  isExpensive(value: T): boolean;
  /** Resolves once `forget` was called for all changes from before the call. */
  catchUp(): Promise<void>;
  /** In milliseconds. */
  now?: () => number;
};

/**
 * Keeps the last answer of each asker. `key` must contain everything that decides the answer. `forget` drops the answer of an asker, who must
 * see their own changes; answers that are being computed then are not reused either.
 */
export function createRecentAnswers<T>({ isExpensive, catchUp, now = () => performance.now() }: Options<T>) {
  const flight = createSingleFlight<T>();
  const answers = new Map<string, Answer<T>>();
  const running = new Set<{ asker: string; isOutdated: boolean }>();

  function keep(asker: string, answer: Answer<T>): void {
    answers.delete(asker);
    answers.set(asker, answer);
    const [oldest] = answers.keys();
    if (oldest !== undefined && answers.size > maxAnswers) answers.delete(oldest);
  }

  return {
    async get(asker: string, key: string, compute: () => Promise<T>): Promise<T> {
      const known = answers.get(asker);
      if (known?.key === key && now() - known.begunAt <= maxAgeMs) {
        await catchUp();
        if (answers.get(asker) === known) return known.value;
      }
      return flight(`${asker} ${key}`, async () => {
        const run = { asker, isOutdated: false };
        running.add(run);
        try {
          const begunAt = now();
          const value = await compute();
          if (!run.isOutdated && isExpensive(value)) keep(asker, { key, value, begunAt });
          return value;
        } finally {
          running.delete(run);
        }
      });
    },
    forget(asker: string): void {
      answers.delete(asker);
      for (const run of running) if (run.asker === asker) run.isOutdated = true;
    },
  };
}
