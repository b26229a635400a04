// The Monitoring tab: whether the sensor is monitored, and by whose configuration (spec 2 §3, §5).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Alert from "@mui/material/Alert";
import { failureText } from "../../api/useFailure.ts";
import { LocationLink } from "../../entity/reference/LocationLink.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { FactsCard } from "./FactsCard.tsx";
import { SensorTabGate } from "./SensorTabGate.tsx";
import { monitoringSource } from "../sensor.facts.ts";
import { useSensorLocation } from "../sensor.queries.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export function SensorMonitoringTab() {
  return <SensorTabGate tab="monitoring">{(sensor) => <Monitoring sensor={sensor} />}</SensorTabGate>;
}

const sentences = { none: text.monitoringOff, own: text.monitoringOwn, location: text.monitoringInherited };

function Monitoring({ sensor }: { sensor: Sensor }) {
  const place = sensor.measurement;
  const { data, error } = useSensorLocation(place?._id ?? null);
  if (error !== null && data === undefined) return <Alert severity="error">{failureText(error)}</Alert>;
  if (data === undefined) return <CardSkeleton lines={2} />;
  const source = monitoringSource(sensor, data.monitoringConfig);
  return (
    <FactsCard
      title={text.monitoring}
      text={<div>{sentences[source]}</div>}
      facts={[
        [text.monitoringLicense, text.on],
        [text.monitoringPlace, place === null ? "-" : <LocationLink key="place" location={place} />],
        [text.monitoringSource, text.sources[source]],
      ]}
    />
  );
}
