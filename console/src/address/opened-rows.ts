// Which row of a list was opened, for the way back to it. Each step of the history has its own: the same list reached by a
// link begins at its top.
import { useRouter } from "@tanstack/react-router";
import { useCallback, useState } from "react";

const openedAt = new Map<string, string>();

/** The row that was opened when the list was left, and how to note one. */
export function useOpenedRow() {
  const router = useRouter();
  const step = useCallback(() => router.state.location.state.__TSR_key ?? "", [router]);
  const [opened] = useState(() => openedAt.get(step()));
  const note = useCallback((id: string) => void openedAt.set(step(), id), [step]);
  return { opened, note };
}
