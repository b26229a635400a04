// Progress of a long task: bar, count, rate and time left. Screen readers announce the count every ten percent.
import { Box, LinearProgress } from "@mui/material";
import { useEffect, useState } from "react";
import { formatSeconds, estimateProgress } from "./batchRun.ts";
import { visuallyHidden } from "../visuallyHidden.ts";

/** `startedAt` in ms. The bar is indeterminate until there is progress. */
export function BatchProgress({ done, total, startedAt }: { done: number; total: number; startedAt: number }) {
  const [now, setNow] = useState(startedAt);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const percent = total === 0 ? 0 : Math.min(100, (done / total) * 100);
  const speed = estimateProgress(done, total, now - startedAt);
  const format = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  return (
    <Box sx={{ py: 2 }}>
      <LinearProgress
        aria-label="Progress"
        variant={done === 0 ? "indeterminate" : "determinate"}
        {...(done === 0 ? {} : { value: Math.round(percent) })}
      />
      <Box
        sx={{
          display: "flex",
          justifyContent: "space-between",
          mt: 2,
          color: "text.secondary",
          fontVariantNumeric: "tabular-nums",
          minHeight: 20,
        }}
      >
        <span>
          {done === 0 ? `Saving ${format.format(total)} …` : `${format.format(done)} of ${format.format(total)}`}
        </span>
        <span>
          {speed === null
            ? ""
            : `${format.format(speed.perSecond)} per second, ${formatSeconds(speed.secondsLeft)} left`}
        </span>
      </Box>
      <span role="status" style={visuallyHidden}>{`${Math.floor(percent / 10) * 10} percent done`}</span>
    </Box>
  );
}
