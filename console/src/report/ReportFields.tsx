// The fields of a report: recipients, period, schedule and content.
import { Box, Button, FormControl, FormHelperText, FormLabel, TextField, Typography } from "@mui/material";
import type { Report, ReportContent, ReportFormat } from "@psp/contract/report/report.ts";
import { useId } from "react";
import { CheckField, SwitchField } from "../entity/page/SwitchField.tsx";
import { NameAndOwnerFields, type OwnedFieldsProps } from "../entity/name-and-owner.tsx";
import { ChipsField } from "../ui/choice/ChipsField.tsx";
import { SelectField } from "../ui/form/SelectField.tsx";
import { filtersText, findRecipientsError, type ReportFields as Fields } from "./report-form.rules.ts";
import { reportsText as text } from "./reports.text.ts";

type Props = OwnedFieldsProps<Report | undefined, Fields>;

const pairs = <K extends string>(words: Readonly<Record<K, string>>) => Object.entries(words) as [K, string][];
const side = {
  display: "grid",
  gap: 4,
  gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" },
};

export function ReportFields({ row, values, set, readOnly, submitted, ...rest }: Props) {
  return (
    <>
      {row?.stopped ? (
        <Typography role="alert" sx={{ color: "error.main", overflowWrap: "anywhere" }}>
          {row.stopped}
        </Typography>
      ) : null}
      <NameAndOwnerFields
        {...rest}
        submitted={submitted}
        text={{ name: text.name, owner: text.owner }}
        values={values}
        onName={(name) => set("name", name)}
        onOwner={(owner) => set("owner", owner)}
        readOnly={readOnly}
      />
      {row !== undefined && row.recipients === undefined ? (
        <TextField
          label={text.recipients}
          value={text.recipientCount(row.recipientCount)}
          slotProps={{ input: { readOnly: true } }}
        />
      ) : (
        <Recipients {...{ row, values, set, readOnly, submitted }} />
      )}
      <Box sx={side}>
        <SelectField
          label={text.range}
          value={values.range}
          onChange={(range) => set("range", range)}
          choices={pairs(text.ranges)}
          disabled={readOnly}
        />
        <SelectField
          label={text.compare}
          value={values.compare}
          onChange={(compare) => set("compare", compare)}
          choices={pairs(text.comparisons)}
          disabled={readOnly}
        />
      </Box>
      <ScheduleFields {...{ values, set, readOnly }} />
      <Content {...{ values, set, readOnly, submitted }} />
      <Files {...{ values, set, readOnly }} />
      <CheckField
        label={text.open}
        checked={values.isOpenOnly}
        onChange={(on) => set("isOpenOnly", on)}
        reason={readOnly ? text.readOnly : undefined}
      />
      <Box sx={side}>
        <SelectField
          label={text.groupBy}
          value={values.groupBy}
          onChange={(groupBy) => set("groupBy", groupBy)}
          choices={pairs(text.groupings)}
          helperText={text.groupingHints[values.groupBy]}
          disabled={readOnly}
        />
      </Box>
      <Filters {...{ values, set, readOnly }} />
      <SwitchField
        label={text.enabled}
        checked={values.isEnabled}
        onChange={(on) => set("isEnabled", on)}
        reason={readOnly ? text.readOnly : undefined}
      />
    </>
  );
}

type Part = Pick<Props, "values" | "set" | "readOnly">;

function Recipients({ row, values, set, readOnly, submitted }: Part & Pick<Props, "row" | "submitted">) {
  const error = findRecipientsError(values.recipients);
  const open = (row?.recipients ?? []).filter(({ status }) => status !== "confirmed");
  return (
    <div>
      <ChipsField
        label={text.recipients}
        value={values.recipients}
        onChange={(recipients) => set("recipients", recipients)}
        readOnly={readOnly}
        error={submitted || values.recipients.length > 0 ? error : undefined}
        helperText={text.recipientsHint}
      />
      {open.map(({ email, status }) => (
        <FormHelperText key={email} sx={{ overflowWrap: "anywhere" }}>
          {email} {text.statuses[status]}
        </FormHelperText>
      ))}
    </div>
  );
}

