// Map of all visible locations (DB-03). Nearby locations form a cluster.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { OpenIssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import { listLocationsWithIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import { Alert, Box, Button, Popover, Skeleton, Typography } from "@mui/material";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useId, useMemo, useState } from "react";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { type ListResponse, toListResult } from "../api/listed.ts";
import { failureText } from "../api/useFailure.ts";
import { config } from "../api/config.ts";
import { formatLocationAddress } from "../entity/reference/addressLine.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import type { MapPoint } from "../ui/map/clusters.ts";
import { convertRasterZoom } from "../ui/map/mercator.ts";
import { MapView } from "../ui/map/MapView.tsx";
import { dashboardText as text } from "./dashboard.text.ts";

const start = { lng: 0, lat: 0, zoom: convertRasterZoom(2) }; // fixed
const height = 420;
const mostNamed = 50;

type Placed = { _id: string; location: Location["location"] };

/** Coordinates of all locations. Live messages don't refetch them, because there may be a hundred thousand. */
const usePlaces = () =>
  useQuery({
    queryKey: ["measurement", "places"],
    queryFn: async ({ signal }) => {
      const query = { onlyIDs: "true", onlyLocation: "true" } as const;
      const listed = await call(listLocations, { query, signal });
      return Array.isArray(listed) ? [] : listed.objects;
    },
    staleTime: 300_000,
  });

/** Locations with open issues and their worst status; refetched when an issue changes. */
const useTroubled = () =>
  useQuery({
    queryKey: ["issue", "places"],
    queryFn: async ({ signal }) => {
      const places = await call(listLocationsWithIssues, { signal });
      return new Map(places.map(({ _id, issueStatus }) => [_id, issueStatus]));
    },
  });

function useLocations(ids: readonly string[]) {
  const key = ids.slice(0, mostNamed).toSorted().join(" ");
  return useQuery({
    queryKey: ["measurement", "named", "map", key],
    queryFn: async ({ signal }) => {
      const query = { ids: key.split(" "), limit: String(mostNamed), sortBy: "name" };
      const listed = (await call(listLocations, { query, signal })) as ListResponse<Location>;
      return toListResult(listed).objects;
    },
    enabled: key !== "",
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}

type Opened = { ids: readonly string[]; button: HTMLElement; zoomIn: () => void };

export function LocationsMap() {
  const { data, error } = usePlaces();
  const [singles, setSingles] = useState<readonly string[]>([]);
  const [opened, setOpened] = useState<Opened | null>(null);
  const { data: named } = useLocations(singles);
  const { data: troubled } = useTroubled();
  const worstOf = (ids: readonly string[]): OpenIssueStatus | null => {
    if (troubled === undefined || troubled.size === 0) return null;
    const statuses = ids.map((id) => troubled.get(id));
    return statuses.includes("Error") ? "Error" : statuses.includes("Warning") ? "Warning" : null;
  };
  const points = useMemo(() => (data ?? []).flatMap(pointOf), [data]);
  const addresses = useMemo(() => new Map((data ?? []).map(({ _id, location }) => [_id, location])), [data]);
  const names = useMemo(() => new Map((named ?? []).map(({ _id, name }) => [_id, name])), [named]);
  const nameOf = (ids: readonly string[]) => {
    const [id = ""] = ids;
    if (ids.length > 1) return text.locationsHere(ids.length);
    const location = addresses.get(id);
    return names.get(id) ?? (location && formatLocationAddress(location)) ?? text.locationsHere(1);
  };
  const labelOf = (ids: readonly string[]) => {
    const worst = worstOf(ids);
    return worst === null ? nameOf(ids) : text.withIssue(nameOf(ids), worst);
  };
  const toneOf = (ids: readonly string[]) => {
    const worst = worstOf(ids);
    return worst === "Error" ? "bad" : worst === "Warning" ? "warning" : null;
  };
  const { tileUrl, attribution } = config.map;
  const unplaced = (data?.length ?? 0) - points.length;
  return (
    <Box>
      <Typography variant="h3" sx={{ mb: 2 }}>
        {text.map}
      </Typography>
      {error !== null && data === undefined ? (
        <Alert severity="error" sx={{ mb: 2 }}>
          {failureText(error)}
        </Alert>
      ) : null}
      <MapView
        start={start}
        height={height}
        tiles={tileUrl === null ? null : { tileUrl, attribution }}
        points={points}
        labelOf={labelOf}
        toneOf={toneOf}
        onSingles={useCallback((ids: readonly string[]) => setSingles(ids), [])}
        onOpen={(ids, button, zoomIn) => setOpened({ ids, button, zoomIn })}
      />
      {unplaced > 0 ? <Box sx={{ mt: 2, color: "text.secondary" }}>{text.unplaced(unplaced)}</Box> : null}
      {opened === null ? null : <InfoWindow {...opened} onClose={() => setOpened(null)} />}
    </Box>
  );
}

function pointOf({ _id, location }: Placed): MapPoint[] {
  if (location.coordinates === null) return [];
  const [lat, lng] = location.coordinates;
  return [{ id: _id, lat, lng }];
}

function InfoWindow({ ids, button, zoomIn, onClose }: Opened & { onClose: () => void }) {
  const titleId = useId();
  const { data, isPlaceholderData, error } = useLocations(ids);
  const shown = isPlaceholderData ? undefined : data;
  const more = ids.length - Math.min(ids.length, mostNamed);
  return (
    <Popover
      open
      anchorEl={button}
      onClose={onClose}
      anchorOrigin={{ vertical: "bottom", horizontal: "center" }}
      transformOrigin={{ vertical: "top", horizontal: "center" }}
      slotProps={{ paper: { role: "dialog", "aria-labelledby": titleId, sx: { width: 320, p: 3, mt: 1 } } }}
    >
      <Typography id={titleId} variant="h3" sx={{ mb: 2 }}>
        {text.locationsHere(ids.length)}
      </Typography>
      {error !== null && shown === undefined ? <Alert severity="error">{failureText(error)}</Alert> : null}
      <Box
        component="ul"
        tabIndex={0}
        aria-labelledby={titleId}
        sx={{ listStyle: "none", m: 0, p: 0, maxHeight: 280, overflowY: "auto" }}
      >
        {shown === undefined && error === null
          ? ids.slice(0, 4).map((id) => <Skeleton key={id} component="li" height={40} />)
          : (shown ?? []).map(({ _id, name, location }) => (
              <Box component="li" key={_id} sx={{ py: 1, overflowWrap: "anywhere" }}>
                <AppLink to={paths.locationGeneral(_id)} query="dropList" sx={standaloneLinkStyles}>
                  {name}
                </AppLink>
                <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{formatLocationAddress(location)}</Box>
              </Box>
            ))}
      </Box>
      {more > 0 ? <Box sx={{ mt: 1, color: "text.secondary" }}>{text.andMore(more)}</Box> : null}
      <Box sx={{ mt: 2, display: "flex", gap: 2, justifyContent: "flex-end" }}>
        {ids.length > 1 ? (
          <Button
            size="small"
            color="inherit"
            onClick={() => {
              onClose();
              zoomIn();
            }}
          >
            {text.zoomIn}
          </Button>
        ) : null}
        <Button size="small" color="inherit" onClick={onClose}>
          {text.close}
        </Button>
      </Box>
    </Popover>
  );
}
