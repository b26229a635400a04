// Fields for the first and the last day of a range of counts. On phones, a button opens them.
import CalendarMonthRounded from "~icons/ic/round-calendar-month";
import { Box, Button, Popover, useMediaQuery } from "@mui/material";
import { type CountRange, dateOfDay, formatDayRange, parseDay } from "@psp/contract/counts/count-range.ts";
import { useState } from "react";
import { DateField } from "../ui/time/DateField.tsx";
import { countsText as text } from "./counts.text.ts";
import type { SetView } from "./view.ts";

/** Maximum range of the data service, in days. */
const mostDays = 7306;

type DateFieldsProps = { range: CountRange; today: number; setView: SetView };

export function DateFields(props: DateFieldsProps) {
  const isPhone = useMediaQuery("(max-width: 599.95px)", { noSsr: true });
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  if (!isPhone) return <Fields {...props} />;
  return (
    <>
      <Button
        variant="outlined"
        color="inherit"
        aria-label={text.dates}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        sx={{ px: 2 }}
      >
        <CalendarMonthRounded fontSize="small" />
      </Button>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
        transformOrigin={{ vertical: "top", horizontal: "right" }}
        slotProps={{ paper: { role: "dialog", "aria-label": text.dates, sx: { p: 4, mt: 1 } } }}
      >
        <Fields {...props} />
      </Popover>
    </>
  );
}

/** Both dates apply immediately; a date that would reverse the range moves the other one. */
function Fields({ range, today, setView }: DateFieldsProps) {
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
      sx={{ flex: "1 1 112px", maxWidth: 148 }}
    />
  );
  return (
    <Box sx={{ display: "flex", gap: 2, flex: { xs: "1 1 auto", sm: "0 1 304px" }, minWidth: 232 }}>
      {field("first")}
      {field("last")}
    </Box>
  );
}
