// Draws lines and zones on a camera picture by mouse, touch and keyboard. The surrounding form has the values.
import type { Point } from "@psp/contract/section/field.ts";
import SwapHorizRounded from "~icons/ic/round-swap-horiz";
import { Box, Button } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { DrawnItems, isCrossed, svgPathOf } from "./DrawnItems.tsx";
import { drawingText as text } from "./drawing.text.ts";
import type { DrawnItem } from "./drawn-items.ts";
import {
  edgesOf,
  newPointAfter,
  withPointInserted,
  isInside,
  withPointMoved,
  nearestPointOnEdge,
  withPointRemoved,
  type Size,
} from "./geometry.ts";
import { type Picture, PictureFrame, sizeOf } from "./PictureFrame.tsx";
import { PointHandle } from "./PointHandle.tsx";

export type EditableItem = DrawnItem & { min: number; max: number };

type Drag = { id: string; index: number; to: Point };

type PictureEditorProps = {
  /** Null while loading. Drawing works without a picture. */
  picture: Picture | null;
  empty?: string;
  items: readonly EditableItem[];
  selected: string | null;
  readOnly?: boolean;
  onSelect: (id: string | null) => void;
  onChange: (id: string, points: readonly Point[]) => void;
  onSwap: (id: string) => void;
};

/** A wide hit area, for touch. */
const Edge = styled("path")({
  fill: "none",
  stroke: "transparent",
  strokeWidth: 16,
  strokeLinecap: "round",
  vectorEffect: "non-scaling-stroke",
  pointerEvents: "stroke",
  cursor: "pointer",
  "&[data-selected]": { cursor: "copy" },
  "@media (pointer: coarse)": { strokeWidth: 44 },
});

export function PictureEditor(props: PictureEditorProps) {
  const { picture, empty, items, selected, readOnly = false, onSelect, onChange, onSwap } = props;
  const surface = useRef<HTMLDivElement>(null);
  const { said, setSaid, add, remove, move } = usePoints(surface, items, onChange);
  const size = sizeOf(picture);
  const changeable = readOnly ? [] : items.filter(({ isExact }) => isExact);
  const edited = changeable.find(({ id }) => id === selected);
  const inexact = readOnly ? undefined : items.find(({ id, isExact }) => id === selected && !isExact);
  const { shown, setDrag } = useDrag(changeable);

  const toPercent = (clientX: number, clientY: number): Point => {
    const { left, top, width, height } = surface.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    return { x: ((clientX - left) / width) * 100, y: ((clientY - top) / height) * 100 };
  };
  const select = (id: string | null) => {
    if (id === selected) return;
    setSaid("");
    onSelect(id);
  };
  const onSurface = ({ clientX, clientY }: MouseEvent) => {
    const at = toPercent(clientX, clientY);
    if (edited !== undefined) return add(edited, edited.points.length, at);
    select(items.findLast(({ closed, points }) => closed && isInside(points, at))?.id ?? null);
  };
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || selected === null) return;
    // Keeps a surrounding dialog open.
    event.stopPropagation();
    select(null);
  };
  const drawnLast = items.map(shown).toSorted((a, b) => Number(a.id === selected) - Number(b.id === selected));
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 2 }}>
      <PictureFrame picture={picture} {...(empty !== undefined && { empty })}>
        <div
          ref={surface}
          role={readOnly ? "group" : "application"}
          aria-label={text.canvas}
          onKeyDown={onEscape}
          style={{ position: "absolute", inset: 0 }}
        >
          <DrawnItems items={drawnLast} size={size} selected={selected}>
            <rect
              width={size.width}
              height={size.height}
              fill="transparent"
              onClick={onSurface}
              style={{ touchAction: "manipulation", cursor: edited === undefined ? "default" : "crosshair" }}
            />
            {drawnLast.map((item) => (
              <Edges
                key={item.id}
                item={item}
                size={size}
                isEdited={item.id === edited?.id}
                onClick={({ from, to, index }, { clientX, clientY }) => {
                  if (item.id !== edited?.id) return select(item.id);
                  add(edited, index, nearestPointOnEdge(from, to, toPercent(clientX, clientY), size));
                }}
              />
            ))}
          </DrawnItems>
          {changeable.map((item) =>
            shown(item).points.map((at, n) => (
              <PointHandle
                key={`${item.id} ${n}`}
                label={text.point(item, n + 1, at)}
                number={n + 1}
                at={at}
                isSelected={item.id === selected}
                // Only the first point of an item is a tab stop, unless the item is selected.
                isTabStop={item.id === selected || n === 0}
                toPercent={toPercent}
                onFocus={() => select(item.id)}
                onDrag={(to) => setDrag(to && { id: item.id, index: n, to })}
                onMove={(to, byKey) => move(item, n, to, byKey)}
                onAdd={() => add(item, n + 1, newPointAfter(item.points, n, item.closed))}
                onRemove={() => remove(item, n)}
              />
            )),
          )}
        </div>
      </PictureFrame>
      {items
        .map(shown)
        .filter(isCrossed)
        .map((item) => (
          <Box key={item.id} role="status" sx={{ color: "error.main" }}>
            {text.cross(item)}
          </Box>
        ))}
      {readOnly ? null : <Hints said={said} edited={edited} inexact={inexact} onSwap={onSwap} />}
    </Box>
  );
}

