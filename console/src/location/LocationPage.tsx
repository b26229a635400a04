// Location page with local time, menu and counts (LO-03).
import { useDeferredValue } from "react";
import { buildHref } from "../address/address.ts";
import { Redirect, useParam, usePath, useSearchParams, useTitle } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { CountsPanel } from "../counts/CountsPanel.tsx";
import { ObjectLoadError, ObjectPage } from "../entity/page/ObjectPage.tsx";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { ZoneClock } from "../ui/time/ZoneClock.tsx";
import { location as entity } from "./location.entity.ts";
import { locationText as text } from "./location.text.ts";
import { locationMenu, locationTabs, useIsMonitored, useMayEdit } from "./page/location.tabs.ts";

export function LocationGeneralRedirect() {
  const id = useParam("id");
  const search = useSearchParams();
  return <Redirect to={buildHref(paths.locationGeneral(id), search, "keep")} />;
}

/** The server responds with 400 to a malformed id, which users see as not found. */
const missing = [404, 400];

export function LocationPage() {
  const id = useParam("id");
  const tab = usePath().split("/")[3] ?? "";
  const { data, error } = entity.useOne(id);
  // Deferred rendering keeps the page responsive.
  const drawn = useDeferredValue(data);
  const location = drawn?._id === id ? drawn : undefined;
  const isMonitored = useIsMonitored(id) === true;
  const mayEdit = useMayEdit(location) === true;
  useTitle(location?.name ?? text.title);
  if (data === undefined && error !== null)
    return <ObjectLoadError error={error} text={text} list={paths.locations} missing={missing} />;
  if (location === undefined) return <PageSkeleton />;
  return (
    <ObjectPage
      list={{ title: text.title, path: paths.locations }}
      heading={location.name}
      facts={[[text.localTime, <ZoneClock key="time" timeZone={location.location.timezone} />]]}
      name={location.name}
      menu={locationMenu(locationTabs(location, isMonitored, mayEdit), id, tab)}
    />
  );
}

export function LocationCountsTab() {
  const id = useParam("id");
  const { data: location } = entity.useOne(id);
  if (location === undefined) return null;
  return <CountsPanel key={id} kind="meas" id={id} name={location.name} timeZone={location.location.timezone} />;
}
