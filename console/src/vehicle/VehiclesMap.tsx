// Map of vehicles with known positions, colored by load.
import type { Vehicle } from "@psp/contract/vehicle/vehicle.ts";
import { Box } from "@mui/material";
import { useDeferredValue, useMemo, useState } from "react";
import { config } from "../api/config.ts";
import type { MapPoint } from "../ui/map/clusters.ts";
import type { MarkerTone } from "../ui/map/Marker.tsx";
import { countryZoom, MapView } from "../ui/map/MapView.tsx";
import { useNow } from "../ui/time/RelativeTime.tsx";
import { viewOf } from "./map.rules.ts";
import { ageVehicle, type Fullness, fullnessOf } from "./vehicle.rules.ts";
import { vehicleText as text } from "./vehicle.text.ts";
import { wordsOf } from "./VehicleRow.tsx";

const height = 480;
/** Maximum zoom at the start, if the map has streets. */
const townZoom = 12;
const tones: Record<Fullness, MarkerTone> = { empty: null, free: null, busy: "warning", full: "bad", none: "quiet" };
const order: readonly MarkerTone[] = ["bad", "warning", null, "quiet"];

type VehiclesMapProps = {
  vehicles: readonly Vehicle[];
  /** All vehicles that match; only some may be in `vehicles`. */
  total: number;
  onOpen: (id: string) => void;
};

export function VehiclesMap({ vehicles, total, onOpen }: VehiclesMapProps) {
  const now = useNow();
  const shown = useDeferredValue(vehicles);
  const byId = useMemo(
    () => new Map(shown.map((vehicle) => [vehicle._id, ageVehicle(vehicle, now)] as const)),
    [shown, now],
  );
  const points = useMemo(() => [...byId.values()].flatMap(pointOf), [byId]);
  const { tileUrl, attribution } = config.map;
  const tiles = useMemo(() => (tileUrl === null ? null : { tileUrl, attribution }), [tileUrl, attribution]);
  const nearest = tiles === null ? countryZoom : townZoom;
  // Later positions must not move the map under the pointer.
  const [start, setStart] = useState(() => viewOf(points, nearest));
  const [isPlaced, setIsPlaced] = useState(points.length > 0);
  if (!isPlaced && points.length > 0) {
    setStart(viewOf(points, nearest));
    setIsPlaced(true);
  }
  const labelOf = (ids: readonly string[]) => {
    const vehicle = byId.get(ids[0] ?? "");
    if (ids.length > 1 || vehicle === undefined) return text.vehiclesHere(ids.length);
    return text.marker(vehicle.vehicleId, wordsOf(vehicle));
  };
  const toneOf = (ids: readonly string[]) => {
    const found = new Set(ids.map((id) => tones[fullnessOf(byId.get(id)?.load ?? null)]));
    return order.find((tone) => found.has(tone)) ?? null;
  };
  const unplaced = vehicles.length - points.length;
  return (
    <Box>
      <MapView
        start={start}
        startKey={String(isPlaced)}
        height={height}
        tiles={tiles}
        points={points}
        labelOf={labelOf}
        toneOf={toneOf}
        onOpen={(ids, _button, zoomIn) => (ids.length === 1 && ids[0] !== undefined ? onOpen(ids[0]) : zoomIn())}
      />
      <Box sx={{ mt: 2, color: "text.secondary" }}>
        {unplaced > 0 ? <div>{text.unplaced(unplaced)}</div> : null}
        {total > vehicles.length ? <div>{text.mapLimit(vehicles.length)}</div> : null}
      </Box>
    </Box>
  );
}

const pointOf = ({ _id, position }: Vehicle): MapPoint[] =>
  position === null ? [] : [{ id: _id, lat: position.lat, lng: position.lng }];
