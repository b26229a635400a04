// Page to create a location (LO-02).
import { serverErrors } from "@psp/contract/errors.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { resolveAssignSensorScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useAttempt, useFailureToast } from "../../api/useFailure.ts";
import { useDraftKey, useNewObjectFields } from "../../entity/draft.ts";
import { useLeaveGuard } from "../../address/leave-guard.tsx";
import { useGo, useGoAfterSave, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { ObjectPage } from "../../entity/page/ObjectPage.tsx";
import { useRequireCreate } from "../../entity/owner-choice.ts";
import { usePendingChip, addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { ZoneClock } from "../../ui/time/ZoneClock.tsx";
import { RestoredNotice } from "../../ui/form/RestoredNotice.tsx";
import { SaveBar } from "../../ui/form/SaveBar.tsx";
import { type ChosenSensor, SensorSelect } from "../../sensor/SensorSelect.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { emptyLocationFields, locationDataFields, toLocationData } from "../location.facts.ts";
import { location, useInvalidateAssignments } from "../location.entity.ts";
import { locationMenu, locationTabs } from "../page/location.tabs.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "../location.text.ts";

const refusals = {
  none: { title: locationText.createFailed, text: locationText.noAccount },
  notAllowed: { title: locationText.createFailed, text: locationText.createForEmpty },
};

export function NewLocationPage() {
  const go = useGoAfterSave();
  const fail = useFailureToast();
  const tryTo = useAttempt();
  const { owners, own: owner } = useRequireCreate("measurement", paths.locations, refusals);
  const { values, set, isTyped, restored, discard } = useNewObjectFields(
    { ...emptyLocationFields, owner },
    useDraftKey("measurement", "new"),
  );
  const brought = useBroughtSensors();
  const [sensor, setSensor] = useState<ChosenSensor | null>(() => {
    const [id] = brought;
    return id === undefined ? null : { id, locationName: null };
  });
  const others = sensor === null ? [] : brought.filter((id) => id !== sensor.id);
  const pending = usePendingChip();
  const [attempt, setAttempt] = useState(0);
  const [failedCount, setFailedCount] = useState(0);
  const create = location.useCreate();
  const toasts = useToasts();
  const invalidateAssignments = useInvalidateAssignments();
  const sensorRefusal = useSensorRefusal(values.owner?.id ?? null);
  const errors = {
    ...checkLocation(values),
    ...(sensor !== null && sensorRefusal !== undefined ? { sensor: sensorRefusal } : {}),
  };
  const entered = isTyped || sensor?.id !== brought[0] || pending.text !== "";
  const leaveDialog = useLeaveGuard(entered, isTyped ? discard : undefined);

  const save = async () => {
    setAttempt(attempt + 1);
    const { owner: chosen } = values;
    if (Object.keys(errors).length > 0 || chosen === null) return;
    const tags = addPendingChips(values.tags, pending.text);
    const placed = locationDataFields.some((name) => values[name] !== "");
    const make = async () => {
      const made = await create.mutateAsync({
        name: values.name,
        owner: chosen.id,
        ...(sensor === null ? {} : { sensorID: sensor.id }),
        ...(tags.length > 0 ? { tags } : {}),
        ...(values.openingHours === null ? {} : { openingHours: values.openingHours }),
        ...(placed ? { location: toLocationData(values) } : {}),
      });
      if (others.length > 0) await assignOthers(made._id);
      discard();
      go(paths.locationGeneral(made._id), { replace: true, query: brought.length > 0 ? "none" : "keep" });
    };
    await tryTo(locationText.createFailed, make, () => setFailedCount(failedCount + 1));
  };
  /** By now the location exists, so failed assignments are only reported. */
  const assignOthers = async (measID: string) => {
    try {
      const { fail: failed } = await call(batchUpdateSensors, { body: { sensorIDs: others, changes: { measID } } });
      const text = failed.map(({ id, errMessage, details }) => `${id}: ${details?.reason ?? errMessage}`).join(" ");
      if (failed.length > 0) toasts.error({ title: locationText.othersFailed, text });
    } catch (error) {
      fail(locationText.othersFailed)(error);
    }
    invalidateAssignments();
  };
  return (
    <ObjectPage
      list={{ title: locationText.title, path: paths.locations }}
      heading={locationText.newTitle}
      facts={[[locationText.localTime, <ZoneClock key="time" timeZone={null} />]]}
      name={locationText.newTitle}
      menu={newMenu}
    >
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {restored ? <RestoredNotice onDiscard={discard} /> : null}
        <LocationFormFields
          values={values}
          set={set}
          errors={errors}
          attempt={attempt}
          owners={owners}
          stored={null}
          refused={create.error}
          saved={null}
          pending={pending.field}
        />
        <FirstSensor value={sensor} onChange={setSensor} refusal={sensorRefusal} others={others} />
      </Box>
      <SaveBar
        changes={[locationText.newTitle]}
        saving={create.isPending}
        savedCount={0}
        failedCount={failedCount}
        message={locationText.newHint}
        discardLabel="Cancel"
        saveLabel={locationText.createButton}
        onSave={() => void save()}
        onDiscard={() => go(paths.locations)}
      />
      {leaveDialog}
    </ObjectPage>
  );
}

/** Only one page of the menu is enabled. */
const newMenu = locationMenu(locationTabs(null, false, true), "new", "general").map((group) => ({
  ...group,
  entries: group.entries.map((entry) => (entry.current ? { ...entry, path: paths.newLocation } : entry)),
}));

/** Why no sensor can be assigned to a location of this owner (301), or undefined. `ownerId` is null if none is selected. */
function useSensorRefusal(ownerId: string | null): string | undefined {
  const can = useCan();
  const { ownerOf, ready } = useOwners(ownerId === null ? [] : [ownerId]);
  const isRefused =
    ownerId === null ? isEmptySet(resolveAssignSensorScope(can.actor)) : ready && !can.assignSensor(ownerOf(ownerId));
  return isRefused ? serverErrors.noAssignSensor.message : undefined;
}

type FirstSensorProps = {
  value: ChosenSensor | null;
  onChange: (sensor: ChosenSensor | null) => void;
  refusal: string | undefined;
  others: readonly string[];
};

/** Ids of newly registered sensors from the URL. */
function useBroughtSensors(): string[] {
  const { sensorID = [] } = useSearchParams();
  const [ids] = useState(() => [sensorID].flat().flatMap((text) => parseMac(text) ?? []));
  return ids.slice(0, mostBrought);
}
/** Limit for sensors from the URL; more than a user registers in one visit. */
const mostBrought = 200;

/** Select for the first sensor, with the reason if the server would refuse its assignment (ADR 0028). */
function FirstSensor({ value, onChange, refusal, others }: FirstSensorProps) {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const explain = (why: "none" | "notAllowed") => {
    if (why === "notAllowed") return toasts.error({ title: locationText.noSensorAssignable });
    const register = () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" });
    const newSensor = { label: locationText.newSensor, onClick: register };
    toasts.error({ title: locationText.noSensor, ...(can.viewType("sensor") ? { action: newSensor } : {}) });
  };
  return (
    <SectionCard title={locationText.sensors} gap={4}>
      <SensorSelect
        id="location-sensor"
        label={locationText.sensor}
        value={value?.id ?? null}
        onChange={onChange}
        allow={(owner) => refusal === undefined && can.edit("sensor", owner)}
        onNoChoice={explain}
        placeholder={locationText.none}
        error={value === null ? undefined : refusal}
        helperText={value?.locationName ? locationText.leaves(value.locationName) : undefined}
      />
      {others.length === 0 ? null : (
        <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>{locationText.othersToo(others)}</Box>
      )}
    </SectionCard>
  );
}
