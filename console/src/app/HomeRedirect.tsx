// Where "/" leads: the dashboard where it may be seen, else the first page of the account (SH-07).
import { Redirect } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useMonitoringLicense } from "../session/useMonitoringLicense.ts";
import { useActor } from "../session/session.tsx";
import { LoadingPage } from "../address/StandIns.tsx";
import { homePath } from "./tabs.ts";

export function HomeRedirect() {
  const actor = useActor();
  const licensed = useMonitoringLicense();
  if (licensed === undefined) return <LoadingPage />;
  return <Redirect to={licensed ? paths.dashboard : homePath(actor)} />;
}
