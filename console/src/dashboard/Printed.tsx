// The line that a printed dashboard begins with.
import { useUser } from "../session/session.tsx";
import { PaperOnly } from "../ui/PaperOnly.tsx";
import { exactWords, useNow } from "../ui/time/RelativeTime.tsx";
import { dashboardText } from "./dashboard.text.ts";

/** Whose numbers these are and of when: on paper they do not change any more. */
export function Printed() {
  const { name } = useUser();
  return <PaperOnly>{dashboardText.printed(name, exactWords(useNow()))}</PaperOnly>;
}
