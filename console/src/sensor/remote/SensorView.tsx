// Shows a sensor's current snapshot, for issues about its view (SE-11, MO-04).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { sensor as entity } from "../sensor.entity.ts";
import { remoteText } from "../sensor-page.text.ts";
import { useReachability } from "../useReachability.ts";
import { useRemoteClient } from "./RemoteSection.tsx";
import { Snapshot } from "./Snapshot.tsx";

export function SensorView({ id }: { id: string }) {
  const { data: sensor } = entity.useOne(id);
  return sensor === undefined ? null : <View sensor={sensor} />;
}

function View({ sensor }: { sensor: Sensor }) {
  const remote = useRemoteClient(sensor._id);
  const reach = useReachability(sensor.scomState);
  return (
    <Snapshot
      sensor={sensor}
      remote={remote}
      reason={reach === "connected" ? undefined : remoteText.unreachable[reach]}
    />
  );
}
