// Monitoring tabs of a location: configuration and issue log (MO-01, MO-04).
import type { Location } from "@psp/contract/location/location.ts";
import { MonitoringForm } from "../../monitoring/form/MonitoringForm.tsx";
import { monitoringText as text } from "../../monitoring/monitoring.text.ts";
import { IssuesCard } from "../../monitoring/logs/IssuesCard.tsx";
import { location as entity } from "../location.entity.ts";
import { LocationTabFrame } from "./LocationTabs.tsx";

export const LocationMonitoringTab = () => (
  <LocationTabFrame tab="monitoring">
    {(location, complete) => <Monitoring key={location._id} location={location} complete={complete} />}
  </LocationTabFrame>
);

function Monitoring({ location, complete }: { location: Location; complete: boolean }) {
  return (
    <MonitoringForm
      row={location}
      complete={complete}
      type="measurement"
      entity={entity}
      update={entity.useUpdate(location._id)}
      said={(on) => (on ? text.locationOn : text.locationOff)}
    />
  );
}

export const LocationIssuesTab = () => (
  <LocationTabFrame tab="issues">
    {({ _id: id, location }) => <IssuesCard key={id} scope={{ measID: id }} timeZone={location.timezone} />}
  </LocationTabFrame>
);
