// Lazily loaded drawing of a map, with the map library, its worker and the world outline.
import "maplibre-gl/dist/maplibre-gl.css";
import { Map as LibraryMap, setWorkerUrl } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?url";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { outlineStyle, type Scheme, tileStyle, type TileSource } from "./map.style.ts";
import type { LngLat, Viewport } from "./mercator.ts";
import { loadWorld } from "./world.ts";

setWorkerUrl(workerUrl);

export type MapHandle = { moveTo: (target: LngLat & { zoom: number }) => void };

type MapCanvasProps = {
  start: LngLat & { zoom: number };
  tiles: TileSource | null;
  maxZoom: number;
  scheme: Scheme;
  onMove: (view: LngLat & { zoom: number }) => void;
  onReady: (handle: MapHandle | null) => void;
  onClick: (at: LngLat) => void;
};

const words = {
  "Map.Title": "Move the map with the arrow keys, zoom with plus and minus",
  "CooperativeGesturesHandler.WindowsHelpText": "Hold Ctrl and scroll to zoom",
  "CooperativeGesturesHandler.MacHelpText": "Hold ⌘ and scroll to zoom",
  "CooperativeGesturesHandler.MobileHelpText": "Use two fingers to move the map",
};

export function MapCanvas({ start, tiles, maxZoom, scheme, ...props }: MapCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<LibraryMap | null>(null);
  const onMove = useEffectEvent((view: LngLat & Pick<Viewport, "zoom">) => props.onMove(view));
  const onReady = useEffectEvent((handle: MapHandle | null) => props.onReady(handle));
  const onClick = useEffectEvent((at: LngLat) => props.onClick(at));
  const begin = useEffectEvent((container: HTMLElement) => new LibraryMap(optionsOf(container, start, maxZoom)));
  useEffect(() => {
    if (place.current === null) return;
    const made = begin(place.current);
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    // The default role is `region`, but the canvas is already inside the region 'Map'.
    made.getCanvas().setAttribute("role", "application");
    made.on("move", () => onMove({ ...made.getCenter(), zoom: made.getZoom() }));
    made.on("click", ({ lngLat }) => onClick(lngLat.wrap()));
    // Failed tiles stay blank.
    made.on("error", () => undefined);
    onReady({ moveTo: ({ lng, lat, zoom }) => void made.easeTo({ center: [lng, lat], zoom, duration: 180 }) });
    setMap(made);
    return () => {
      onReady(null);
      made.remove();
    };
  }, []);
  useEffect(() => {
    if (map === null) return;
    let gone = false;
    const draw = async () => (tiles === null ? outlineStyle(await loadWorld(), scheme) : tileStyle(tiles, scheme));
    void draw().then(
      (style) => void (gone || map.setStyle(style, { diff: false })),
      () => undefined,
    );
    return () => void (gone = true);
  }, [map, tiles, scheme]);
  return <div ref={place} style={{ position: "absolute", inset: 0 }} />;
}

const optionsOf = (container: HTMLElement, { lng, lat, zoom }: MapCanvasProps["start"], maxZoom: number) => ({
  container,
  style: { version: 8 as const, sources: {}, layers: [] },
  center: [lng, lat] as [number, number],
  zoom,
  maxZoom,
  attributionControl: false as const,
  cooperativeGestures: true,
  dragRotate: false,
  touchPitch: false,
  pitchWithRotate: false,
  fadeDuration: 0,
  locale: words,
});
