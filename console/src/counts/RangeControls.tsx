// Controls for selecting the range of counts.
import ChevronLeftRounded from "~icons/ic/round-chevron-left";
import ChevronRightRounded from "~icons/ic/round-chevron-right";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { Box, Button, ToggleButton, ToggleButtonGroup } from "@mui/material";
import {
  dateOfDay,
  type DayRange,
  parseDay,
  adjacentRange,
  presets,
  type CountRange,
  formatDayRange,
} from "@psp/contract/counts/count-range.ts";
import { useEffect, useEffectEvent } from "react";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { DateField } from "../ui/time/DateField.tsx";
import { MenuButton } from "../ui/MenuButton.tsx";
import { countsText as text } from "./counts.text.ts";
import type { SetView } from "./view.ts";

/** Maximum range of the data service, in days. */
const mostDays = 7306;

type RangeControlsProps = {
  range: CountRange;
  today: number;
  setView: SetView;
  /** Called on hover or focus, to prefetch the range. */
  onNear?: (range: string) => void;
};

export function RangeControls({ range, today, setView, onNear }: RangeControlsProps) {
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
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2, minWidth: 0, maxWidth: 1 }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label={text.range}
        value={range.text}
        onChange={(_, preset: string | null) => go(preset)}
        sx={[{ bgcolor: "background.paper" }, (theme) => ({ [theme.breakpoints.down("sm")]: inLines })]}
      >
        {presets.map((preset) => (
          <ToggleButton key={preset} value={preset} sx={{ whiteSpace: "nowrap", textTransform: "none", px: 3 }}>
            {text.presets[preset]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Button
        variant="outlined"
        color="inherit"
        startIcon={<ChevronLeftRounded />}
        onClick={() => go(steps.earlier)}
        {...near(steps.earlier)}
      >
        {text.previous}
      </Button>
      <Disabled reason={steps.later === null ? text.nothingAfter : undefined}>
        <Button
          variant="outlined"
          color="inherit"
          endIcon={<ChevronRightRounded />}
          onClick={() => go(steps.later)}
          {...near(steps.later)}
        >
          {text.next}
        </Button>
      </Disabled>
      <MenuButton
        variant="outlined"
        color="inherit"
        endIcon={<ExpandMoreRounded />}
        entries={usualRanges(today).map(([label, days]) => ({
          label,
          selected: days.first === range.first && days.last === range.last,
          onClick: () => setView({ range: formatDayRange(days, today) }),
        }))}
      >
        {text.more}
      </MenuButton>
    </Box>
  );
}

/** Wraps the buttons where their row is too wide for the screen. */
const inLines = {
  flexWrap: "wrap",
  gap: "4px",
  bgcolor: "transparent",
  "& .MuiToggleButtonGroup-grouped": {
    m: 0,
    border: 1,
    borderColor: "divider",
    borderRadius: "6px",
    bgcolor: "background.paper",
    "&.Mui-selected": { bgcolor: "action.selected" },
  },
} as const;

/** Weeks start on Monday. Day 0, 1 January 1970, was a Thursday. */
function usualRanges(today: number): (readonly [string, DayRange])[] {
  const monday = today - ((today + 3) % 7);
  const date = new Date(today * 86_400_000);
  const month = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1) / 86_400_000;
  const year = date.getUTCFullYear();
  return [
    [text.thisWeek, { first: monday, last: today }],
    [text.lastWeek, { first: monday - 7, last: monday - 1 }],
    [text.thisMonth, { first: month(0), last: today }],
    [text.lastMonth, { first: month(-1), last: month(0) - 1 }],
    [text.lastYear, { first: Date.UTC(year - 1, 0, 1) / 86_400_000, last: Date.UTC(year, 0, 1) / 86_400_000 - 1 }],
  ];
}

/** Both dates apply immediately; a date that would reverse the range moves the other one. */
export function DateFields({ range, today, setView }: Pick<RangeControlsProps, "range" | "today" | "setView">) {
  const choose = (side: "first" | "last", date: string): boolean => {
    const day = parseDay(date);
    if (day === null || day > today || day <= today - mostDays) return false;
    const days =
      side === "first"
        ? { first: day, last: Math.max(day, Math.min(range.last, today)) }
        : { first: Math.min(day, range.first), last: day };
    setView(
      { range: formatDayRange({ ...days, first: Math.max(days.first, days.last - mostDays + 1) }, today) },
      "typed",
    );
    return true;
  };
  const slotProps = { htmlInput: { min: dateOfDay(today - mostDays + 1), max: dateOfDay(today) } };
  const field = (side: "first" | "last") => (
    <DateField
      key={side}
      label={side === "first" ? text.from : text.to}
      value={dateOfDay(range[side])}
      onChoose={(date) => choose(side, date)}
      slotProps={slotProps}
      sx={{ width: { xs: 1, sm: 148 } }}
    />
  );
  return (
    <Box sx={{ display: "flex", gap: 2, flex: { xs: "1 1 100%", sm: "none" }, minWidth: 0 }}>
      {field("first")}
      {field("last")}
    </Box>
  );
}

const ownKeys =
  'input, textarea, select, [contenteditable=true], [role=combobox], [role=dialog], [role=menu], [role=listbox], [role=region][tabindex="0"]';

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
