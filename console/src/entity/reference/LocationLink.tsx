// A location's name as the way to its page.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";

/** A deleted one is only named. */
export function LocationLink({ location }: { location: NonNullable<Sensor["measurement"]> }) {
  if (location.isDeleted) return <>{location.name}</>;
  return (
    <AppLink
      to={paths.locationGeneral(location._id)}
      query="dropList"
      sx={{ display: "block", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
    >
      {location.name}
    </AppLink>
  );
}
