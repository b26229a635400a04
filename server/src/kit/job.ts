// The interface of scheduled jobs (jobs/scheduler.ts).
import type { BusEvents } from "./bus.ts";

export type Job = {
  name: string;
  /** Interval on the server's clock; the job also runs at the start. */
  everyMs: number;
  /** Also runs soon after this event. */
  wakeOn?: keyof BusEvents;
  /** Must be idempotent; long runs stop at their next step when `stopping` is aborted. */
  run(stopping?: AbortSignal): Promise<void>;
  close?(): void;
};
