// Fields for the coordinates of a line or zone, in percent of the picture.
import { pointLabel } from "@psp/contract/section/check/sentences.ts";
import type { Point, PointsField } from "@psp/contract/section/field.ts";
import { valueAt } from "@psp/contract/section/values.ts";
import AddRounded from "~icons/ic/round-add";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import { Box, Button, FormHelperText, IconButton } from "@mui/material";
import { useId } from "react";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { sectionText as text } from "../section.text.ts";
import { elementId } from "../section.values.ts";
import { type ListItemRef, useFieldValue, useSectionForm } from "./fieldContext.ts";
import { numberFormat, TypedField } from "./TypedField.tsx";
import { focusAfter } from "./focusAfter.ts";

const tenths = (percent: number) => Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;
const coordinate = (point: unknown, axis: "x" | "y") => {
  const value = valueAt(point, axis);
  return typeof value === "number" ? value : 50;
};

/**
 * Position of a new point. In a zone, it is the middle of the closing edge. In a line, it is 10 % of the picture to the right of
 * the last point, or to the left if the last point is near the right edge.
 */
function nextPoint(points: readonly unknown[], isClosed: boolean): Point {
  const [first, last] = [points[0], points.at(-1)];
  const at = (axis: "x" | "y") =>
    isClosed ? (coordinate(first, axis) + coordinate(last, axis)) / 2 : coordinate(last, axis);
  const along = isClosed ? 0 : at("x") > 90 ? -10 : 10;
  return { x: tenths(at("x") + along), y: tenths(at("y")) };
}

export function PointsFields({ field, within }: { field: PointsField; within?: ListItemRef }) {
  const { readOnly } = useSectionForm();
  const { value, fieldPath, error, errorIn, set, leavePart } = useFieldValue(field.path, within);
  const errorId = useId();
  const points: readonly unknown[] = Array.isArray(value) ? value : [];
  const fewest = points.length <= field.min ? text.fewestPoints(field.min) : undefined;
  const full = points.length >= field.max ? text.mostPoints(field.max) : undefined;
  const move = (n: number, axis: "x" | "y", to: unknown) =>
    set(points.map((point, m) => (m === n ? { ...(point as object), [axis]: to } : point)));
  const firstOf = (n: number) => elementId(`${fieldPath}.${n}.x`);
  const remove = (n: number) => focusAfter(() => set(points.toSpliced(n, 1)), firstOf(Math.min(n, points.length - 2)));
  const add = () => focusAfter(() => set([...points, nextPoint(points, field.closed)]), firstOf(points.length));
  return (
    <Box
      role="group"
      id={elementId(fieldPath)}
      tabIndex={-1}
      aria-label={field.label}
      aria-invalid={error !== undefined}
      aria-describedby={error === undefined ? undefined : errorId}
      sx={{ display: "flex", flexDirection: "column", gap: 3, gridColumn: "1 / -1" }}
    >
      {points.map((point, n) => (
        // Points have no identity except for their index.
        // oxlint-disable-next-line react/no-array-index-key
        <Box key={n} sx={{ display: "flex", alignItems: "flex-start", gap: 2 }}>
          {(["x", "y"] as const).map((axis) => (
            <Box key={axis} sx={{ flex: "1 1 0", minWidth: 0 }}>
              <TypedField
                label={pointLabel(n, axis)}
                fieldPath={`${fieldPath}.${n}.${axis}`}
                value={valueAt(point, axis)}
                spelling={numberFormat}
                onChange={(to) => move(n, axis, to)}
                onLeave={() => leavePart(`${n}.${axis}`)}
                error={errorIn(`${n}.${axis}`)}
                inputMode="decimal"
                readOnly={readOnly}
              />
            </Box>
          ))}
          {readOnly ? null : (
            <Disabled reason={fewest}>
              <IconButton
                aria-label={text.removePoint(n + 1)}
                sx={{ mt: "2px", "&[aria-disabled='true']": { opacity: 0.4 } }}
                onClick={() => remove(n)}
              >
                <DeleteOutlineRounded fontSize="small" />
              </IconButton>
            </Disabled>
          )}
        </Box>
      ))}
      {error === undefined ? null : (
        <FormHelperText error id={errorId} sx={{ m: 0 }}>
          {error}
        </FormHelperText>
      )}
      {readOnly ? null : (
        <Box>
          <Disabled reason={full}>
            <Button size="small" color="inherit" variant="outlined" startIcon={<AddRounded />} onClick={add}>
              {text.addPoint}
            </Button>
          </Disabled>
        </Box>
      )}
    </Box>
  );
}
