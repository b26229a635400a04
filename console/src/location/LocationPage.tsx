// The frame of a location's pages: its name and local time at the top, the menu at the left (spec 3 §2).
import { addressOf } from "../address/address.ts";
import { Redirect, useParam, useSearchParams, useTitle } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { MissingObject, ObjectPage } from "../entity/page/ObjectPage.tsx";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { ZoneClock } from "../ui/ZoneClock.tsx";
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
