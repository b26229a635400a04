// The form of the General tab: untouched fields follow the news, changed ones keep what was typed, and only those are sent (SE-08).
import { isShown } from "@psp/contract/kit/id-reply.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMemo, useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useDraft } from "../../entity/draft.ts";
import { useLeaveGuard } from "../../address/leave-guard.tsx";
import { useLeftView } from "../../entity/left-view.ts";
import { paths } from "../../address/paths.ts";
import { useSaving } from "../../entity/saving.ts";
import { useCan, useOwners } from "../../session/useCan.ts";
import { usePending, withPending } from "../../ui/form/ChipsField.tsx";
import { ConflictDialog } from "../../ui/form/ConflictDialog.tsx";
import { SaveBar } from "../../ui/form/SaveBar.tsx";
import { FreshValue } from "./FreshValue.tsx";
import { SensorAssignment } from "./SensorAssignment.tsx";
import { SensorLicenses } from "./SensorLicenses.tsx";
import { SensorRegistration } from "./SensorRegistration.tsx";
import { fieldLabels, groupsError, toChange, toFields, wordsOf } from "./sensor.form.ts";
import { useUpdateSensor } from "../sensor.queries.ts";
import { sensorText } from "../sensor.text.ts";
import { useLastChange } from "../useLastChange.ts";

/** Props: `sensor`, `complete` once it came from the server itself and not from a list. */
export function SensorForm({ sensor, complete }: { sensor: Sensor; complete: boolean }) {
  const can = useCan();
  const fail = useFailure();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const owner = ownerOf(sensor.owner._id);
  const readOnly = !ready || !complete || !can.edit("sensor", owner);
  // News that change no field of the form (presence above all) must not disturb it.
  const facts = JSON.stringify(toFields(sensor));
  const current = useMemo(() => JSON.parse(facts) as ReturnType<typeof toFields>, [facts]);
  const draft = useDraft(current, sensor.version);
  const { values, changed, baseVersion, outdated, set, discard } = draft;
  const pending = usePending();
  const [savedCount, setSavedCount] = useState(0);
  const update = useUpdateSensor(sensor._id);
  const leftView = useLeftView({ type: "sensor", id: sensor._id, subject: sensorText.subject, list: paths.sensors });
  const dirty = changed.length > 0 || pending.text.trim() !== "";
  const guard = useLeaveGuard(dirty);
  const groups = withPending(values.groups, pending.text);
  const wrongGroups = groupsError(groups);

  const drop = () => {
    discard();
    pending.drop();
  };
  const saving = useSaving({
    baseVersion,
    attempt: async (seen) => {
      if (wrongGroups !== undefined) return;
      const all = groups.length === values.groups.length ? changed : [...new Set([...changed, "groups" as const])];
      const stored = await update.mutateAsync({ change: toChange({ ...values, groups }, all), ...seen });
      if (!isShown(stored)) {
        drop();
        return leftView();
      }
      draft.saved(values, toFields(stored), stored.version);
      pending.saved(pending.text);
      setSavedCount((count) => count + 1);
    },
    onFailure: fail(sensorText.updateFailed),
    onReload: drop,
  });
  const lastChange = useLastChange(sensor, outdated || saving.conflict.open);
  return (
    <Box>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {readOnly && ready && complete ? <Alert severity="info">{sensorText.readOnly}</Alert> : null}
        {outdated ? <Outdated lastChange={lastChange} onShow={drop} /> : null}
        <SensorAssignment
          sensor={sensor}
          owner={owner}
          draft={draft}
          current={current}
          readOnly={readOnly}
          groupsError={wrongGroups}
          pending={pending.field}
        />
        <SensorRegistration
          sensor={sensor}
          claimable={values.claimable}
          onClaimable={(on) => set("claimable", on)}
          readOnly={readOnly}
          fresh={
            draft.fresh.includes("claimable") ? (
              <FreshValue
                label={fieldLabels.claimable}
                value={wordsOf(current, "claimable")}
                onTake={() => draft.accept("claimable")}
              />
            ) : null
          }
        />
        {can.license() ? <SensorLicenses sensor={sensor} dirty={dirty} /> : null}
      </Box>
      <SaveBar
        changes={dirty ? (changed.length === 0 ? [sensorText.groups] : changed.map((name) => fieldLabels[name])) : []}
        saving={update.isPending}
        savedCount={savedCount}
        onSave={() => void saving.save()}
        onDiscard={drop}
      />
      <ConflictDialog subject={sensorText.subject} detail={lastChange} {...saving.conflict} />
      {guard.dialog}
    </Box>
  );
}

function Outdated({ lastChange, onShow }: { lastChange: string | undefined; onShow: () => void }) {
  return (
    <Alert severity="warning">
      <div>{sensorText.newValues}</div>
      {lastChange === undefined ? null : <div>{lastChange}</div>}
      <Button size="small" color="inherit" variant="outlined" onClick={onShow} sx={{ mt: 2 }}>
        {sensorText.showNew}
      </Button>
    </Alert>
  );
}
