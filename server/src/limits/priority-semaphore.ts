// Lets this much of one kind of work run at a time; waiting callers queue by rank, in queues of bounded length.
import { tooMany } from "../kit/app-error.ts";

const retryAfterS = 5;

/** `lines`: how many may wait in each queue, those of higher rank first; a caller whose line is full is refused (429). */
export function createPrioritySemaphore<Line extends string>(max: number, lines: Readonly<Record<Line, number>>) {
  const waiting = new Map(Object.keys(lines).map((line): [string, (() => void)[]] => [line, []]));
  let running = 0;
  return async <T>(line: Line, work: () => Promise<T>): Promise<T> => {
    if (running >= max) {
      const mine = waiting.get(line) ?? [];
      if (mine.length >= lines[line]) throw tooMany(retryAfterS);
      await new Promise<void>((resolve) => void mine.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place is passed on rather than freed, so no one slips in between.
      const next = [...waiting.values()].find((one) => one.length > 0)?.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
