// Shows the progress of batches whose dialog was closed, and then their outcome.
import { Box, Button, Paper, Typography } from "@mui/material";
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import type { BatchTexts } from "./BatchOutcome.tsx";
import { CornerStack, useToasts } from "../feedback/Toasts.tsx";
import { useBeforeUnload } from "../form/DirtyGuard.ts";
import type { BatchJob } from "./batchJob.ts";
import { classifyOutcome } from "./batchRun.ts";

/** Lazy, because most sessions run no batch. A batch's dialog has usually loaded this chunk already. */
const BatchStep = lazy(async () => ({ default: (await import("./BatchOutcome.tsx")).BatchStatus }));

type Entry = { job: BatchJob; title: string; texts: BatchTexts };
type BatchJobs = { adopt: (entry: Entry) => void; release: (job: BatchJob) => void };

const BatchJobsContext = createContext<BatchJobs | null>(null);

/** `adopt` takes over a dialog's running job. Null without a provider. */
export function useBatchJobs(): BatchJobs | null {
  return useContext(BatchJobsContext);
}

/** Render once around the routes, inside `ToastProvider`. While a batch runs, the browser asks before closing the page. */
export function BatchJobsProvider({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
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
          {entries.map((entry, index) => (
            <JobCard key={`${entry.title}${index}`} entry={entry} onDone={() => api.release(entry.job)} />
          ))}
        </CornerStack>
      )}
    </BatchJobsContext>
  );
}

function JobCard({ entry, onDone }: { entry: Entry; onDone: () => void }) {
  const { job, title, texts } = entry;
  const state = useSyncExternalStore(job.subscribe, job.getState);
  const toasts = useToasts();
  const running = state.step === "saving";
  const isOver = state.step === "idle" || (state.step === "done" && classifyOutcome(state) === "success");
  useBeforeUnload(running);
  useEffect(() => {
    if (!isOver) return;
    if (state.step === "done") toasts.success(texts.success(state.result.success));
    else toasts.error({ title: texts.failedTitle, text: "The selection has changed." });
    onDone();
  }, [isOver, state, texts, toasts, onDone]);
  if (isOver) return null;
  return (
    <Paper
      variant="outlined"
      role="region"
      aria-label={title}
      sx={{ p: 4, borderRadius: "8px", boxShadow: "0 8px 28px rgb(6 20 18 / 0.16)" }}
    >
      <Typography variant="h3" component="p" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Suspense>
        <BatchStep state={state} texts={texts} />
      </Suspense>
      <Box sx={{ display: "flex", justifyContent: "flex-end", gap: 2, mt: 2 }}>
        {running ? (
          <Button size="small" color="inherit" variant="outlined" onClick={job.cancel}>
            Cancel
          </Button>
        ) : (
          <>
            {state.result.fail.length === 0 ? null : (
              <Button size="small" color="inherit" variant="outlined" onClick={job.retry}>
                Retry failed
              </Button>
            )}
            <Button size="small" color="inherit" onClick={onDone}>
              Close
            </Button>
          </>
        )}
      </Box>
    </Paper>
  );
}
