// Button that leads to the vehicles. Shown only to users who can see a vehicle.
import { Button } from "@mui/material";
import { useLink } from "../address/navigation.tsx";
import { useVehicleTotal } from "./vehicle.queries.ts";
import { vehicleText as text } from "./vehicle.text.ts";
import { vehiclesPath } from "./vehicles-path.ts";

export function VehiclesLink() {
  const link = useLink(vehiclesPath, "none");
  return (useVehicleTotal() ?? 0) > 0 ? (
    <Button {...link} sx={{ flex: "none" }}>
      {text.title}
    </Button>
  ) : null;
}
