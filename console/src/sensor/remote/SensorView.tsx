// What a sensor sees now, beside an issue about its view: for pages that know the sensor by its id alone (SE-11, MO-04).
import { sensor as entity } from "../sensor.entity.ts";
import { remoteText } from "../sensor-page.text.ts";
import { useRemote } from "./RemoteSection.tsx";
import { Snapshot } from "./Snapshot.tsx";

/** Nothing for those who may not view the sensor. */
export function SensorView({ id }: { id: string }) {
  const { data: sensor } = entity.useOne(id);
  const remote = useRemote(id);
  if (sensor === undefined) return null;
  return (
    <Snapshot sensor={sensor} remote={remote} reason={sensor.scomState.isConnected ? undefined : remoteText.offline} />
  );
}
