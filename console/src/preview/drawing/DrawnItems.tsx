// Lines and zones drawn over a picture, with directions and names. Colors don't depend on the theme.
import { hasCrossingEdges } from "@psp/contract/section/check/crossing.ts";
import type { Point } from "@psp/contract/section/field.ts";
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";
import { drawingText as text } from "./drawing.text.ts";
import type { DrawnItem } from "./drawn-items.ts";
import { type Arrow, arrowsOf, type Size } from "./geometry.ts";

/** Drawn with a dark outline, to be visible on any background. */
const inks = { line: "#7fe3dc", zone: "#ffd166", crossed: "#ff4d6d" } as const;
const rim = "rgb(8 16 16 / 0.75)";

/** Coordinates are picture pixels. */
const Canvas = styled("svg")({
  position: "absolute",
  inset: 0,
  width: "100%",
  height: "100%",
  overflow: "visible",
  forcedColorAdjust: "none",
});

type DrawnItemsProps = {
  items: readonly DrawnItem[];
  size: Size;
  selected?: string | null;
  /** Hit areas of the edges, on top of the drawing. */
  children?: ReactNode;
};

export function DrawnItems({ items, size, selected = null, children }: DrawnItemsProps) {
  return (
    <>
      <Canvas viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden focusable={false}>
        {items.map((item) => (
          <Shape key={item.id} item={item} size={size} isStrong={item.id === selected} />
        ))}
        {children}
      </Canvas>
      {items.map((item) => (
        <Names key={item.id} item={item} size={size} />
      ))}
    </>
  );
}

/** A zone with crossing edges can't be saved. */
export const isCrossed = ({ closed, points }: DrawnItem) => closed && points.length > 2 && hasCrossingEdges(points);

export const svgPathOf = (points: DrawnItem["points"], closed: boolean, { width, height }: Size): string =>
  points.map(({ x, y }, n) => `${n === 0 ? "M" : "L"}${(x * width) / 100} ${(y * height) / 100}`).join("") +
  (closed ? "Z" : "");

function Shape({ item, size, isStrong }: { item: DrawnItem; size: Size; isStrong: boolean }) {
  const { points, closed, inSide } = item;
  const crossed = isCrossed(item);
  const ink = crossed ? inks.crossed : closed ? inks.zone : inks.line;
  const width = isStrong ? 4 : 2.5;
  const d = svgPathOf(points, closed, size);
  const edge = { d, fill: "none", strokeLinejoin: "round", strokeLinecap: "round" } as const;
  return (
    <g data-crossed={crossed ? "" : undefined}>
      {closed ? <path d={d} fill={ink} fillRule="evenodd" fillOpacity={isStrong ? 0.28 : 0.16} /> : null}
      <path {...edge} stroke={rim} strokeWidth={width + 3} vectorEffect="non-scaling-stroke" />
      <path
        {...edge}
        stroke={ink}
        strokeWidth={width}
        vectorEffect="non-scaling-stroke"
        {...(crossed && { strokeDasharray: "8 6" })}
      />
      {closed || inSide === undefined
        ? null
        : arrowsOf(points, inSide, size).map((arrow, n) => <ArrowHead key={n} arrow={arrow} ink={ink} />)}
    </g>
  );
}

function ArrowHead({ arrow: { from, to }, ink }: { arrow: Arrow; ink: string }) {
  const at = (along: number, aside: number) => {
    const dx = to.x - from.x;
    const dy = to.y - from.y;
    return `${from.x + dx * along - dy * aside} ${from.y + dy * along + dx * aside}`;
  };
  const shaft = `M${at(0, 0)}L${at(0.7, 0)}`;
  const head = `M${at(1, 0)}L${at(0.45, 0.35)}L${at(0.45, -0.35)}Z`;
  return (
    <>
      <path d={shaft} stroke={rim} strokeWidth={5} vectorEffect="non-scaling-stroke" />
      <path
        d={head}
        fill={ink}
        stroke={rim}
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      <path d={shaft} stroke={ink} strokeWidth={2.5} vectorEffect="non-scaling-stroke" />
    </>
  );
}

/** HTML, because SVG text would scale with the picture. */
const Label = styled("span")({
  position: "absolute",
  maxWidth: "45%",
  padding: "0 5px",
  borderRadius: 4,
  fontSize: "0.75rem",
  lineHeight: "18px",
  fontWeight: 600,
  color: "#f3f7f6",
  backgroundColor: "rgb(8 16 16 / 0.78)",
  whiteSpace: "nowrap",
  overflow: "hidden",
  textOverflow: "ellipsis",
  pointerEvents: "none",
  forcedColorAdjust: "none",
});

/** Positions a label next to a point, on the side with more room. */
function beside({ x, y }: Point, below: boolean) {
  return {
    ...(x < 55 ? { left: `calc(${x}% + 12px)` } : { right: `calc(${100 - x}% + 12px)` }),
    ...(below ? { top: `calc(${y}% + 10px)` } : { bottom: `calc(${100 - y}% + 10px)` }),
  };
}

/** Positions a label in front of the arrow's tip, within the picture. */
function atTip({ from, to }: Arrow, { width, height }: Size) {
  const along = (a: number, b: number, whole: number) =>
    Math.min(96, Math.max(4, ((a + (b - a) * 1.45) / whole) * 100));
  return {
    left: `${along(from.x, to.x, width)}%`,
    top: `${along(from.y, to.y, height)}%`,
    transform: "translate(-50%, -50%)",
  };
}

function Names({ item, size }: { item: DrawnItem; size: Size }) {
  const { points, closed, inSide, name } = item;
  const [first = { x: 0, y: 0 }] = points;
  const arrows = closed || inSide === undefined ? [] : arrowsOf(points, inSide, size);
  const [longest] = arrows.toSorted((a, b) => b.length - a.length);
  // Puts the name above or below the point, away from the arrow.
  const below = longest === undefined ? first.y < 12 : (longest.to.y < longest.from.y && first.y < 88) || first.y < 12;
  return (
    <>
      {name === "" ? null : <Label style={beside(first, below)}>{name}</Label>}
      {longest === undefined ? null : <Label style={atTip(longest, size)}>{text.in}</Label>}
    </>
  );
}
