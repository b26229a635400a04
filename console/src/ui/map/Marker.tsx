// Buttons on a map: markers of points or clusters, and a movable pin for choosing a position.
import LocationOnRounded from "~icons/ic/round-location-on";
import { styled } from "@mui/material/styles";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { fromScreen, type LngLat, toScreen, project, type Viewport } from "./mercator.ts";

const Button = styled("button")(({ theme }) => ({
  ...theme.typography.caption,
  position: "absolute",
  left: 0,
  top: 0,
  display: "grid",
  placeItems: "center",
  padding: 0,
  border: `2px solid ${theme.vars.palette.background.paper}`,
  borderRadius: 999,
  backgroundColor: theme.vars.palette.primary.main,
  color: theme.vars.palette.primary.contrastText,
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
  cursor: "pointer",
  pointerEvents: "auto",
  boxShadow: "0 1px 4px rgb(6 20 18 / 0.35)",
  forcedColorAdjust: "none",
  "&:hover": { backgroundColor: theme.vars.palette.primary.dark },
  "&[data-tone=warning]": {
    backgroundColor: theme.vars.palette.warning.main,
    color: theme.vars.palette.warning.contrastText,
  },
  "&[data-tone=bad]": {
    backgroundColor: theme.vars.palette.error.main,
    color: theme.vars.palette.error.contrastText,
    borderRadius: 6,
  },
  "&[data-tone=quiet]": {
    backgroundColor: theme.vars.palette.text.secondary,
    color: theme.vars.palette.background.paper,
  },
  "&:focus-visible": { outline: `2px solid ${theme.vars.palette.text.primary}`, outlineOffset: 2, zIndex: 1 },
}));

const short = new Intl.NumberFormat("en", { notation: "compact" });

/** The worst state among a marker's points; the label states it, too. `quiet` means that nothing is known. */
export type MarkerTone = "warning" | "bad" | "quiet" | null;

type MarkerProps = {
  left: number;
  top: number;
  count: number;
  label: string;
  tone: MarkerTone;
  onClick: (button: HTMLElement) => void;
};

/** The size shows the number of points; the color and the shape show the worst state among them. */
export function Marker({ left, top, count, label, tone, onClick }: MarkerProps) {
  const size = count === 1 ? 24 : Math.min(52, 28 + 6 * Math.log10(count) * 1.5);
  return (
    <Button
      type="button"
      data-on-paper=""
      data-tone={tone ?? undefined}
      aria-label={label}
      title={label}
      onClick={(event) => onClick(event.currentTarget)}
      style={{ width: size, height: size, transform: `translate(${left - size / 2}px, ${top - size / 2}px)` }}
    >
      {count === 1 ? <LocationOnRounded aria-hidden sx={{ fontSize: 14 }} /> : short.format(count)}
    </Button>
  );
}

const PinButton = styled(Button)(({ theme }) => ({
  width: 44,
  height: 44,
  border: 0,
  boxShadow: "none",
  backgroundColor: "transparent",
  color: theme.vars.palette.primary.main,
  touchAction: "none",
  "&:hover": { backgroundColor: "transparent" },
  "&[data-movable]": { cursor: "grab" },
  "&[data-movable]:active": { cursor: "grabbing" },
}));

const steps: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const stepPixels = 8;

export type Pin = {
  at: LngLat;
  label: string;
  /** Explains how to move the pin. */
  hint: string;
  /** Undefined if the pin is read-only. */
  onMove?: ((to: LngLat) => void) | undefined;
};

/** The pin's tip marks the position. Arrow keys move the pin by 8 px, or with Shift by 1 px. */
export function PinMarker({ pin: { at, label, hint, onMove }, view }: { pin: Pin; view: Viewport }) {
  const grip = useRef<{ dx: number; dy: number } | null>(null);
  const { left, top } = toScreen(project(at), view);
  const move = (to: { left: number; top: number }) => onMove?.(fromScreen(to, view));
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (onMove === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { dx: event.clientX - left, dy: event.clientY - top };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || onMove === undefined) return;
    event.preventDefault();
    const length = event.shiftKey ? 1 : stepPixels;
    move({ left: left + step[0] * length, top: top + step[1] * length });
  };
  return (
    <PinButton
      type="button"
      aria-label={label}
      {...(onMove === undefined ? {} : { "data-movable": "", "aria-description": hint, title: hint })}
      onPointerDown={onPointerDown}
      onPointerMove={({ clientX, clientY }) => {
        if (grip.current !== null) move({ left: clientX - grip.current.dx, top: clientY - grip.current.dy });
      }}
      onLostPointerCapture={() => (grip.current = null)}
      onKeyDown={onKeyDown}
      style={{ transform: `translate(${left - 22}px, ${top - 41}px)` }}
    >
      <LocationOnRounded aria-hidden sx={{ fontSize: 44 }} />
    </PinButton>
  );
}
