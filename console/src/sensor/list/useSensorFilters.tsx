// The filters of the sensor list (SE-01).
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import { useMemo } from "react";
import type { ListState } from "../../address/list-state.ts";
import {
  ChoiceField,
  choiceFilter,
  type FilterChoice,
  type ListFilter,
  textFilter,
  useOwnerFilter,
  useReferenceFilter,
  wordsFilter,
} from "../../entity/list-filters.tsx";
import { FirmwareSelect } from "../../entity/reference/FirmwareSelect.tsx";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { useSensorStats } from "../../session/useMonitoringLicense.ts";
import { sensorText as text } from "../sensor.text.ts";

const types = sensorTypes.map((type) => [type, type] as const);
const connections: readonly FilterChoice[] = [
  ["connected", text.states.connected],
  ["disconnected", text.states.disconnected],
];
const claimables: readonly FilterChoice[] = [
  ["enabled", text.enabled],
  ["disabled", text.disabled],
];

const labeled = (label: string) => ({ label, any: text.any });

export function useSensorFilters(list: ListState): ListFilter[] {
  const can = useCan();
  const claimable = { ...labeled(text.reRegistration), hint: text.reRegistrationFilterHint };
  return [
    textFilter(list, "sensorID", { search: text.search, name: "ID" }),
    choiceFilter(list, "sensorType", labeled(text.type), types),
    choiceFilter(list, "connected", labeled(text.connection), connections),
    useOwnerFilter(list, text),
    useReferenceFilter({
      list,
      name: "artifactRunningID",
      type: "artifact",
      text: labeled(text.firmware),
      select: can.viewType("artifact") ? (field) => <FirmwareSelect {...field} usableOnly={false} /> : null,
    }),
    {
      field: <VersionField list={list} />,
      chips: list.chip(version, text.firmwareVersion, list.many(version).join(", ")),
    },
    useReferenceFilter({
      list,
      name: "measID",
      type: "measurement",
      text: labeled(text.location),
      select: can.viewType("measurement") ? (field) => <LocationSelect {...field} /> : null,
    }),
    choiceFilter(list, "claimable", claimable, claimables),
    wordsFilter(list, "groups", { label: text.groups, hint: text.groupsHint }),
  ];
}

const version = "infoSoftwareFirmwareVersion";
const byVersion = new Intl.Collator("en", { numeric: true });

/** The versions that sensors report, newest first. */
function VersionField({ list }: { list: ListState }) {
  const stats = useSensorStats();
  const asked = list.text(version);
  const reported = stats.data?.totalByInfoFirmware;
  const versions = useMemo(() => {
    const told = (reported ?? []).flatMap(({ _id }) => _id ?? []);
    const all = new Set(asked === "" ? told : [...told, asked]);
    return [...all].toSorted((a, b) => byVersion.compare(b, a)).map((one): FilterChoice => [one, one]);
  }, [reported, asked]);
  return <ChoiceField list={list} name={version} text={labeled(text.firmwareVersion)} choices={versions} />;
}
