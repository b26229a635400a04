// The form of the General tab. Each field is offered as far as the server would accept it (PE-02).
import { assignSensorSet } from "@psp/contract/permission/can.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormHelperText from "@mui/material/FormHelperText";
import Switch from "@mui/material/Switch";
import Typography from "@mui/material/Typography";
import { useMemo, useState } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { CallError } from "../api/call.ts";
import { useFailure } from "../api/useFailure.ts";
import { useDraft } from "../draft.ts";
import { FirmwareSelect } from "../firmware/FirmwareSelect.tsx";
import { useLeaveGuard } from "../leave-guard.tsx";
import { LocationSelect } from "../location/LocationSelect.tsx";
import { useCan, useOwners } from "../session/useCan.ts";
import { ChipsField, withPending } from "../ui/ChipsField.tsx";
import { ConflictDialog } from "../ui/ConflictDialog.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Disabled } from "../ui/Disabled.tsx";
import { Mono } from "../ui/Mono.tsx";
import { SaveBar } from "../ui/SaveBar.tsx";
import { isInstalling } from "./sensor.facts.ts";
import { type SensorUpdate, useUpdateSensor } from "./sensor.queries.ts";
import { sensorText } from "./sensor.text.ts";

type Ref = { id: string; name: string };
type Fields = { owner: Ref; firmware: Ref | null; location: Ref | null; groups: string[]; claimable: boolean };

const labels: Record<keyof Fields, string> = {
  owner: sensorText.owner,
  firmware: sensorText.firmware,
  location: sensorText.location,
  groups: sensorText.groups,
  claimable: sensorText.reRegistration,
};

const ref = (object: { _id: string; name: string } | null): Ref | null =>
  object === null ? null : { id: object._id, name: object.name };

