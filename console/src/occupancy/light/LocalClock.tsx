// The hour and the minute at a location.
import { Box } from "@mui/material";
import { useEffect, useState } from "react";

/** "13:16"; nothing where the zone is not known, or not to this browser. */
function clockWords(nowMs: number, timeZone: string | null): string {
  if (timeZone === null) return "";
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(nowMs);
  } catch {
    return "";
  }
}

export function LocalClock({ timeZone }: { timeZone: string | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      setNow(Date.now());
      timer = setTimeout(tick, 1000 - (Date.now() % 1000));
    };
    tick();
    return () => clearTimeout(timer);
  }, []);
  return (
    <Box component="span" sx={{ flex: "none", fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
      {clockWords(now, timeZone)}
    </Box>
  );
}
