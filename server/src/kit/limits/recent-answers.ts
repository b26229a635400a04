// Reuses expensive answers for less than a second, so that their cost does not grow with the number of requests.
import { createSingleFlight } from "./single-flight.ts";

/** Less than the second for which consoles collect changes, so that a refetch after a change never gets an answer from before it. */
const maxAgeMs = 900;
const maxAnswers = 1_000;

type Answer<T> = { value: T; begunAt: number };

/**
 * `key` must contain everything that decides the answer. `forget` drops the answers of an asker, who must see their own changes;
 * requests that are running then are not reused either. Only answers that are `isExpensive` are reused. `now` is in milliseconds.
 */
export function createRecentAnswers<T>(isExpensive: (value: T) => boolean, now = () => performance.now()) {
  const flight = createSingleFlight<T>();
  const answers = new Map<string, Map<string, Answer<T>>>();
  const idOf = (asker: string, key: string) => `${asker} ${key}`;

  return {
    async get(asker: string, key: string, compute: () => Promise<T>): Promise<T> {
      const known = answers.get(asker)?.get(key);
      if (known && now() - known.begunAt <= maxAgeMs) return known.value;
      return flight(idOf(asker, key), async () => {
        const begunAt = now();
        const ofAsker = answers.getOrInsertComputed(asker, () => new Map());
        const value = await compute();
        // The asker may have changed something meanwhile.
        if (isExpensive(value) && answers.get(asker) === ofAsker) ofAsker.set(key, { value, begunAt });
        if (answers.size > maxAnswers) answers.delete(answers.keys().next().value ?? "");
        return value;
      });
    },
    forget: (asker: string) => void answers.delete(asker),
  };
}