type EdgesProps = {
  item: EditableItem;
  size: Size;
  isEdited: boolean;
  onClick: (edge: ReturnType<typeof edgesOf>[number], event: MouseEvent) => void;
};

const Edges = ({ item, size, isEdited, onClick }: EdgesProps) =>
  edgesOf(item.points, item.closed).map((edge) => (
    <Edge
      key={edge.index}
      d={svgPathOf([edge.from, edge.to], false, size)}
      data-selected={isEdited ? "" : undefined}
      onClick={(event) => onClick(edge, event)}
    />
  ));

type HintsProps = Pick<PictureEditorProps, "onSwap"> & {
  said: string;
  edited: EditableItem | undefined;
  inexact: EditableItem | undefined;
};

function Hints({ said, edited, inexact, onSwap }: HintsProps) {
  return (
    <Box data-screen-only="" sx={{ color: "text.secondary" }}>
      <Box role="status" sx={{ minHeight: 20, color: "text.primary", fontVariantNumeric: "tabular-nums" }}>
        {said}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2, minHeight: 44 }}>
        <Box sx={{ flex: "1 1 14rem" }}>
          {edited !== undefined ? text.editing(edited) : inexact !== undefined ? text.inexact(inexact) : text.choose}
        </Box>
        {edited === undefined || edited.closed ? null : (
          <Button variant="outlined" color="inherit" startIcon={<SwapHorizRounded />} onClick={() => onSwap(edited.id)}>
            {text.swap}
          </Button>
        )}
      </Box>
    </Box>
  );
}

function useDrag(changeable: readonly EditableItem[]) {
  // The form is updated only when the point is dropped, because it validates and stores every change.
  const [drag, setDrag] = useState<Drag | null>(null);
  const dragged = changeable.find(({ id, points }) => id === drag?.id && drag.index < points.length);
  if (drag !== null && dragged === undefined) setDrag(null);
  const shown = (item: EditableItem) =>
    item === dragged && drag !== null ? { ...item, points: withPointMoved(item.points, drag.index, drag.to) } : item;
  return { shown, setDrag };
}

type Surface = { readonly current: HTMLElement | null };

/** Adds, removes and moves points. `said` is the text that screen readers announce. */
function usePoints(surface: Surface, items: readonly EditableItem[], onChange: PictureEditorProps["onChange"]) {
  const [said, setSaid] = useState("");
  const { focusLater } = useFocusLater(surface, items);
  const add = (item: EditableItem, index: number, point: Point) => {
    if (item.points.length >= item.max) return setSaid(text.full(item, item.max));
    const points = withPointInserted(item.points, index, point);
    setSaid(text.added(index + 1, points[index] ?? point));
    focusLater(item, index);
    onChange(item.id, points);
  };
  const remove = (item: EditableItem, index: number) => {
    if (item.points.length <= item.min) return setSaid(text.fewest(item, item.min));
    setSaid(text.removed(index + 1));
    focusLater(item, Math.min(index, item.points.length - 2));
    onChange(item.id, withPointRemoved(item.points, index));
  };
  const move = (item: EditableItem, index: number, to: Point, byKey: boolean) => {
    const points = withPointMoved(item.points, index, to);
    const at = points[index] ?? to;
    setSaid(byKey ? text.place(at) : "");
    if (at.x !== item.points[index]?.x || at.y !== item.points[index].y) onChange(item.id, points);
  };
  return { said, setSaid, add, remove, move };
}

function useFocusLater(surface: Surface, items: readonly EditableItem[]) {
  const wanted = useRef<{ id: string; index: number } | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const { id, index } = wanted.current;
    wanted.current = null;
    const before = items.slice(
      0,
      items.findIndex((item) => item.id === id),
    );
    const place = before.reduce((sum, { points, isExact }) => sum + (isExact ? points.length : 0), index);
    surface.current?.querySelectorAll("button").item(place)?.focus({ preventScroll: true });
  }, [items, surface]);
  return { focusLater: ({ id }: EditableItem, index: number) => void (wanted.current = { id, index }) };
}
