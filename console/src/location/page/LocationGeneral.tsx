// General tab of a location: form, today's counts and sensors (LO-03).
import { AccessCard } from "../../entity/access/AccessCard.tsx";
import { useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { TodayCounts } from "../../counts/TodayCounts.tsx";
import { DataProblems } from "../../monitoring/device/DataProblems.tsx";
import { FormColumns } from "../../ui/form/FormColumns.tsx";
import { LocationForm } from "../form/LocationForm.tsx";
import { location as entity } from "../location.entity.ts";
import { LocationSensors } from "./LocationSensors.tsx";

export function LocationGeneralTab() {
  const id = useParam("id");
  const { data: location, isPlaceholderData } = entity.useOne(id);
  if (location === undefined) return null;
  return (
    <FormColumns
      aside={
        <>
          <DataProblems scope={{ measID: location._id }} timeZone={location.location.timezone} />
          <TodayCounts
            kind="meas"
            id={location._id}
            timeZone={location.location.timezone}
            path={paths.locationCounts(id)}
          />
          <LocationSensors location={location} />
          <AccessCard type="measurement" id={location._id} />
        </>
      }
    >
      <LocationForm key={location._id} location={location} complete={!isPlaceholderData} />
    </FormColumns>
  );
}
