// Lets only those see the dashboard who may; others are led home (SH-07).
import { Outlet } from "@tanstack/react-router";
import { Redirect } from "../address/navigation.tsx";
import { useMonitoringLicense } from "../session/useMonitoringLicense.ts";
import { useActor } from "../session/session.tsx";
import { LoadingPage } from "../address/StandIns.tsx";
import { homePath } from "./tabs.ts";

export function DashboardGate() {
  const actor = useActor();
  const licensed = useMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return licensed ? <Outlet /> : <Redirect to={homePath(actor)} />;
}
