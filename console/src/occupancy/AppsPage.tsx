// Page of a location's applications, with the status and the missing prerequisites of the occupancy app (OC-01).
import type { Location } from "@psp/contract/location/location.ts";
import { Box, Button, Stack } from "@mui/material";
import { useLink, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { config } from "../api/config.ts";
import { FactList } from "../ui/FactList.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import {
  appLocationQueries,
  useApsCount,
  usePrerequisites,
  useMayEditLocation,
  useStoredApp,
} from "./occupancy.queries.ts";
import { occupancyText as text } from "./occupancy.text.ts";
import { Prerequisites } from "./Prerequisites.tsx";

export function AppsPage() {
  const { data: location } = appLocationQueries.useOne(useParam("id"));
  if (location === undefined) return null;
  return (
    <Stack sx={{ gap: 4, maxWidth: 640 }}>
      <OccupancyCard location={location} />
      <BuildingsCard location={location} />
    </Stack>
  );
}

const onOff = (on: boolean) => (on ? text.on : text.off);

function OccupancyCard({ location }: { location: Location }) {
  const { licenses, location: place, _id: id } = location;
  const app = useStoredApp(location);
  const aps = useApsCount(id);
  const missing = usePrerequisites(location) ?? [];
  const { mayEdit } = useMayEditLocation(location);
  const form = useLink(paths.occupancyApp(id));
  const ledger = useLink(paths.occupancyLedger(id));
  return (
    <SectionCard title={text.occupancy}>
      <div>{text.about}</div>
      <FactList
        facts={[
          [text.state, app?.enabled === true ? text.enabledState : text.notEnabled],
          [text.occupancyLicense, onOff(licenses.occupancyMeasurement)],
          [text.buildingsLicense, onOff(licenses.buildings)],
          [text.apsSensors, aps === undefined ? "…" : aps === null ? "–" : String(aps)],
          [text.address, place.address === null && place.timezone === null ? text.missing : text.given],
        ]}
      />
      {missing.length === 0 ? null : <Prerequisites location={location} missing={missing} />}
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        <Button variant="contained" {...form}>
          {mayEdit ? text.openForm : text.showApp}
        </Button>
        {app === null ? null : (
          <Button variant="outlined" color="inherit" {...ledger}>
            {text.ledger}
          </Button>
        )}
      </Box>
    </SectionCard>
  );
}

function BuildingsCard({ location }: { location: Location }) {
  const { buildings } = config.links;
  if (buildings === null) return null;
  return (
    <SectionCard title={text.buildings}>
      <div>{text.aboutBuildings}</div>
      <Box>
        <Disabled reason={location.licenses.buildings ? undefined : text.noBuildings}>
          <Button variant="outlined" color="inherit" href={buildings} target="_blank" rel="noreferrer">
            {text.openBuildings}
          </Button>
        </Disabled>
      </Box>
    </SectionCard>
  );
}
