// Header of a printed dashboard.
import { useUser } from "../api/session/session.tsx";
import { PrintOnly } from "../ui/PrintOnly.tsx";
import { formatExactTime, useNow } from "../ui/time/RelativeTime.tsx";
import { dashboardText } from "./dashboard.text.ts";

export function PrintHeader() {
  const { name } = useUser();
  return <PrintOnly>{dashboardText.printed(name, formatExactTime(useNow()))}</PrintOnly>;
}