function ScheduleFields({ values, set, readOnly }: Part) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([values.zone, here])].filter((zone) => zone !== "");
  return (
    <Box sx={side}>
      <SelectField
        label={text.every}
        value={values.every}
        onChange={(every) => set("every", every)}
        choices={pairs(text.everyWords)}
        disabled={readOnly}
      />
      {values.every === "week" ? (
        <SelectField
          label={text.on_}
          value={values.weekday}
          onChange={(weekday) => set("weekday", weekday)}
          choices={pairs(text.weekdays)}
          disabled={readOnly}
        />
      ) : values.every === "month" ? (
        <SelectField
          label={text.dayOfMonth}
          value={values.monthDay}
          onChange={(monthDay) => set("monthDay", monthDay)}
          choices={Array.from({ length: 31 }, (_, n) => [n + 1, String(n + 1)] as const)}
          helperText={values.monthDay > 28 ? text.dayOfMonthHint : undefined}
          disabled={readOnly}
        />
      ) : (
        <span />
      )}
      <TextField
        label={text.at}
        type="time"
        value={values.at}
        onChange={({ target }) => {
          if (target.value !== "") set("at", target.value.slice(0, 5));
        }}
        slotProps={{ inputLabel: { shrink: true }, input: { readOnly } }}
      />
      <SelectField
        label={text.zone}
        value={values.zone === "" ? "-" : values.zone}
        onChange={(zone) => set("zone", zone === "-" ? "" : zone)}
        choices={[["-", text.zoneOfLocation] as const, ...zones.map((zone) => [zone, zone] as const)]}
        disabled={readOnly}
      />
    </Box>
  );
}

function Content({ values, set, readOnly, submitted }: Part & Pick<Props, "submitted">) {
  const id = useId();
  const isEmpty = values.content.length === 0;
  const reason = readOnly ? text.readOnly : undefined;
  const toggle = (part: ReportContent, on: boolean) =>
    set("content", on ? [...values.content, part] : values.content.filter((one) => one !== part));
  return (
    <FormControl component="fieldset" error={submitted && isEmpty} aria-describedby={isEmpty ? id : undefined}>
      <FormLabel component="legend">{text.content}</FormLabel>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 2 }}>
        {pairs(text.contents).map(([part, label]) => (
          <CheckField
            key={part}
            label={label}
            checked={values.content.includes(part)}
            onChange={(on) => toggle(part, on)}
            reason={reason}
          />
        ))}
      </Box>
      {isEmpty ? <FormHelperText id={id}>{text.contentRequired}</FormHelperText> : null}
    </FormControl>
  );
}

function Files({ values, set, readOnly }: Part) {
  const reason = readOnly ? text.readOnly : undefined;
  const toggle = (format: ReportFormat, on: boolean) =>
    set("formats", on ? [...values.formats, format] : values.formats.filter((one) => one !== format));
  return (
    <FormControl component="fieldset">
      <FormLabel component="legend">{text.files}</FormLabel>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 2 }}>
        {pairs(text.formats).map(([format, label]) => (
          <CheckField
            key={format}
            label={label}
            checked={values.formats.includes(format)}
            onChange={(on) => toggle(format, on)}
            reason={reason}
          />
        ))}
      </Box>
    </FormControl>
  );
}

function Filters({ values, set, readOnly }: Part) {
  const words = filtersText(values.filters);
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 4, rowGap: 1 }}>
      <Typography sx={{ overflowWrap: "anywhere", minWidth: 0 }}>{words}</Typography>
      {readOnly || words === text.allLocations ? null : (
        <Button size="small" onClick={() => set("filters", {})}>
          {text.reportOnAll}
        </Button>
      )}
    </Box>
  );
}
