// Location list with owner, address and today's counts; filters, order and page are in the URL (LO-01).
import { type LocationCounts, listLocationCounts } from "@psp/contract/counts/counts.api.ts";
import { locationListQuery } from "@psp/contract/location/location.query.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { Box } from "@mui/material";
import OpenInNewRounded from "~icons/ic/round-open-in-new";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { formatSearch } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { call } from "../api/call.ts";
import type { CountsKey } from "../api/counts-key.ts";
import { useWatchedCounts } from "../api/watch.ts";
import { PeopleCount } from "../counts/PeopleCount.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { config } from "../api/config.ts";
import { nameFilter, useOwnerFilter, useOwnerTreeFilter } from "../entity/list/list-filters.tsx";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import { useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import { SetUp } from "../set-up/SetUp.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { useLocationBatch } from "./batch/LocationBatch.tsx";
import { countryFilter, occupancyFilter, tagFilter } from "./location-filters.tsx";
import { formatLocationAddress } from "../entity/reference/addressLine.ts";
import { location } from "./location.entity.ts";
import { locationText } from "./location.text.ts";
import { TagList } from "./TagList.tsx";

const byName: Sort = [{ id: "name", desc: false }];

type Today = Pick<LocationCounts, "in" | "isUnexpectedZero">;

function columnsFor(today: (id: string) => Today | undefined): Column<Location>[] {
  const peopleToday = (id: string) => {
    const counts = today(id);
    return counts === undefined ? "" : <PeopleCount counts={counts} />;
  };
  return [
    { id: "name", header: locationText.name, cell: ({ name }) => name, sortable: true, width: "26%", minWidth: 220 },
    {
      id: "owner",
      header: locationText.owner,
      cell: ({ owner }) => <OwnerLink owner={owner} />,
      sortable: true,
      width: "16%",
      minWidth: 120,
      onPhone: "none",
    },
    {
      id: "country",
      header: locationText.address,
      cell: (row) => formatLocationAddress(row.location) ?? "-",
      minWidth: 150,
      onNarrow: "none",
      onPhone: "none",
    },
    {
      id: "tags",
      header: locationText.tags,
      cell: ({ tags }) => (tags.length === 0 ? "-" : <TagList tags={tags} />),
      minWidth: 150,
      onNarrow: "none",
    },
    {
      id: "sensors",
      header: locationText.sensors,
      cell: ({ sensorCount, sensorsOffline }) => locationText.sensorsOf(sensorCount, sensorsOffline),
      onPhone: "labeled",
      width: 108,
    },
    {
      id: "today",
      header: locationText.today,
      cell: ({ _id }) => peopleToday(_id),
      width: 80,
      numeric: true,
      onPhone: "labeled",
    },
  ];
}

export function LocationsPage() {
  if (!useCan().viewType("measurement")) return <DeniedList text={locationText} />;
  return (
    <>
      <LocationList />
      <SetUp below />
    </>
  );
}

export const DeleteLocationDialog = () => <DeleteOwned entity={location} />;

function LocationList() {
  const list = useListState(locationListQuery.shape, byName, { isPersisted: true });
  const answer = location.useList(list.query);
  const ids = (answer.data?.objects ?? []).map(({ _id }) => _id);
  const today = useToday(ids);
  const filters = list.filters;
  const mayEditAny = !isEmptySet(resolveEditScope(useCan().actor, "measurement"));
  return (
    <ListPage
      entity={location}
      text={locationText}
      // The server sorts by one column only.
      list={{ ...list, setSort: (sort) => list.setSort(sort.slice(-1)) }}
      answer={answer}
      columns={useMemo(() => columnsFor(today), [today])}
      skeletonRows={12}
      rowPath={({ _id }) => paths.locationGeneral(_id)}
      rowActions={analyticsAction}
      create={{ label: locationText.create, path: paths.newLocation }}
      filters={[
        nameFilter(list, locationText),
        useOwnerFilter(list, locationText),
        useOwnerTreeFilter(list),
        countryFilter(list),
        occupancyFilter(list),
        tagFilter(list),
      ]}
      toolbar={
        <Box sx={{ display: "flex", columnGap: 4, rowGap: 2, flexWrap: "wrap" }}>
          <AppLink to={paths.events} query="none" sx={standaloneLinkStyles}>
            {locationText.events}
          </AppLink>
          <AppLink to={paths.compareCounts + formatSearch(filters)} query="none" sx={standaloneLinkStyles}>
            {locationText.compare}
          </AppLink>
          <AppLink to={paths.reports} query="none" sx={standaloneLinkStyles}>
            {locationText.reports}
          </AppLink>
          {mayEditAny ? (
            <AppLink to={paths.importSales} sx={standaloneLinkStyles}>
              {locationText.importSales}
            </AppLink>
          ) : null}
        </Box>
      }
      batch={useLocationBatch(filters, answer.data?.total ?? 0)}
    />
  );
}

const unknown: Today = { in: null, isUnexpectedZero: false };

/** Today's counts of the page's locations in one request, kept up to date. */
function useToday(ids: readonly string[]) {
  const key = ids.toSorted().join(" ");
  const wanted = useMemo(() => (key === "" ? [] : key.split(" ")), [key]);
  useWatchedCounts({ measIDs: wanted });
  const { data, isError } = useQuery({
    queryKey: ["datapoint", "locations", "any", "today", wanted] satisfies CountsKey,
    queryFn: ({ signal }) => {
      const query = { ids: [...wanted], range: "today", limit: String(Math.max(1, wanted.length)) };
      return call(listLocationCounts, { query, signal });
    },
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const known = new Map((data?.objects ?? []).map((row) => [row._id, row]));
    return (id: string): Today | undefined => known.get(id) ?? (isError || data !== undefined ? unknown : undefined);
  }, [data, isError]);
}

/** A real link, so that it can be opened in a new tab. */
function analyticsAction({ _id, name }: Location): RowAction[] {
  const { analytics } = config.links;
  const href = analytics === null ? paths.locationCounts(_id) : `${analytics}/${_id}`;
  return [{ label: locationText.analytics(name), icon: <OpenInNewRounded />, href }];
}
