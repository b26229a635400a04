// The header's tabs of the signed-in account, with the two facts that only the data knows.
import { createSet } from "@psp/contract/permission/can.ts";
import { useMemo } from "react";
import { useMonitoringLicense } from "../session/useMonitoringLicense.ts";
import { useActor } from "../session/session.tsx";
import { useHoldsAnybody } from "../session/useCan.ts";
import { type Tab, tabsOf } from "./tabs.ts";

export function useTabs(): Tab[] {
  const actor = useActor();
  const hasLicense = useMonitoringLicense() === true;
  const mayCreateToken = useHoldsAnybody(useMemo(() => createSet(actor, "sensor"), [actor])) === true;
  return useMemo(() => tabsOf(actor, { hasLicense, mayCreateToken }), [actor, hasLicense, mayCreateToken]);
}
