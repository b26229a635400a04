// Cards of the sensor form: assignment, re-registration and licenses. They offer only what the server would accept (PE-02).
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import QrCode2Rounded from "~icons/ic/round-qr-code-2";
import { Box, Button, FormControlLabel, FormHelperText, Switch } from "@mui/material";
import { useState } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { useAttempt } from "../../api/useFailure.ts";
import type { Draft } from "../../entity/draft.ts";
import { useNewOwnerChoice } from "../../entity/owner-choice.ts";
import { FirmwareSelect } from "../../entity/reference/FirmwareSelect.tsx";
import { OwnerSelect } from "../../entity/reference/AccountSelect.tsx";
import { toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { CopyButton } from "../../ui/CopyButton.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { useTip } from "../../ui/feedback/Tip.tsx";
import { ChipsField } from "../../ui/choice/ChipsField.tsx";
import { sensorPageText } from "../sensor-page.text.ts";
import { describeInstallation, useGrantLicenses } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { LocationField, useNoFirmwareToast } from "./LocationField.tsx";
import { labelOf, type SensorFieldName, type SensorFields, formatFieldValue } from "./sensor.form.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

type CardProps = {
  sensor: Sensor;
  draft: Draft<SensorFields>;
  current: SensorFields;
  readOnly: boolean;
};

type AssignmentProps = CardProps & {
  owner: Owner;
  groupsError: string | undefined;
  pending: { onPending: (text: string) => void; resetKey: number };
};

export function SensorAssignment({ sensor, owner, draft, current, readOnly, groupsError, pending }: AssignmentProps) {
  const { values, set } = draft;
  const can = useCan();
  const owners = useNewOwnerChoice("sensor", owner, "sensor");
  return (
    <SectionCard title={sensorText.assignment} gap={4}>
      <OwnerSelect
        label={sensorText.owner}
        value={values.owner}
        onChange={(chosen) => chosen !== null && set("owner", chosen)}
        owners={owners.choice === undefined ? owners : { ...owners, choice: "receiveSensor" }}
        readOnly={readOnly}
        helperText={values.owner.id === owner.id ? undefined : sensorText.handOverHint}
      />
      <Fresh draft={draft} current={current} name="owner" />
      <LocationField
        value={values.location}
        present={sensor.measurement === null || sensor.measurement.isDeleted ? null : sensor.measurement._id}
        readOnly={readOnly}
        onChange={(place) => set("location", place)}
        opens={!(sensor.measurement?.isDeleted === true && values.location?.id === sensor.measurement._id)}
      />
      <Fresh draft={draft} current={current} name="location" />
      {can.viewType("artifact") ? (
        <FirmwareSelect
          label={sensorText.firmware}
          {...toReferenceFieldProps(values.firmware, (firmware) => set("firmware", firmware))}
          type={sensor.type}
          onNoChoice={useNoFirmwareToast()}
          placeholder={sensorText.none}
          readOnly={readOnly}
          opens={!(sensor.artifact?.isDeleted === true && values.firmware?.id === sensor.artifact._id)}
          helperText={firmwareHint(sensor, values.firmware?.id)}
        />
      ) : null}
      <Fresh draft={draft} current={current} name="firmware" />
      <ChipsField
        label={sensorText.groups}
        value={values.groups}
        onChange={(groups) => set("groups", groups)}
        {...pending}
        readOnly={readOnly}
        error={groupsError}
        helperText={readOnly ? undefined : sensorText.groupsHint}
      />
      <Fresh draft={draft} current={current} name="groups" />
    </SectionCard>
  );
}

function firmwareHint(sensor: Sensor, chosen: string | undefined): string | undefined {
  if (sensor.artifact?.isDeleted === true && chosen === sensor.artifact._id) return sensorText.deletedFirmware;
  return describeInstallation(sensor);
}

/** Shown below an edited field if someone else has saved another value, with a button to accept that value. */
function Fresh({ draft, current, name }: Pick<CardProps, "draft" | "current"> & { name: SensorFieldName }) {
  if (!draft.fresh.includes(name)) return null;
  return (
    <Box
      role="status"
      sx={{ mt: -2, display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 2, color: "warning.main" }}
    >
      <Box component="span" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
        {sensorPageText.freshValue(formatFieldValue(current, name))}
      </Box>
      <Button size="small" color="inherit" onClick={() => draft.accept(name)}>
        {sensorPageText.takeFresh(labelOf(name))}
      </Button>
    </Box>
  );
}

export function SensorRegistration({ sensor, draft, current, readOnly }: CardProps) {
  const { handlers, tip } = useTip(() => sensorText.mayReRegister, 150);
  const { claimingCode: code } = sensor;
  const reason = readOnly ? sensorText.noEdit : code === null ? sensorText.noCode : undefined;
  return (
    <SectionCard title={sensorText.registration}>
      <Box>
        <FormControlLabel
          label={sensorText.reRegistration}
          control={
            <Disabled kind="input" reason={reason}>
              <Switch
                checked={draft.values.claimable}
                onChange={(_, on) => draft.set("claimable", on)}
                {...(reason === undefined ? handlers : {})}
              />
            </Disabled>
          }
        />
        {tip}
        <FormHelperText>{code === null && !readOnly ? sensorText.noCode : sensorText.mayReRegister}</FormHelperText>
        <Fresh draft={draft} current={current} name="claimable" />
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2, minHeight: 28 }}>
        <Box component="span" sx={{ fontWeight: 600, mr: 2 }}>
          {sensorText.code}
        </Box>
        <Mono>{code ?? "-"}</Mono>
        {code === null ? null : <CodeActions id={sensor._id} code={code} />}
      </Box>
    </SectionCard>
  );
}

const loadQr = async () => (await loadChunk("RegistrationQr", () => import("./RegistrationQr.tsx"))).RegistrationQr;

function CodeActions({ id, code }: { id: string; code: string }) {
  const [shown, setShown] = useState(false);
  const onClose = () => setShown(false);
  return (
    <>
      <CopyButton value={code} label={sensorText.copyCode(id)} />
      <Button size="small" variant="outlined" startIcon={<QrCode2Rounded />} onClick={() => setShown(true)}>
        {sensorPageText.showQr}
      </Button>
      {shown ? <LazyDialog load={loadQr} onClose={onClose} show={{ id, code, onClose }} /> : null}
    </>
  );
}

/**
 * For the root account only. A license is saved immediately, which would make unsaved changes outdated, so the switch is disabled
 * while the form is `dirty`.
 */
export function SensorLicenses({ sensor, dirty }: { sensor: Sensor; dirty: boolean }) {
  const attempt = useAttempt();
  const grant = useGrantLicenses(sensor._id);
  // Shows the new value while it is being saved.
  const shown = grant.isPending ? grant.variables.monitoring : sensor.licenses.monitoring;
  const reason = grant.isPending ? sensorPageText.licensesSaving : dirty ? sensorPageText.licensesBlocked : undefined;
  return (
    <SectionCard title={sensorPageText.licenses}>
      <Box>
        <SwitchField
          label={sensorPageText.monitoringLicense}
          reason={reason}
          saving={grant.isPending ? sensorPageText.licensesSaving : null}
          checked={shown}
          onChange={(monitoring) => void attempt(sensorText.updateFailed, () => grant.mutateAsync({ monitoring }))}
        />
        <FormHelperText>{sensorPageText.licensesHint}</FormHelperText>
      </Box>
    </SectionCard>
  );
}
