// A location's page: name and local time at the top, the menu at the left, and its General tab with the form, today's people and
// the sensors (spec 3 §2).
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { addressOf, searchText } from "../address/address.ts";
import { AppLink, Redirect, useParam, useSearchParams, useTitle } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { pageOf } from "../api/listed.ts";
import { MissingObject, ObjectPage } from "../entity/page/ObjectPage.tsx";
import { TodayCounts } from "../entity/page/TodayCounts.tsx";
import { SensorChipLink } from "../sensor/SensorChipLink.tsx";
import { useCan } from "../session/useCan.ts";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { FormColumns } from "../ui/form/FormColumns.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { ZoneClock } from "../ui/ZoneClock.tsx";
import { LocationForm } from "./form/LocationForm.tsx";
import { location as entity } from "./location.entity.ts";
import { locationText as text } from "./location.text.ts";

/** `/location/:id` leads to General. */
export function ToLocationGeneral() {
  const id = useParam("id");
  const search = useSearchParams();
  return <Redirect to={addressOf(paths.locationGeneral(id), search, "keep")} />;
}

/** An id that is no id at all is refused as a bad argument; for a person it is the same. */
const missing = [404, 400];

export function LocationPage() {
  const id = useParam("id");
  const { data: location, error } = entity.useOne(id);
  useTitle(location?.name ?? text.title);
  if (location === undefined && error !== null)
    return <MissingObject error={error} text={text} list={paths.locations} missing={missing} />;
  if (location === undefined) return <PageSkeleton />;
  const general = { label: text.general, path: paths.locationGeneral(id), current: true };
  return (
    <ObjectPage
      list={{ title: text.title, path: paths.locations }}
      heading={location.name}
      facts={[[text.localTime, <ZoneClock key="time" timeZone={location.location.timezone} />]]}
      name={location.name}
      menu={[{ title: text.configuration, entries: [general] }]}
    />
  );
}

export function LocationGeneralTab() {
  const id = useParam("id");
  const { data: location, isPlaceholderData } = entity.useOne(id);
  if (location === undefined) return null;
  return (
    <FormColumns
      beside={
        <>
          <TodayCounts kind="meas" id={location._id} timeZone={location.location.timezone} />
          <Sensors locationId={location._id} />
        </>
      }
    >
      <LocationForm key={location._id} location={location} complete={!isPlaceholderData} />
    </FormColumns>
  );
}

const shown = 12;

/** The sensors of the location, as chips that lead to them. */
function Sensors({ locationId: measID }: { locationId: string }) {
  const can = useCan();
  const query = { measID, limit: String(shown), includeTotals: "true" } as const;
  const { data } = useQuery({
    queryKey: ["sensor", "list", "of", measID],
    queryFn: async ({ signal }) => pageOf<Sensor>(await call(listSensors, { query, signal })),
  });
  if (!can.viewType("sensor")) return null;
  const total = data?.total ?? 0;
  return (
    <SectionCard title={text.sensors}>
      {data !== undefined && total === 0 ? (
        <Typography sx={{ color: "text.secondary" }}>{text.noSensors}</Typography>
      ) : null}
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 1 }}>
        {(data?.objects ?? []).map((sensor) => (
          <li key={sensor._id}>
            <SensorChipLink sensor={sensor} />
          </li>
        ))}
      </Box>
      {total > shown ? (
        <AppLink to={paths.sensors + searchText({ measID })} query="none">
          {text.allSensors(total)}
        </AppLink>
      ) : null}
    </SectionCard>
  );
}
