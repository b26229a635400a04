// Deletes the sales of a location on a range of local days.
import { dateOfDay, parseDay } from "@psp/contract/counts/count-range.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import { failureText } from "../api/useFailure.ts";
import { todayIn } from "../counts/times.ts";
import { toInstantRange } from "../monitoring/zone-days.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import { DateField } from "../ui/time/DateField.tsx";
import { useDeleteSales } from "./sales.queries.ts";
import { salesText as text } from "./sales.text.ts";

type Props = { id: string; name: string; timeZone: string | null; onClose: () => void };

export function DeleteSalesDialog({ id, name, timeZone, onClose }: Props) {
  const today = todayIn(timeZone);
  const [{ first, last }, setDays] = useState({ first: today - 1, last: today - 1 });
  const [failure, setFailure] = useState<string>();
  const remove = useDeleteSales(id);
  const toasts = useToasts();
  const choose = (side: "first" | "last") => (date: string) => {
    const day = parseDay(date);
    if (day === null) return false;
    setDays(side === "first" ? { first: day, last: Math.max(day, last) } : { first: Math.min(day, first), last: day });
    return true;
  };
  const confirm = async () => {
    setFailure(undefined);
    try {
      toasts.success(text.deleted(await remove(toInstantRange({ first, last }, timeZone))));
      onClose();
    } catch (error) {
      setFailure(`${text.deleteFailed} ${failureText(error)}`);
    }
  };
  return (
    <ConfirmDialog
      open
      title={text.deleteTitle}
      confirmLabel={text.deleteButton}
      onConfirm={confirm}
      onClose={onClose}
      error={failure}
      fields={
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3, mt: 4 }}>
          <DateField label={text.from} value={dateOfDay(first)} onChoose={choose("first")} />
          <DateField label={text.to} value={dateOfDay(last)} onChoose={choose("last")} />
        </Box>
      }
    >
      {text.deleteQuestion(name)}
    </ConfirmDialog>
  );
}
