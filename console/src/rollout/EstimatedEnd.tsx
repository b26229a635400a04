// Estimated end of a rollout, from the pace of recent installations (ADR 0019).
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { Box } from "@mui/material";
import { formatRelativeTime, useNow } from "../ui/time/RelativeTime.tsx";
import { rolloutText as text } from "./rollout.text.ts";

export function EstimatedEnd({ rollout }: { rollout: Rollout }) {
  const now = useNow();
  const { waiting, paused, installing, offline, recentlyDone, estimatedEndAt } = rollout;
  const there = waiting + installing - offline;
  if (there + offline + paused === 0) return null;
  const notes = [
    ...(there === 0 ? [] : [text.endPace(recentlyDone)]),
    ...(offline + paused === 0 ? [] : [text.endLeftOut(offline, paused)]),
  ];
  return (
    <Box>
      <Box>
        <Box component="span" sx={{ color: "text.secondary" }}>
          {text.end}
        </Box>{" "}
        <strong>
          {there === 0 ? text.endNothing : estimatedEndAt === null ? text.endUnknown : endWords(estimatedEndAt, now)}
        </strong>
      </Box>
      <Box sx={{ color: "text.secondary" }}>{notes.join(" ")}</Box>
    </Box>
  );
}

/** Such as "14:35, in about 12 minutes"; with the date if it isn't today. */
function endWords(iso: string, now: number): string {
  const at = Date.parse(iso);
  const day = (ms: number) => new Date(ms).toDateString();
  const time = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(day(at) === day(now) ? {} : { day: "numeric", month: "short" }),
  }).format(at);
  const words = formatRelativeTime(at, now);
  return text.endAt(time, words.startsWith("in ") ? words.replace("in ", "in about ") : text.endNow);
}
