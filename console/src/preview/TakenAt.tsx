// Shows when a picture was taken. Also has a retry button for the picture next to settings.
import { Box, Button } from "@mui/material";
import { useRef } from "react";
import { Tip } from "../ui/feedback/Tip.tsx";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { formatZoneTime } from "../ui/time/ZoneClock.tsx";
import { previewText as text } from "./preview.text.ts";
import type { LastPicture } from "./useLastPicture.ts";

/** `at` is the time in ms by the sensor's clock, shown in the browser's time zone. The tooltip names the zone. */
export function TakenAt({ at }: { at: number }) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (
    <Tip text={() => formatExactTime(at, timeZone)}>
      <Box
        component="time"
        dateTime={new Date(at).toISOString()}
        sx={{ color: "text.secondary", fontVariantNumeric: "tabular-nums" }}
      >
        {formatZoneTime(at, timeZone)}
      </Box>
    </Tip>
  );
}

/** Fixed height, to avoid layout shift. */
export function LastPictureLine({ takenAt, retry }: Pick<LastPicture, "takenAt" | "retry">) {
  const line = useRef<HTMLDivElement>(null);
  return (
    <Box
      ref={line}
      tabIndex={-1}
      sx={{
        display: "flex",
        alignItems: "center",
        columnGap: 1,
        minHeight: 32,
        color: "text.secondary",
        "&:focus": { outline: "none" },
        "@media (pointer: coarse)": { minHeight: 44 },
      }}
    >
      {takenAt === null ? null : (
        <>
          {text.taken} <TakenAt at={takenAt} />
        </>
      )}
      {retry === null ? null : (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          onClick={() => {
            line.current?.focus();
            retry();
          }}
        >
          {text.retry}
        </Button>
      )}
    </Box>
  );
}
