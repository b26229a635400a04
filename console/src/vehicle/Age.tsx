// How long ago something was, e.g. "12 s ago", updated every second.
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { useNowEverySecond } from "../ui/time/useNowEverySecond.ts";
import { formatAge } from "./vehicle.rules.ts";
import { vehicleText as text } from "./vehicle.text.ts";

export function Age({ at }: { at: string }) {
  const now = useNowEverySecond(true);
  return (
    <time dateTime={at} title={formatExactTime(Date.parse(at))} style={{ whiteSpace: "nowrap" }}>
      {text.ago(formatAge(at, now))}
    </time>
  );
}
