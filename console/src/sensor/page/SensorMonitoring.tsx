// Monitoring tabs of a sensor: its own or inherited configuration, and the issue log (SE-05, MO-01, MO-04).
import { getLocation } from "@psp/contract/location/location.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { InheritedMonitoring } from "../../monitoring/form/InheritedMonitoring.tsx";
import { MonitoringForm } from "../../monitoring/form/MonitoringForm.tsx";
import { monitoringText as text } from "../../monitoring/monitoring.text.ts";
import { IssuesCard } from "../../monitoring/logs/IssuesCard.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { sensor as entity, useUpdateSensor } from "../sensor.entity.ts";
import { Tab } from "./Tab.tsx";

export const SensorMonitoringTab = () => (
  <Tab tab="monitoring">
    {(sensor, complete) => <Monitoring key={sensor._id} sensor={sensor} complete={complete} />}
  </Tab>
);

function Monitoring({ sensor, complete }: { sensor: Sensor; complete: boolean }) {
  const { measurement: location } = sensor;
  const { data, isPending } = useQuery({
    queryKey: ["measurement", "one", location?._id ?? null],
    queryFn: ({ signal }) => call(getLocation, { params: { id: location?._id ?? "" }, signal }),
    enabled: location !== null,
  });
  const update = useUpdateSensor(sensor._id);
  if (location !== null && isPending) return <CardSkeleton lines={6} />;
  // Undefined without a location that the user may view; null if that location has no configuration.
  const config = data === undefined ? undefined : (data.monitoringConfig ?? null);
  return (
    <MonitoringForm
      row={sensor}
      complete={complete}
      type="sensor"
      entity={entity}
      update={update}
      begin={config ?? null}
      said={(on) =>
        on || location === null ? text.sensorOn : <InheritedMonitoring location={location} config={config} />
      }
    />
  );
}

export const SensorLogsTab = () => (
  <Tab tab="logs">
    {({ _id: id, measurement }) => (
      <IssuesCard key={id} scope={{ sensorIDs: id }} timeZone={measurement?.location.timezone ?? null} />
    )}
  </Tab>
);
