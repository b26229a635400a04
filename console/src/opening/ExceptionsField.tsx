// Exceptions by date; those of the past are hidden until they are requested.
import { maxExceptions, type OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import AddRounded from "~icons/ic/round-add";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import { Box, Button, FormHelperText, IconButton, TextField } from "@mui/material";
import { useState } from "react";
import { type OpeningErrors, errorsBelow } from "./opening.rules.ts";
import { openingText as text } from "./opening.text.ts";
import { RangesField } from "./RangesField.tsx";

type Exceptions = OpeningHours["exceptions"];
type ExceptionsFieldProps = {
  id: string;
  value: Exceptions;
  onChange: (exceptions: Exceptions) => void;
  /** `YYYY-MM-DD` */
  today: string;
  errors: OpeningErrors;
  submitted: boolean;
};

export function ExceptionsField({ id, value, onChange, today, errors, submitted }: ExceptionsFieldProps) {
  const [showsEarlier, setShowsEarlier] = useState(false);
  const isWrong = (index: number) => errorsBelow(errors, `exceptions.${index}`).length > 0;
  const isEarlier = ({ date }: Exceptions[number], index: number) => date !== "" && date < today && !isWrong(index);
  const earlier = value.filter(isEarlier).length;
  const change = (index: number, part: Partial<Exceptions[number]>) =>
    onChange(value.map((one, n) => (n === index ? { ...one, ...part } : one)));
  const add = () => {
    onChange([...value, { date: "", hours: [], name: null }]);
    requestAnimationFrame(() => document.getElementById(`${id}-exceptions-${value.length}-date`)?.focus());
  };
  return (
    <Box role="group" aria-label={text.exceptionsTitle} sx={{ display: "grid", gap: 3, justifyItems: "start" }}>
      <Heading title={text.exceptionsTitle} hint={text.exceptionsHint} />
      {earlier > 0 && !showsEarlier ? (
        <Button size="small" onClick={() => setShowsEarlier(true)}>
          {text.earlier(earlier)}
        </Button>
      ) : null}
      {value.map((one, index) =>
        isEarlier(one, index) && !showsEarlier ? null : (
          <Exception
            // oxlint-disable-next-line react/no-array-index-key -- a date may be incomplete or entered twice
            key={index}
            id={`${id}-exceptions-${index}`}
            path={`exceptions.${index}`}
            value={one}
            onChange={(part) => change(index, part)}
            onRemove={() => onChange(value.filter((_, n) => n !== index))}
            errors={errors}
            submitted={submitted}
          />
        ),
      )}
      <Button
        size="small"
        variant="outlined"
        color="inherit"
        startIcon={<AddRounded />}
        onClick={add}
        disabled={value.length >= maxExceptions}
      >
        {text.addException}
      </Button>
      {value.length >= maxExceptions ? <FormHelperText sx={{ mx: 0 }}>{text.mostExceptions}</FormHelperText> : null}
    </Box>
  );
}

export function Heading({ title, hint }: { title: string; hint?: string }) {
  return (
    <Box>
      <Box component="h3" sx={{ m: 0, fontSize: "inherit", fontWeight: 600 }}>
        {title}
      </Box>
      {hint === undefined ? null : <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{hint}</Box>}
    </Box>
  );
}

type ExceptionProps = {
  id: string;
  path: string;
  value: Exceptions[number];
  onChange: (part: Partial<Exceptions[number]>) => void;
  onRemove: () => void;
  errors: OpeningErrors;
  submitted: boolean;
};

function Exception({ id, path, value, onChange, onRemove, errors, submitted }: ExceptionProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const leave = (field: string) => setLeft((before) => new Set([...before, field]));
  const errorOf = (field: "date" | "name") => (submitted || left.has(field) ? errors[`${path}.${field}`] : undefined);
  return (
    <Box
      sx={{
        display: "grid",
        width: "100%",
        gap: 2,
        pl: 3,
        borderLeft: 2,
        borderColor: "divider",
      }}
    >
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "160px minmax(0, 1fr)" } }}>
        <TextField
          id={`${id}-date`}
          label={text.date}
          type="date"
          value={value.date}
          onChange={({ target }) => onChange({ date: target.value })}
          onBlur={() => leave("date")}
          error={errorOf("date") !== undefined}
          helperText={errorOf("date")}
          slotProps={{ inputLabel: { shrink: true }, htmlInput: { min: "2000-01-01", max: "2099-12-31" } }}
          required
        />
        <TextField
          id={`${id}-name`}
          label={text.name}
          value={value.name ?? ""}
          onChange={({ target }) => onChange({ name: target.value === "" ? null : target.value })}
          onBlur={() => leave("name")}
          error={errorOf("name") !== undefined}
          helperText={errorOf("name")}
          autoComplete="off"
        />
      </Box>
      <RangesField
        day={value.name ?? (value.date === "" ? text.newException : value.date)}
        id={`${id}-hours`}
        value={value.hours}
        onChange={(hours) => onChange({ hours })}
        suggest={() => [{ from: "", to: "" }]}
        errors={errors}
        path={`${path}.hours`}
        submitted={submitted}
        action={
          <IconButton
            aria-label={text.removeException(value.date)}
            title={text.removeException(value.date)}
            onClick={onRemove}
          >
            <DeleteOutlineRounded />
          </IconButton>
        }
      />
    </Box>
  );
}
