// Map of the location form, with a pin that shows and changes the coordinates (docs/rules/locations.md#map).
import { Box } from "@mui/material";
import { useState } from "react";
import { config } from "../../api/config.ts";
import { countryZoom, MapView } from "../../ui/map/MapView.tsx";
import { convertRasterZoom, type LngLat } from "../../ui/map/mercator.ts";
import { locationText as text } from "../location.text.ts";

const place = { zoom: convertRasterZoom(14), height: 300 }; // fixed
const world = { lng: 10, lat: 25, zoom: 0.6 };

export function PlaceMap({ at, onMove }: { at: LngLat | null; onMove?: ((to: LngLat) => void) | undefined }) {
  const { tileUrl, attribution } = config.map;
  const key = at === null ? "" : `${at.lat} ${at.lng}`;
  // Moving the pin must not move the map.
  const [held, setHeld] = useState({ moved: "none", stays: "" });
  const startKey = held.moved === key ? held.stays : key;
  const move = (to: LngLat) => {
    const rounded = { lat: Number(to.lat.toFixed(6)), lng: Number(to.lng.toFixed(6)) };
    setHeld({ moved: `${rounded.lat} ${rounded.lng}`, stays: startKey });
    onMove?.(rounded);
  };
  const hint =
    at === null ? (onMove === undefined ? undefined : text.setPin) : tileUrl === null ? text.noStreets : undefined;
  return (
    <div>
      <MapView
        start={at === null ? world : { ...at, zoom: tileUrl === null ? countryZoom : place.zoom }}
        maxZoom={tileUrl === null ? countryZoom : undefined}
        startKey={startKey}
        height={place.height}
        tiles={tileUrl === null ? null : { tileUrl, attribution }}
        pin={at === null ? undefined : { at, label: text.pin, hint: text.pinHint, onMove: onMove && move }}
        onClick={at === null && onMove !== undefined ? move : undefined}
      />
      {hint === undefined ? null : <Box sx={{ mt: 1, color: "text.secondary", fontSize: "0.75rem" }}>{hint}</Box>}
    </div>
  );
}
