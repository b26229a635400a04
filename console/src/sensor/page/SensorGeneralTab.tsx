// The General tab of every sensor type: whose it is, where it stands, what it runs, how it is grouped and registered (spec 2 §2, §5).
import { useParam } from "../../address/navigation.tsx";
import { parseMac } from "@psp/contract/kit/ids.ts";
import { FormColumns } from "../../ui/form/FormColumns.tsx";
import { RemoteFunctions } from "../remote/RemoteFunctions.tsx";
import { SensorCounts } from "./SensorCounts.tsx";
import { SensorForm } from "../form/SensorForm.tsx";
import { sensor as entity } from "../sensor.entity.ts";

export function SensorGeneralTab() {
  const given = useParam("id");
  const { data: sensor, isPlaceholderData } = entity.useOne(parseMac(given) ?? given);
  if (sensor === undefined) return null;
  return (
    <FormColumns
      beside={
        <>
          <SensorCounts sensor={sensor} />
          <RemoteFunctions key={sensor._id} sensor={sensor} />
        </>
      }
    >
      <SensorForm key={sensor._id} sensor={sensor} complete={!isPlaceholderData} />
    </FormColumns>
  );
}
