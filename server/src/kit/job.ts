// A named job of the scheduler (jobs/scheduler.ts).
import type { BusEvents } from "./bus.ts";

export type Job = {
  name: string;
  /** Runs at the start and then again after this time on the product's clock. */
  everyMs: number;
  /** Also runs soon after this event. */
  wakeOn?: keyof BusEvents;
  /** Must be safe to run again at any time; what takes long ends at its next step once the scheduler stops. */
  run(stopping?: AbortSignal): Promise<void>;
  close?(): void;
};
