// A map with markers as buttons, zoom, scale and attribution. The drawing below them is a lazy chunk. Without it, or without WebGL,
// markers and zoom still work on an empty surface (ADR 0029).
import AddRounded from "~icons/ic/round-add";
import RemoveRounded from "~icons/ic/round-remove";
import { Box, IconButton } from "@mui/material";
import { styled, useColorScheme } from "@mui/material/styles";
import { type CSSProperties, Suspense, useEffect, useEffectEvent, useMemo, useState } from "react";
import { createClusterIndex, type MapPoint } from "./clusters.ts";
import { Disabled } from "../feedback/Disabled.tsx";
import { lazyOptional } from "../feedback/lazyOptional.ts";
import { useIsNearViewport } from "../useIsNearViewport.ts";
import { useSize } from "../chart/useSize.ts";
import { getMapColors, type TileSource } from "./map.style.ts";
import type { MapHandle } from "./MapCanvas.tsx";
import { type Circle, CircleMarker } from "./CircleMarker.tsx";
import { Marker, type MarkerTone, type Pin, PinMarker } from "./Marker.tsx";
import { unproject, type LngLat, computeScaleBar, toScreen, type Viewport } from "./mercator.ts";

type MapViewProps = {
  /** Initial view; the map moves there again when `startKey` changes. */
  start: LngLat & { zoom: number };
  startKey?: string;
  /** Keeps the current zoom when moving to `start`. */
  keepsZoom?: boolean;
  height: number;
  /** Null for the bundled world outline. */
  tiles: TileSource | null;
  maxZoom?: number | undefined;
  points?: readonly MapPoint[];
  /** Accessible name of the marker for these points. */
  labelOf?: (ids: readonly string[]) => string;
  /** The worst state among these points. */
  toneOf?: (ids: readonly string[]) => MarkerTone;
  /** Called when a marker is clicked. `zoomIn` zooms in by two levels, to split a cluster. */
  onOpen?: (ids: readonly string[], button: HTMLElement, zoomIn: () => void) => void;
  /** Called with the ids of the visible points that are in no cluster. */
  onSingles?: (ids: readonly string[]) => void;
  pin?: Pin | undefined;
  /** Drawn behind the pin. */
  circle?: Circle | undefined;
  onClick?: ((at: LngLat) => void) | undefined;
};

const none: readonly MapPoint[] = [];
/** Above this zoom, the bundled outline shows no detail, so a small overview map is added. */
const nearZoom = 7;
/** Distance (px) outside the viewport within which markers are still rendered. */
const margin = 30;
const minZoom = 0;
/** Maximum zoom of maps with streets. */
const streetZoom = 18;
/** Highest zoom at which the bundled outline still shows something useful: a country and its neighbors. */
export const countryZoom = 5;
const words = { in: "Zoom in", out: "Zoom out", nearest: "You can't zoom in further" };

const loadCanvas = () => import("./MapCanvas.tsx").then(({ MapCanvas }) => MapCanvas);
const Canvas = lazyOptional(loadCanvas);
const Overview = lazyOptional(() => import("./Overview.tsx").then(({ Overview }) => Overview));

/**
 * Delay (ms) until maps below the viewport are drawn, too. Null on phones, which draw maps only when they are near the viewport,
 * because the map library is by far the largest (ADR 0027).
 */
const restMs = () => (window.matchMedia("(pointer: coarse)").matches ? null : 700);

