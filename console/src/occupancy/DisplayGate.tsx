// Shows its children only if the location has an occupancy license and an enabled app. Otherwise, redirects to the form.
import type { ReactNode } from "react";
import { buildHref } from "../address/address.ts";
import { Redirect, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { appLocationQueries, useStoredApp, displayDisabledReason } from "./occupancy.queries.ts";
import type { Location } from "@psp/contract/location/location.ts";

type Props = { id: string; children: ReactNode };

export function DisplayGate({ id, children }: Props) {
  const { data: location } = appLocationQueries.useOne(id);
  return location === undefined ? null : <Gate location={location}>{children}</Gate>;
}

function Gate({ location, children }: { location: Location; children: ReactNode }) {
  const search = useSearchParams();
  const app = useStoredApp(location);
  if (displayDisabledReason(location, app) !== undefined)
    return <Redirect to={buildHref(paths.occupancyApp(location._id), search, "keep")} />;
  return children;
}
