// Where "/" leads, and the dashboard's condition (SH-07): not needed before somebody is signed in.
import { Outlet } from "@tanstack/react-router";
import { Redirect } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LoadingPage } from "../address/StandIns.tsx";
import { useActor } from "../session/session.tsx";
import { useMonitoringLicense } from "../session/useMonitoringLicense.ts";
import { homePath } from "./tabs.ts";

/** "/" leads to the dashboard where it may be seen, else to the first page of the account (SH-07). */
export function HomeRedirect() {
  const home = homePath(useActor());
  const licensed = useMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return <Redirect to={licensed ? paths.dashboard : home} />;
}

/** Lets only those see the dashboard who may; others are led home (SH-07). */
export function DashboardGate() {
  const home = homePath(useActor());
  const licensed = useMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return licensed ? <Outlet /> : <Redirect to={home} />;
}
