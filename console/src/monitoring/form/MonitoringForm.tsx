// Form for the monitoring configuration of a location or sensor (MO-01).
import { monitoringServices } from "@psp/contract/monitoring/limits.ts";
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import { Alert, Box } from "@mui/material";
import { type ComponentProps, type ReactNode, useMemo, useState } from "react";
import { useDraft, useDraftKey } from "../../entity/draft.ts";
import type { OwnedRow } from "../../entity/entity.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { usePendingChip, addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { ErrorSummary } from "../../ui/form/ErrorSummary.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { monitoringText as text } from "../monitoring.text.ts";
import { MailFields, WeekDayFields } from "./MailFields.tsx";
import {
  toMonitoringFields,
  validateFields,
  labelOf,
  type MonitoringFields,
  toConfig,
  toRequestedStatus,
} from "./monitoring.fields.ts";
import { ServiceGroup } from "./ServiceGroup.tsx";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

type MonitoredRow = OwnedRow & { monitoringConfig?: unknown };
type Change = { monitoringConfig: MonitoringConfig | null };
type FormProps<R extends MonitoredRow> = Parameters<typeof usePageForm<R, MonitoringFields, Change>>[0];

type MonitoringFormProps<R extends MonitoredRow> = Pick<FormProps<R>, "update"> & {
  row: R;
  /** False while `row` is only a placeholder from a list. */
  complete: boolean;
  type: "measurement" | "sensor";
  entity: FormProps<R>["entity"] & { text: { readOnly: string; newValues: string; showNew: string } };
  /** Initial values of a new configuration, instead of the defaults. */
  begin?: unknown;
  said: (on: boolean) => ReactNode;
};

export function MonitoringForm<R extends MonitoredRow>(props: MonitoringFormProps<R>) {
  const { row, complete, type, entity, begin = null, said } = props;
  const can = useCan();
  const { ownerOf, ready } = useOwners([row.owner._id]);
  const mayEdit = can.edit(type, ownerOf(row.owner._id));
  const readOnly = !ready || !complete || !mayEdit;
  const stored = row.monitoringConfig ?? null;
  // Updates that don't affect the form, such as presence, must not reset it.
  const facts = JSON.stringify(toMonitoringFields(stored ?? begin, stored !== null));
  const current = useMemo(() => JSON.parse(facts) as MonitoringFields, [facts]);
  const draft = useDraft(current, row.version, useDraftKey(`${type}-monitoring`, row._id));
  const { values, set } = draft;
  const { monitoring: isOn } = values;
  const pending = usePendingChip();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [attempt, setAttempt] = useState(0);
  const whole = { ...values, toOther: addPendingChips(values.toOther, pending.text) };
  const faults = isOn ? validateFields(whole) : new Map<string, string>();
  // While monitoring is off, only its switch counts as a change. While it is on, a partly typed address counts, too.
  const typed = isOn && whole.toOther.length > values.toOther.length ? (["toOther"] as const) : [];
  const changed = [...new Set([...draft.changed.filter((name) => isOn || name === "monitoring"), ...typed])];
  const forget = () => {
    setLeft(new Set());
    setAttempt(0);
  };
  const { outdated, foot } = usePageForm<R, MonitoringFields, Change>({
    entity,
    row,
    draft,
    toFields: ({ monitoringConfig = null }) => toMonitoringFields(monitoringConfig ?? begin, monitoringConfig !== null),
    update: props.update,
    changes: changed.map(labelOf),
    disabledReason: ready && !mayEdit ? entity.text.readOnly : undefined,
    changeOf() {
      setAttempt(attempt + 1);
      if (faults.size > 0) return undefined;
      return { monitoringConfig: toConfig(whole, toRequestedStatus(current, isOn), stored !== null) };
    },
    undoOf: () => ({
      change: { monitoringConfig: toConfig(current, "UNCHANGED", stored !== null) },
      title: text.changed,
    }),
    onSaved() {
      pending.saved(pending.text);
      forget();
    },
    onDropped() {
      pending.drop();
      forget();
    },
  });
  return (
    <Box sx={{ maxWidth: 640 }}>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
        {ready && complete && !mayEdit ? <Alert severity="info">{entity.text.readOnly}</Alert> : null}
        {outdated(entity.text)}
        {attempt > 0 ? (
          <ErrorSummary
            attempt={attempt}
            errors={[...faults].map(([place, message]) => ({ fieldId: fieldId(place), message }))}
          />
        ) : null}
        <SectionCard title={text.monitoring}>
          <SwitchField
            label={text.monitoring}
            reason={readOnly ? entity.text.readOnly : undefined}
            checked={isOn}
            onChange={(on) => set("monitoring", on)}
          />
          <Box sx={{ color: "text.secondary" }}>{said(isOn)}</Box>
        </SectionCard>
        {isOn ? (
          <Settings
            values={values}
            set={set}
            lock={readOnly ? entity.text.readOnly : undefined}
            pending={pending.field}
            errorAt={(place) => (attempt > 0 || left.has(place) ? faults.get(place) : undefined)}
            onLeave={(place) => setLeft((before) => new Set([...before, place]))}
          />
        ) : null}
      </Box>
      {foot}
    </Box>
  );
}

type SettingsProps = Pick<ComponentProps<typeof MailFields>, "values" | "set" | "lock" | "pending"> & {
  errorAt: (place: string) => string | undefined;
  onLeave: (place: string) => void;
};

function Settings({ values, set, lock, pending, errorAt, onLeave }: SettingsProps) {
  return (
    <>
      <MailFields
        id={fieldId("toOther")}
        values={values}
        set={set}
        lock={lock}
        error={errorAt("toOther")}
        pending={pending}
        onLeave={() => onLeave("toOther")}
      />
      <WeekDayFields values={values} set={set} lock={lock} />
      {monitoringServices.map((service) => (
        <ServiceGroup
          key={service}
          service={service}
          value={values[service]}
          onChange={(value) => set(service, value)}
          lock={lock}
          idOf={(figure) => fieldId(`${service}.${figure}`)}
          errorOf={(figure) => errorAt(`${service}.${figure}`)}
          onLeave={(figure) => onLeave(`${service}.${figure}`)}
        />
      ))}
    </>
  );
}

const fieldId = (place: string) => `monitoring-${place.replace(".", "-")}`;
