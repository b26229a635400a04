// Asks before a sensor is deleted (spec 2 §2); opens over the list at its delete address.
import { DeleteDialog } from "../../entity/delete-dialog.tsx";
import { useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan, useOwners } from "../../session/useCan.ts";
import { useDeleteSensor, useSensor } from "../sensor.queries.ts";
import { sensorText } from "../sensor.text.ts";

export function DeleteSensorDialog() {
  const id = useParam("id");
  const can = useCan();
  const { data: sensor, error } = useSensor(id);
  const { ownerOf, ready } = useOwners(sensor === undefined ? [] : [sensor.owner._id]);
  const name = id;
  return (
    <DeleteDialog
      found={sensor !== undefined}
      error={error}
      mayDelete={sensor !== undefined && ready ? can.delete("sensor", ownerOf(sensor.owner._id)) : undefined}
      remove={useDeleteSensor(id)}
      title={sensorText.deleteTitle}
      question={sensorText.deleteQuestion(name, sensor?.owner.name ?? "")}
      failed={sensorText.deleteFailed}
      refused={sensorText.noDelete}
      deleted={sensorText.deleted(name)}
      back={paths.sensors}
    />
  );
}
