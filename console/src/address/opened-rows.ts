// Remembers the opened row of a list per history entry, to restore it on Back.
import { useRouter } from "@tanstack/react-router";
import { useCallback, useState } from "react";

const openedAt = new Map<string, string>();

export function useOpenedRow() {
  const router = useRouter();
  const step = useCallback(() => router.state.location.state.__TSR_key ?? "", [router]);
  const [opened] = useState(() => openedAt.get(step()));
  const note = useCallback((id: string) => void openedAt.set(step(), id), [step]);
  return { opened, note };
}
