// The General tab of a location: its form, its sensors, and today's people.
import { useParam } from "../address/navigation.tsx";
import { FormColumns } from "../ui/form/FormColumns.tsx";
import { LocationCounts } from "./LocationCounts.tsx";
import { LocationForm } from "./form/LocationForm.tsx";
import { LocationSensors } from "./LocationSensors.tsx";
import { location as entity } from "./location.entity.ts";

export function LocationGeneralTab() {
  const id = useParam("id");
  const { data: location, isPlaceholderData } = entity.useOne(id);
  if (location === undefined) return null;
  return (
    <FormColumns
      beside={
        <>
          <LocationCounts location={location} />
          <LocationSensors location={location} />
        </>
      }
    >
      <LocationForm key={location._id} location={location} complete={!isPlaceholderData} />
    </FormColumns>
  );
}
