// The sensors that stand in a location, as chips that lead to them.
import type { Location } from "@psp/contract/location/location.ts";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { searchText } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { SensorChipLink } from "../sensor/SensorChipLink.tsx";
import { useCan } from "../session/useCan.ts";
import { useLocationSensors } from "./location.queries.ts";
import { locationText } from "./location.text.ts";
import { SectionCard } from "../ui/SectionCard.tsx";

const shown = 12;

export function LocationSensors({ location }: { location: Location }) {
  const can = useCan();
  const { data } = useLocationSensors(location._id, shown);
  if (!can.viewType("sensor")) return null;
  const total = data?.total ?? 0;
  return (
    <SectionCard title={locationText.sensors}>
      {data !== undefined && total === 0 ? (
        <Typography sx={{ color: "text.secondary" }}>{locationText.noSensors}</Typography>
      ) : null}
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 1 }}>
        {(data?.objects ?? []).map((sensor) => (
          <li key={sensor._id}>
            <SensorChipLink sensor={sensor} />
          </li>
        ))}
      </Box>
      {total > shown ? (
        <AppLink to={paths.sensors + searchText({ measID: location._id })} query="none">
          {locationText.allSensors(total)}
        </AppLink>
      ) : null}
    </SectionCard>
  );
}
