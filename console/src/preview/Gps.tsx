// GPS preview of a ZOD, with a map and numbers.
import type { GpsPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import MyLocationRounded from "~icons/ic/round-my-location";
import { Box, Button, Typography } from "@mui/material";
import { useState } from "react";
import { config } from "../api/config.ts";
import { FactList } from "../ui/FactList.tsx";
import { countryZoom, MapView } from "../ui/map/MapView.tsx";
import type { LngLat } from "../ui/map/mercator.ts";
import { PreviewCard } from "./PreviewCard.tsx";
import { previewText as text } from "./preview.text.ts";
import { usePreview } from "./usePreview.ts";

const height = 400;

export function Gps({ sensor }: { sensor: Sensor }) {
  const preview = usePreview(sensor, "gps");
  return (
    <PreviewCard sensor={sensor} title="Preview GPS" preview={preview} height={height}>
      {(answer) => <Position answer={answer} />}
    </PreviewCard>
  );
}

function Position({ answer }: { answer: GpsPreview }) {
  const { fix, lat, lng, accuracyM } = answer;
  const at = fix === "none" || lat === null || lng === null ? null : { lat, lng };
  return (
    <>
      {at === null ? (
        <Typography sx={{ fontWeight: 600 }}>{text.noPosition}</Typography>
      ) : (
        <Place at={at} accuracyM={accuracyM} />
      )}
      <FactList facts={factsOf(answer, at)} />
    </>
  );
}

const meters = (n: number) => `${Math.round(n)} m`;
const winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"] as const;
const headingWords = (degrees: number) =>
  `${Math.round(degrees) % 360}° ${winds[Math.round(degrees / 45) % winds.length] ?? ""}`;

function factsOf({ fix, accuracyM, speedMps, headingDeg, satellites }: GpsPreview, at: LngLat | null) {
  const known = (n: number | null, words: (n: number) => string) => (n === null ? "-" : words(n));
  const always = [[text.facts.satellites, known(satellites, String)]] as const;
  if (at === null) return always;
  return [
    [text.facts.latitude, at.lat.toFixed(5)],
    [text.facts.longitude, at.lng.toFixed(5)],
    [text.facts.accuracy, known(accuracyM, meters)],
    [text.facts.speed, known(speedMps, (speed) => `${Math.round(speed * 3.6)} km/h`)],
    [text.facts.heading, known(headingDeg, headingWords)],
    [text.facts.fix, fix.toUpperCase()],
    ...always,
  ] as const;
}

/** If the vehicle is farther than this from the map's center, the map follows it. In degrees of latitude, about a kilometer. */
const follows = 0.01;
const streetsZoom = 14;

function Place({ at, accuracyM }: { at: LngLat; accuracyM: number | null }) {
  const { tileUrl, attribution } = config.map;
  const [middle, setMiddle] = useState({ ...at, step: 0 });
  const center = () => setMiddle({ ...at, step: middle.step + 1 });
  const shrunk = Math.cos((at.lat * Math.PI) / 180);
  if (Math.hypot(at.lat - middle.lat, (at.lng - middle.lng) * shrunk) > follows) center();
  return (
    <div>
      <MapView
        start={{ lat: middle.lat, lng: middle.lng, zoom: tileUrl === null ? countryZoom : streetsZoom }}
        maxZoom={tileUrl === null ? countryZoom : undefined}
        startKey={String(middle.step)}
        keepsZoom
        height={height}
        tiles={tileUrl === null ? null : { tileUrl, attribution }}
        pin={{ at, label: text.position, hint: "" }}
        circle={
          accuracyM === null ? undefined : { at, radiusM: accuracyM, label: text.accuracy(Math.round(accuracyM)) }
        }
      />
      <Box sx={{ mt: 2, display: "flex", justifyContent: "flex-end" }}>
        <Button variant="outlined" color="inherit" startIcon={<MyLocationRounded />} onClick={center}>
          {text.center}
        </Button>
      </Box>
    </div>
  );
}
