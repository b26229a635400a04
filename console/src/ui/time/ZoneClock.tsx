// A ticking clock of another time zone: dd.MM.yyyy HH:mm:ss, or a dash if the zone is unknown.
import { Box } from "@mui/material";
import { Tip } from "../feedback/Tip.tsx";
import { useNowEverySecond } from "./useNowEverySecond.ts";

/** `20.11.2026 13:16:23` in the zone; "-" if the zone is null or unknown to the browser. */
export function formatZoneTime(nowMs: number, timeZone: string | null): string {
  if (timeZone === null) return "-";
  try {
    const format = new Intl.DateTimeFormat("de-DE", {
      timeZone,
      day: "2-digit",
      month: "2-digit",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    return format.format(nowMs).replace(",", "");
  } catch {
    return "-";
  }
}

export function ZoneClock({ timeZone }: { timeZone: string | null }) {
  const now = useNowEverySecond(timeZone !== null);
  return (
    <Tip text={timeZone ?? "The location has no time zone"}>
      <Box component="span" sx={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
        {formatZoneTime(now, timeZone)}
      </Box>
    </Tip>
  );
}
