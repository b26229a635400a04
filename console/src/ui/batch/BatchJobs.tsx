// Keeps batches whose dialog was closed, and shows a card for each.
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from "react";
import type { BatchTexts } from "./BatchOutcome.tsx";
import { CornerStack } from "../feedback/Toasts.tsx";
import type { BatchJob } from "./batchJob.ts";

/** Lazy, because most sessions run no batch. */
const BatchJobCard = lazy(async () => ({ default: (await import("./BatchJobCard.tsx")).BatchJobCard }));

export type BatchEntry = { job: BatchJob; title: string; texts: BatchTexts };
type BatchJobs = { adopt: (entry: BatchEntry) => void; release: (job: BatchJob) => void };

const BatchJobsContext = createContext<BatchJobs | null>(null);

/** `adopt` takes over a dialog's running job. Null without a provider. */
export function useBatchJobs(): BatchJobs | null {
  return useContext(BatchJobsContext);
}

/** Render once around the routes, inside `ToastProvider`. While a batch runs, the browser asks before closing the page. */
export function BatchJobsProvider({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState<readonly BatchEntry[]>([]);
  const api = useMemo<BatchJobs>(
    () => ({
      adopt: (entry) => setEntries((all) => [...all.filter((each) => each.job !== entry.job), entry]),
      release: (job) => setEntries((all) => all.filter((each) => each.job !== job)),
    }),
    [],
  );
  return (
    <BatchJobsContext value={api}>
      {children}
      {entries.length === 0 ? null : (
        <CornerStack side="left">
          <Suspense>
            {entries.map((entry, index) => (
              <BatchJobCard key={`${entry.title}${index}`} entry={entry} onDone={() => api.release(entry.job)} />
            ))}
          </Suspense>
        </CornerStack>
      )}
    </BatchJobsContext>
  );
}
