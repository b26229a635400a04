// Divides long computations into short turns of the event loop, so that they hardly delay calls.
import { setImmediate, setTimeout } from "node:timers/promises";

/** A call needs several turns of the event loop, and waits for one of these turns each time. */
const turnMs = 0.3;
/** While calls are being answered, they get this multiple of each turn. Timers round up to whole milliseconds. */
const restShare = 4;
/** A turn that waited for the database only seems long. */
const maxRestMs = 5;
/** For so long after a call the next one is expected. */
const graceMs = 10;

let answering = 0;
let lastAnswerMs = -Infinity;

/** Call before answering a short call, and the returned function after it. */
export function beginAnswer(): () => void {
  answering += 1;
  return () => {
    answering -= 1;
    lastAnswerMs = performance.now();
  };
}

/** The present rest, which all computations share, because otherwise one would work while another rests. */
let resting: Promise<void> | null = null;

/** Returns a function to await between two pieces of work. It rests when the turn has lasted long enough. */
export function createTurns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    const lastedMs = performance.now() - began;
    if (resting === null && lastedMs < turnMs) return undefined;
    resting ??= rest(lastedMs).finally(() => void (resting = null));
    return resting.then(() => void (began = performance.now()));
  };
}

function rest(lastedMs: number): Promise<void> {
  const isBusy = answering > 0 || performance.now() - lastAnswerMs < graceMs;
  return isBusy ? setTimeout(Math.min(restShare * lastedMs, maxRestMs)) : setImmediate();
}
