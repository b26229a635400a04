// The header's tabs of the signed-in account, with the two facts that only the data knows.
import { useMemo } from "react";
import { useMonitoringLicense } from "../session/useMonitoringLicense.ts";
import { useActor } from "../session/session.tsx";
import { useMayCreate } from "../session/useCan.ts";
import { type Tab, tabsOf } from "./tabs.ts";

export function useTabs(): Tab[] {
  const actor = useActor();
  // While it isn't known the page itself waits: a tab that greys out and comes back would be noise.
  const hasLicense = useMonitoringLicense() !== false;
  const mayCreateToken = useMayCreate("sensor") === true;
  return useMemo(() => tabsOf(actor, { hasLicense, mayCreateToken }), [actor, hasLicense, mayCreateToken]);
}
