// Controls for the range, bucket size and comparison of counts, in one line where there is room.
import ChevronLeftRounded from "~icons/ic/round-chevron-left";
import ChevronRightRounded from "~icons/ic/round-chevron-right";
import { Button, ButtonGroup } from "@mui/material";
import { styled } from "@mui/material/styles";
import { adjacentRange } from "@psp/contract/counts/count-range.ts";
import { useEffect, useEffectEvent } from "react";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { countsText as text } from "./counts.text.ts";
import { DateFields } from "./DateFields.tsx";
import { RangeSelect } from "./RangeSelect.tsx";
import type { CountsView, SetView } from "./view.ts";
import { BucketSizeSelect, CompareSelect } from "./ViewSelects.tsx";

type RangeControlsProps = {
  view: CountsView;
  today: number;
  setView: SetView;
  /** Whether the bucket size can be selected. */
  hasBuckets?: boolean;
  /** Called on hover or focus, to prefetch the range. */
  onNear?: (range: string) => void;
};

/** Two lines where one would not fit, as on phones: the range with its steps, and the selects. */
const Line = styled("div")(({ theme }) => ({
  display: "flex",
  flexWrap: "wrap",
  alignItems: "flex-end",
  gap: theme.spacing(2),
  minWidth: 0,
  width: "100%",
  "@media (min-width: 720px)": { flexWrap: "nowrap" },
  // As high as fields.
  "& .MuiButton-root": { minHeight: 36, "@media (pointer: coarse)": { minHeight: 44 } },
}));

/** Only their arrows are visible where the line would not fit otherwise. */
const Words = styled("span")(({ theme }) => ({
  [theme.breakpoints.down("lg")]: { position: "absolute", clipPath: "inset(50%)", whiteSpace: "nowrap" },
}));

const step = { px: { xs: 1.5, lg: 2 } };

export function RangeControls({ view, today, setView, hasBuckets = false, onNear }: RangeControlsProps) {
  const { range } = view;
  const steps = { earlier: adjacentRange(range, -1, today), later: adjacentRange(range, 1, today) };
  const go = (to: string | null) => {
    if (to !== null) setView({ range: to });
  };
  useArrowKeys((key) => go(key === "ArrowLeft" ? steps.earlier : steps.later));
  const near = (to: string | null) => {
    const onApproach = () => {
      if (to !== null) onNear?.(to);
    };
    return { onPointerEnter: onApproach, onFocus: onApproach };
  };
  const props = { view, setView };
  return (
    <Line>
      <RangeSelect range={range} today={today} setView={setView} />
      <ButtonGroup variant="outlined" color="inherit" sx={{ flex: "none" }}>
        <Button onClick={() => go(steps.earlier)} {...near(steps.earlier)} sx={step}>
          <ChevronLeftRounded fontSize="small" />
          <Words>{text.previous}</Words>
        </Button>
        <Disabled reason={steps.later === null ? text.nothingAfter : undefined}>
          <Button onClick={() => go(steps.later)} {...near(steps.later)} sx={step}>
            <Words>{text.next}</Words>
            <ChevronRightRounded fontSize="small" />
          </Button>
        </Disabled>
      </ButtonGroup>
      <DateFields range={range} today={today} setView={setView} />
      {hasBuckets ? <BucketSizeSelect {...props} /> : null}
      <CompareSelect {...props} />
    </Line>
  );
}

const ownKeys =
  'input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox], [role=region][tabindex="0"]';

/** Calls `onArrow` for arrow keys, unless a field, menu or scrolled table handles them. */
function useArrowKeys(onArrow: (key: "ArrowLeft" | "ArrowRight") => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, target } = event;
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target instanceof Element && target.closest(ownKeys) !== null) return;
    event.preventDefault();
    onArrow(key);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}
