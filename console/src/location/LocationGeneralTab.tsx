// The General tab of a location: its form, its sensors, and today's people.
import { useParam } from "../navigation.tsx";
import Box from "@mui/material/Box";
import { LocationCounts } from "./LocationCounts.tsx";
import { LocationForm } from "./LocationForm.tsx";
import { LocationSensors } from "./LocationSensors.tsx";
import { useLocation } from "./location.queries.ts";

export function LocationGeneralTab() {
  const id = useParam("id");
  const { data: location, isPlaceholderData } = useLocation(id);
  if (location === undefined) return null;
  return (
    <Box
      sx={{
        display: "grid",
        gap: 4,
        alignItems: "start",
        gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 640px) minmax(300px, 1fr)" },
      }}
    >
      <LocationForm key={location._id} location={location} complete={!isPlaceholderData} />
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
        <LocationCounts location={location} />
        <LocationSensors location={location} />
      </Box>
    </Box>
  );
}