/** Only what was changed is sent; a cleared location or firmware is sent as null. */
function toChange(values: Fields, changed: readonly (keyof Fields)[]): SensorUpdate {
  const has = (name: keyof Fields) => changed.includes(name);
  return {
    ...(has("owner") ? { owner: values.owner.id } : {}),
    ...(has("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
    ...(has("location") ? { measID: values.location?.id ?? null } : {}),
    ...(has("groups") ? { groups: values.groups } : {}),
    ...(has("claimable") ? { claimable: values.claimable } : {}),
  };
}

/** Props: `sensor`, `complete` once it came from the server itself and not from a list. */
export function SensorForm({ sensor, complete }: { sensor: Sensor; complete: boolean }) {
  const can = useCan();
  const fail = useFailure();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const owner = ownerOf(sensor.owner._id);
  const readOnly = !ready || !complete || !can.edit("sensor", owner);
  const current = useMemo<Fields>(
    () => ({
      owner: { id: sensor.owner._id, name: sensor.owner.name },
      firmware: ref(sensor.artifact),
      location: ref(sensor.measurement),
      groups: sensor.groups,
      claimable: sensor.claimable,
    }),
    [sensor.owner._id, sensor.owner.name, sensor.artifact, sensor.measurement, sensor.groups, sensor.claimable],
  );
  const { values, changed, baseVersion, outdated, set, discard } = useDraft(current, sensor.version);
  const [pendingGroup, setPendingGroup] = useState("");
  const [resetKey, setResetKey] = useState(0);
  const [savedCount, setSavedCount] = useState(0);
  const [conflict, setConflict] = useState(false);
  const update = useUpdateSensor(sensor._id);
  const dirty = changed.length > 0 || pendingGroup.trim() !== "";
  const guard = useLeaveGuard(dirty);

  const drop = () => {
    discard();
    setPendingGroup("");
    setResetKey((key) => key + 1);
  };
  const save = async (overwrite: boolean) => {
    setConflict(false);
    const groups = withPending(values.groups, pendingGroup);
    const all = groups.length === values.groups.length ? changed : [...new Set([...changed, "groups" as const])];
    try {
      await update.mutateAsync({
        change: toChange({ ...values, groups }, all),
        ...(overwrite ? {} : { version: baseVersion }),
      });
      drop();
      setSavedCount((count) => count + 1);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) setConflict(true);
      else fail(sensorText.updateFailed)(error);
    }
  };
  const allowOwner = useMemo(
    () => (candidate: Owner) =>
      candidate.id === owner.id || (can.changeOwner("sensor", owner, candidate) && can.assignSensor(candidate)),
    [can, owner],
  );
  const switchReason = readOnly
    ? sensorText.readOnlySwitch
    : sensor.claimingCode === null
      ? sensorText.noCode
      : undefined;
  return (
    <Box>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {readOnly && ready && complete ? <Alert severity="info">{sensorText.readOnly}</Alert> : null}
        {outdated ? (
          <Alert
            severity="warning"
            action={
              <Button size="small" color="inherit" onClick={drop}>
                {sensorText.showNew}
              </Button>
            }
          >
            {sensorText.newValues}
          </Alert>
        ) : null}
        <Card component="section" aria-label={sensorText.assignment}>
          <CardContent sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
            <Typography variant="h2">{sensorText.assignment}</Typography>
            <AccountSelect
              label={sensorText.owner}
              value={values.owner.id}
              valueName={values.owner.name}
              onChange={(id, name) => id !== null && set("owner", { id, name })}
              allow={allowOwner}
              readOnly={readOnly}
              clearable={false}
              required
            />
            <LocationField values={values} readOnly={readOnly} onChange={(location) => set("location", location)} />
            {can.viewType("artifact") ? (
              <FirmwareSelect
                label={sensorText.firmware}
                value={values.firmware?.id ?? null}
                valueName={values.firmware?.name}
                onChange={(id, name) => set("firmware", id === null ? null : { id, name })}
                type={sensor.type}
                placeholder={sensorText.none}
                readOnly={readOnly}
                helperText={
                  sensor.artifact?.isDeleted === true && values.firmware?.id === sensor.artifact._id
                    ? sensorText.deletedFirmware
                    : isInstalling(sensor)
                      ? sensorText.installing
                      : undefined
                }
              />
            ) : null}
            <ChipsField
              label={sensorText.groups}
              value={values.groups}
              onChange={(groups) => set("groups", groups)}
              onPending={setPendingGroup}
              resetKey={resetKey}
              readOnly={readOnly}
              helperText={readOnly ? undefined : sensorText.groupsHint}
            />
          </CardContent>
        </Card>
        <Card component="section" aria-label={sensorText.registration}>
          <CardContent sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
            <Typography variant="h2">{sensorText.registration}</Typography>
            <Box>
              <FormControlLabel
                label={sensorText.reRegistration}
                control={
                  <Disabled kind="input" reason={switchReason}>
                    <Switch checked={values.claimable} onChange={(_, on) => set("claimable", on)} />
                  </Disabled>
                }
              />
              <FormHelperText>
                {sensor.claimingCode === null ? sensorText.noCode : sensorText.mayReRegister}
              </FormHelperText>
            </Box>
            <Box sx={{ display: "flex", alignItems: "center", gap: 2, minHeight: 28 }}>
              <Box component="span" sx={{ fontWeight: 600, mr: 2 }}>
                {sensorText.code}
              </Box>
              <Mono>{sensor.claimingCode ?? "-"}</Mono>
              {sensor.claimingCode === null ? null : (
                <CopyButton value={sensor.claimingCode} label={sensorText.copyCode(sensor._id)} />
              )}
            </Box>
          </CardContent>
        </Card>
      </Box>
      <SaveBar
        changes={dirty ? (changed.length === 0 ? [sensorText.groups] : changed.map((name) => labels[name])) : []}
        saving={update.isPending}
        savedCount={savedCount}
        onSave={() => void save(false)}
        onDiscard={drop}
      />
      <ConflictDialog
        open={conflict}
        subject={sensorText.subject}
        onReload={() => {
          setConflict(false);
          drop();
        }}
        onOverwrite={() => void save(true)}
        onClose={() => setConflict(false)}
      />
      {guard.dialog}
    </Box>
  );
}

/** Locations that the account may put sensors on; the present one always stays choosable. */
function LocationField({
  values,
  readOnly,
  onChange,
}: {
  values: Fields;
  readOnly: boolean;
  onChange: (location: Ref | null) => void;
}) {
  const can = useCan();
  const none = !can.viewType("measurement");
  const noOther = isEmptySet(assignSensorSet(can.actor));
  return (
    <LocationSelect
      label={sensorText.location}
      value={values.location?.id ?? null}
      valueName={values.location?.name}
      onChange={(id, name) => onChange(id === null ? null : { id, name })}
      allow={can.assignSensor}
      placeholder={sensorText.none}
      readOnly={readOnly || (none && values.location === null)}
      helperText={none ? sensorText.noLocations : noOther && !readOnly ? sensorText.noOtherLocation : undefined}
    />
  );
}
