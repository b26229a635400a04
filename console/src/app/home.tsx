// Redirects "/" and guards the dashboard (SH-07). Lazy, because both need a signed-in user.
import { Outlet } from "@tanstack/react-router";
import { Redirect } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LoadingPage } from "../address/FallbackPages.tsx";
import { useActor } from "../api/session/session.tsx";
import { useHasMonitoringLicense } from "../api/session/useHasMonitoringLicense.ts";
import { vehiclesPath } from "../vehicle/vehicles-path.ts";
import { homePath } from "./tabs.ts";

/** To the dashboard if permitted, else to the first permitted page (SH-07). */
export function HomeRedirect() {
  const home = homePath(useActor());
  const licensed = useHasMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return <Redirect to={licensed ? paths.dashboard : home} />;
}

/** Redirects users who may not see the dashboard (SH-07). */
export function DashboardGate() {
  const home = homePath(useActor());
  const licensed = useHasMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return licensed ? <Outlet /> : <Redirect to={home} />;
}

/** Short address of the vehicles. */
export const VehiclesRedirect = () => <Redirect to={vehiclesPath} />;
