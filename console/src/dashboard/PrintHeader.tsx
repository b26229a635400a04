// Header of a printed dashboard.
import { useUser } from "../api/session/session.tsx";
import { PaperOnly } from "../ui/PaperOnly.tsx";
import { formatExactTime, useNow } from "../ui/time/RelativeTime.tsx";
import { dashboardText } from "./dashboard.text.ts";

export function PrintHeader() {
  const { name } = useUser();
  return <PaperOnly>{dashboardText.printed(name, formatExactTime(useNow()))}</PaperOnly>;
}
