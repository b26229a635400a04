// Local time of a location.
import { Box } from "@mui/material";
import { useNowEverySecond } from "../../ui/time/useNowEverySecond.ts";

/** "13:16"; empty if the zone is unknown. */
function clockWords(nowMs: number, timeZone: string | null): string {
  if (timeZone === null) return "";
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(nowMs);
  } catch {
    return "";
  }
}

export function LocalClock({ timeZone }: { timeZone: string | null }) {
  const now = useNowEverySecond(timeZone !== null);
  return (
    <Box component="span" sx={{ flex: "none", fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
      {clockWords(now, timeZone)}
    </Box>
  );
}
