// Handle of a point, which can be moved by dragging and by keyboard.
import type { Point } from "@psp/contract/section/field.ts";
import { styled } from "@mui/material/styles";
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { drawingText as text } from "./drawing.text.ts";

/** Large enough for touch, but only its center is visible. */
const Handle = styled("button")(({ theme }) => ({
  position: "absolute",
  display: "grid",
  placeItems: "center",
  width: 28,
  height: 28,
  padding: 0,
  border: 0,
  borderRadius: 999,
  background: "none",
  color: "#04211f",
  fontFamily: "inherit",
  fontSize: "0.75rem",
  lineHeight: 1,
  fontWeight: 600,
  transform: "translate(-50%, -50%)",
  touchAction: "none",
  cursor: "grab",
  forcedColorAdjust: "none",
  "&:active": { cursor: "grabbing" },
  "&[data-selected]": { zIndex: 1 },
  "&:focus-visible": { outline: "none", zIndex: 2 },
  "&:focus-visible > span": { outline: `2px solid ${theme.vars.palette.primary.main}`, boxShadow: "0 0 0 5px #fff" },
  "@media (pointer: coarse)": { width: 44, height: 44 },
}));

const Dot = styled("span")({
  display: "grid",
  placeItems: "center",
  width: 12,
  height: 12,
  borderRadius: 999,
  backgroundColor: "#fff",
  border: "2px solid rgb(8 16 16 / 0.85)",
  "[data-selected] > &": { width: 20, height: 20 },
});

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const step = { small: 0.5, large: 5 };

type PointHandleProps = {
  label: string;
  number: number;
  at: Point;
  isSelected: boolean;
  isTabStop: boolean;
  /** Converts screen coordinates to percent of the picture. */
  toPercent: (clientX: number, clientY: number) => Point;
  onFocus: () => void;
  /** Called with the position during a drag, or with null if the drag is canceled. */
  onDrag: (to: Point | null) => void;
  /** `byKey` is true for a move by keyboard, which must be announced to screen readers. */
  onMove: (to: Point, byKey: boolean) => void;
  onAdd: () => void;
  onRemove: () => void;
};

export function PointHandle({ label, number, at, isSelected, isTabStop, toPercent, ...on }: PointHandleProps) {
  // Offset of the pointer from the center, so that the handle doesn't jump when it is grabbed.
  const grip = useRef<{ pointerId: number; dx: number; dy: number } | null>(null);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    // Some browsers don't focus a pressed button.
    event.currentTarget.focus({ preventScroll: true });
    const { x, y } = toPercent(event.clientX, event.clientY);
    grip.current = { pointerId: event.pointerId, dx: x - at.x, dy: y - at.y };
  };
  /** New position of the point; null if the pointer of this event hasn't grabbed the point. */
  const heldAt = (event: PointerEvent): Point | null => {
    const held = grip.current;
    if (held?.pointerId !== event.pointerId) return null;
    const { x, y } = toPercent(event.clientX, event.clientY);
    return { x: x - held.dx, y: y - held.dy };
  };
  const letGo = () => {
    if (grip.current === null) return;
    grip.current = null;
    on.onDrag(null);
  };
  const onPointerMove = (event: PointerEvent) => {
    const to = heldAt(event);
    if (to !== null) on.onDrag(to);
  };
  const onPointerUp = (event: PointerEvent) => {
    const to = heldAt(event);
    if (to === null) return;
    letGo();
    on.onMove(to, false);
  };
  const onPointerLost = (event: PointerEvent) => {
    if (grip.current?.pointerId === event.pointerId) letGo();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (grip.current !== null) {
      if (event.key !== "Escape") return;
      // Escape ends only the drag, not the dialog.
      event.stopPropagation();
      return letGo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = steps[event.key];
    const acts = { Insert: on.onAdd, Enter: on.onAdd, Delete: on.onRemove }[event.key];
    if (way === undefined && acts === undefined) return;
    event.preventDefault();
    acts?.();
    if (way === undefined) return;
    const length = event.shiftKey ? step.large : step.small;
    on.onMove({ x: at.x + way[0] * length, y: at.y + way[1] * length }, true);
  };
  return (
    <Handle
      type="button"
      aria-label={label}
      aria-description={text.keys}
      tabIndex={isTabStop ? 0 : -1}
      data-selected={isSelected ? "" : undefined}
      onFocus={on.onFocus}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerLost}
      onLostPointerCapture={onPointerLost}
      onKeyDown={onKeyDown}
      style={{ left: `${at.x}%`, top: `${at.y}%` }}
    >
      <Dot>{isSelected ? number : null}</Dot>
    </Handle>
  );
}
