// A location's name as link.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { CellLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { Name } from "../../ui/table/row/Name.tsx";

export function LocationLink({ location }: { location: NonNullable<Sensor["measurement"]> }) {
  if (location.isDeleted) return <Name>{location.name}</Name>;
  return (
    <CellLink to={paths.locationGeneral(location._id)} query="dropList">
      <Name>{location.name}</Name>
    </CellLink>
  );
}
