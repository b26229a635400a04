// The filters of the sensor list, as fields and as chips (SE-01). All of them stand in the address.
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useMemo, useState } from "react";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { useName } from "../../entity/reference/useNames.ts";
import { FirmwareSelect } from "../../entity/reference/FirmwareSelect.tsx";
import type { ListState } from "../../address/list-state.ts";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { useSensorStats } from "../../session/useMonitoringLicense.ts";
import { ChipsField } from "../../ui/form/ChipsField.tsx";
import type { ActiveFilter } from "../../ui/table/FilterChips.tsx";
import { SearchField } from "../../ui/table/SearchField.tsx";
import { sensorText } from "../sensor.text.ts";

type Choice = readonly [value: string, label: string];

const types: readonly Choice[] = sensorTypes.map((type) => [type, type]);
const connections: readonly Choice[] = [
  ["connected", sensorText.states.connected],
  ["disconnected", sensorText.states.disconnected],
];
const claimables: readonly Choice[] = [
  ["enabled", sensorText.enabled],
  ["disabled", sensorText.disabled],
];

const byVersion = new Intl.Collator("en", { numeric: true });

/** `choices` may change, but not under the pointer: an open list offers what it began with. */
function Choose(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  hint?: string;
}) {
  // One more at its end would move the others, too, where the list reaches the end of the window.
  const [held, setHeld] = useState<readonly Choice[]>([]);
  const offered = held.length === 0 ? props.choices : held;
  return (
    <TextField
      select
      label={props.label}
      value={offered.some(([value]) => value === props.value) ? props.value : ""}
      onChange={(event) => props.onChange(event.target.value)}
      helperText={props.hint}
      slotProps={{
        select: { displayEmpty: true, onOpen: () => setHeld(props.choices), onClose: () => setHeld([]) },
      }}
    >
      <MenuItem value="">{sensorText.any}</MenuItem>
      {offered.map(([value, label]) => (
        <MenuItem key={value} value={value}>
          {label}
        </MenuItem>
      ))}
    </TextField>
  );
}

export function SensorFilters({ list }: { list: ListState }) {
  const can = useCan();
  const stats = useSensorStats();
  const asked = list.text("infoSoftwareFirmwareVersion");
  const reported = stats.data?.totalByInfoFirmware;
  const versions = useMemo(() => {
    const told = (reported ?? []).flatMap(({ _id }) => _id ?? []);
    const all = new Set(asked === "" ? told : [...told, asked]);
    return [...all].toSorted((a, b) => byVersion.compare(b, a)).map((version): Choice => [version, version]);
  }, [reported, asked]);
  return (
    <>
      <SearchField label={sensorText.search} {...list.typed("sensorID")} />
      <Choose
        label={sensorText.type}
        value={list.text("sensorType")}
        choices={types}
        onChange={(sensorType) => list.set({ sensorType })}
      />
      <Choose
        label={sensorText.connection}
        value={list.text("connected")}
        choices={connections}
        onChange={(connected) => list.set({ connected })}
      />
      <AccountSelect label={sensorText.owner} {...list.chosen("ownerID")} placeholder={sensorText.any} />
      {can.viewType("artifact") ? (
        <FirmwareSelect
          label={sensorText.firmware}
          {...list.chosen("artifactRunningID")}
          usableOnly={false}
          placeholder={sensorText.any}
        />
      ) : null}
      <Choose
        label={sensorText.firmwareVersion}
        value={asked}
        choices={versions}
        onChange={(infoSoftwareFirmwareVersion) => list.set({ infoSoftwareFirmwareVersion })}
      />
      {can.viewType("measurement") ? (
        <LocationSelect label={sensorText.location} {...list.chosen("measID")} placeholder={sensorText.any} />
      ) : null}
      <Choose
        label={sensorText.reRegistration}
        value={list.text("claimable")}
        choices={claimables}
        onChange={(claimable) => list.set({ claimable })}
        hint={sensorText.reRegistrationFilterHint}
      />
      <ChipsField label={sensorText.groups} {...list.several("groups")} helperText={sensorText.groupsHint} />
    </>
  );
}

/** The active filters as removable chips, with names instead of ids. */
export function useSensorChips(list: ListState): ActiveFilter[] {
  const one = (name: string) => list.text(name) || null;
  const owner = useName("account", one("ownerID"));
  const location = useName("measurement", one("measID"));
  const firmware = useName("artifact", one("artifactRunningID"));
  const groups = list.several("groups");
  const word = (choices: readonly Choice[], name: string) => choices.find(([value]) => value === list.text(name))?.[1];
  return [
    ...list.chip("sensorID", "ID", list.text("sensorID")),
    ...list.chip("sensorType", sensorText.type, list.many("sensorType").join(", ")),
    ...list.chip("connected", sensorText.connection, word(connections, "connected")),
    ...list.chip("ownerID", sensorText.owner, owner),
    ...list.chip("artifactRunningID", sensorText.firmware, firmware),
    ...list.chip(
      "infoSoftwareFirmwareVersion",
      sensorText.firmwareVersion,
      list.many("infoSoftwareFirmwareVersion").join(", "),
    ),
    ...list.chip("measID", sensorText.location, location),
    ...list.chip("claimable", sensorText.reRegistration, word(claimables, "claimable")),
    ...groups.value.map((group) => ({
      id: `groups ${group}`,
      name: sensorText.groups,
      value: group,
      onRemove: () => groups.onChange(groups.value.filter((one) => one !== group)),
    })),
  ];
}
