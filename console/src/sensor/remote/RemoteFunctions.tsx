// What a person may ask a sensor to do: a snapshot, an upload test, a reset of its network (SE-11, spec 2 §7).
import { remoteFunctions, type RemoteFunction } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Divider from "@mui/material/Divider";
import { useCan, useOwners } from "../../session/useCan.ts";
import { NetworkReset } from "./NetworkReset.tsx";
import { Snapshot } from "./Snapshot.tsx";
import { UploadTest } from "./UploadTest.tsx";
import { remoteText } from "../sensor-page.text.ts";
import { useAsk } from "./useAsk.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";

/** Props: `sensor`. */
export function RemoteFunctions({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const { ownerOf } = useOwners([sensor.owner._id]);
  const mayEdit = can.edit("sensor", ownerOf(sensor.owner._id));
  const line = useAsk(sensor._id);
  const reasonFor = (func: RemoteFunction): string | undefined => {
    if (remoteFunctions[func].right === "edit" && !mayEdit) return remoteText.noEdit;
    if (!sensor.scomState.isConnected) return remoteText.offline;
    return line.asking !== null && line.asking !== func ? remoteText.busy : undefined;
  };
  return (
    <SectionCard title={remoteText.title} gap={4}>
      <Snapshot sensor={sensor} line={line} reason={reasonFor("getSnapshot")} />
      <Divider />
      <UploadTest line={line} reason={reasonFor("generalUploadTest")} />
      <Divider />
      <NetworkReset sensor={sensor} line={line} reason={reasonFor("resetNetworkConfig")} />
    </SectionCard>
  );
}
