// Frame of location tabs, which redirects to General if a tab is unavailable, and the history tab.
import type { Location } from "@psp/contract/location/location.ts";
import { Box } from "@mui/material";
import type { ReactNode } from "react";
import { buildHref } from "../../address/address.ts";
import { Redirect, useParam, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { HistoryCard } from "../../audit/History.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { location as entity } from "../location.entity.ts";
import { type LocationTab, locationTabs, useIsMonitored, useMayEdit } from "./location.tabs.ts";

type TabProps = {
  tab: LocationTab["key"];
  /** px; unlimited by default. */
  maxWidth?: number;
  /** `complete`: the location was loaded from the server, not from a list. */
  children: (location: Location, complete: boolean) => ReactNode;
};

export function LocationTabFrame({ tab, maxWidth, children }: TabProps) {
  const id = useParam("id");
  const search = useSearchParams();
  const { data: location, isPlaceholderData } = entity.useOne(id);
  const isMonitored = useIsMonitored(id);
  const mayEdit = useMayEdit(location);
  if (location === undefined) return null;
  if (tab === "monitoring" && isMonitored === undefined) return <CardSkeleton lines={3} />;
  if (tab === "sales" && mayEdit === undefined) return <CardSkeleton lines={3} />;
  const isOpen = locationTabs(location, isMonitored === true, mayEdit === true).some(
    ({ key, reason }) => key === tab && reason === undefined,
  );
  if (!isOpen) return <Redirect to={buildHref(paths.locationGeneral(id), search, "keep")} />;
  return <Box sx={{ maxWidth }}>{children(location, !isPlaceholderData)}</Box>;
}

export const LocationHistoryTab = () => (
  <LocationTabFrame tab="history" maxWidth={860}>
    {(location) => <HistoryCard type="measurement" row={location} />}
  </LocationTabFrame>
);
