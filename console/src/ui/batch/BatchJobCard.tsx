// Shows the progress of a batch whose dialog was closed, and then its outcome.
import { Box, Button, Paper, Typography } from "@mui/material";
import { useEffect, useSyncExternalStore } from "react";
import { useToasts } from "../feedback/Toasts.tsx";
import { useBeforeUnload } from "../form/DirtyGuard.ts";
import type { BatchEntry } from "./BatchJobs.tsx";
import { BatchStatus } from "./BatchOutcome.tsx";
import { classifyOutcome } from "./batchRun.ts";

export function BatchJobCard({ entry, onDone }: { entry: BatchEntry; onDone: () => void }) {
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
      <BatchStatus state={state} texts={texts} />
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