/** Releases its context immediately, because browsers allow only a few per page. */
function hasWebGl(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

export function MapView(props: MapViewProps) {
  const {
    start,
    startKey = "",
    keepsZoom = false,
    points = none,
    labelOf,
    toneOf,
    pin,
    circle,
    tiles,
    maxZoom = streetZoom,
    onSingles,
  } = props;
  const { mode = "system", systemMode = "light" } = useColorScheme();
  const scheme = (mode === "system" ? systemMode : mode) === "dark" ? "dark" : "light";
  const { ref, width, height } = useSize();
  const isNear = useIsNearViewport(ref, restMs());
  const isDrawn = useMemo(() => isNear && hasWebGl(), [isNear]);
  const [middle, setMiddle] = useState(start);
  const [handle, setHandle] = useState<MapHandle | null>(null);
  const [reached, setReached] = useState(startKey);
  const target = keepsZoom ? { ...start, zoom: middle.zoom } : start;
  const goTo = (to: LngLat & { zoom: number }) => (handle === null ? setMiddle(to) : handle.moveTo(to));
  if (reached !== startKey) {
    setReached(startKey);
    if (handle === null) setMiddle(target);
  }
  // Moves the map if `startKey` changes, but not if only `start` does.
  const follow = useEffectEvent((_key: string) => handle?.moveTo(target));
  useEffect(() => follow(startKey), [startKey, handle]);
  const view: Viewport = { ...middle, width, height };
  const clusters = useMemo(() => createClusterIndex(points), [points])(view.zoom);
  const shown = clusters
    .map((cluster) => ({ ...cluster, ...toScreen(cluster.at, view) }))
    .filter(({ left, top }) => left > -margin && left < width + margin && top > -margin && top < height + margin);
  const singles = shown.flatMap(({ ids }) => (ids.length === 1 ? ids : [])).join(" ");
  useEffect(() => onSingles?.(singles === "" ? [] : singles.split(" ")), [singles, onSingles]);
  const zoomBy = (step: number) =>
    goTo({ ...middle, zoom: Math.min(maxZoom, Math.max(minZoom, Math.round(middle.zoom) + step)) });
  const zoomTo = ([x, y]: readonly [number, number]) =>
    goTo({ ...unproject(x, y), zoom: Math.min(maxZoom, Math.floor(middle.zoom) + 2) });
  return (
    <Frame
      ref={ref}
      role="region"
      aria-label="Map"
      style={{ height: props.height, backgroundColor: getMapColors(scheme).sea }}
    >
      <Drawing style={{ "--drawn": `${width}px` } as CSSProperties}>
        {isDrawn && width > 0 ? (
          <Suspense>
            <Canvas
              start={middle}
              tiles={tiles}
              maxZoom={maxZoom}
              scheme={scheme}
              onMove={setMiddle}
              onReady={setHandle}
              onClick={(at) => props.onClick?.(at)}
            />
          </Suspense>
        ) : null}
        <Layer>
          {width === 0
            ? null
            : shown.map(({ key, ids, at, left, top }) => (
                <Marker
                  key={key}
                  left={left}
                  top={top}
                  count={ids.length}
                  label={labelOf?.(ids) ?? String(ids.length)}
                  tone={toneOf?.(ids) ?? null}
                  onClick={(button) => props.onOpen?.(ids, button, () => zoomTo(at))}
                />
              ))}
          {circle === undefined || width === 0 ? null : <CircleMarker circle={circle} view={view} />}
          {pin === undefined || width === 0 ? null : <PinMarker pin={pin} view={view} />}
        </Layer>
      </Drawing>
      {tiles === null && view.zoom > nearZoom ? (
        <Suspense>
          <Overview at={start} scheme={scheme} />
        </Suspense>
      ) : null}
      <ZoomControls canZoomIn={middle.zoom < maxZoom} onZoom={zoomBy} />
      <ScaleBar {...computeScaleBar(view, 90)} />
      <Note sx={{ right: 8 }}>{tiles === null ? "Natural Earth, GeoNames" : sources(tiles)}</Note>
    </Frame>
  );
}

type ZoomControlsProps = { canZoomIn: boolean; onZoom: (step: number) => void };

const ZoomControls = ({ canZoomIn, onZoom }: ZoomControlsProps) => (
  <Controls>
    <Disabled reason={canZoomIn ? undefined : words.nearest}>
      <ZoomButton aria-label={words.in} onClick={() => onZoom(1)}>
        <AddRounded fontSize="small" />
      </ZoomButton>
    </Disabled>
    <ZoomButton aria-label={words.out} onClick={() => onZoom(-1)}>
      <RemoveRounded fontSize="small" />
    </ZoomButton>
  </Controls>
);

const ScaleBar = ({ pixels, label }: ReturnType<typeof computeScaleBar>) => (
  <Note sx={{ left: 8 }}>
    <Box sx={{ borderBottom: 2, borderColor: "text.secondary", textAlign: "center" }} style={{ width: pixels }}>
      {label}
    </Box>
  </Note>
);

const sources = ({ attribution }: TileSource) => [attribution, "GeoNames"].filter(Boolean).join(", ");

/** The canvas isn't redrawn for printing: it keeps its width and is centered, so narrower paper cuts off both sides. */
const Drawing = styled("div")({
  display: "contents",
  "@media print": {
    display: "block",
    position: "absolute",
    top: 0,
    bottom: 0,
    width: "var(--drawn)",
    left: "calc(50% - var(--drawn) / 2)",
  },
});

const Frame = styled("div")(({ theme }) => ({
  position: "relative",
  overflow: "hidden",
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 6,
  isolation: "isolate",
  "@media print": { backgroundColor: "#fff !important" },
}));

const Layer = styled("div")({ position: "absolute", inset: 0, overflow: "hidden", pointerEvents: "none" });

const Controls = styled("div")({
  position: "absolute",
  top: 8,
  right: 8,
  display: "flex",
  flexDirection: "column",
  gap: 4,
});

const ZoomButton = styled(IconButton)(({ theme }) => ({
  width: 32,
  height: 32,
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 6,
  backgroundColor: theme.vars.palette.background.paper,
  color: theme.vars.palette.text.primary,
  "&:hover": { backgroundColor: theme.vars.palette.action.hover },
  "@media (pointer: coarse)": { width: 44, height: 44 },
}));

const Note = styled("div")(({ theme }) => ({
  position: "absolute",
  bottom: 6,
  maxWidth: "60%",
  padding: "0 4px",
  borderRadius: 3,
  fontSize: "0.6875rem",
  lineHeight: "16px",
  color: theme.vars.palette.text.secondary,
  backgroundColor: theme.vars.palette.background.paper,
  pointerEvents: "none",
}));
