// Sensor list with filters, sorting and page number in the URL, and live rows in a stable order (SE-01).
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { openIssueStatuses, type OpenIssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import { connectionStates, installationStates, lastContactFilters } from "@psp/contract/sensor/presence.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import AddRounded from "~icons/ic/round-add";
import { lazy, Suspense, useMemo } from "react";
import { LoadingPage } from "../../address/FallbackPages.tsx";
import { type ListState, useListState } from "../../address/list-state.ts";
import { useGo, useSearchParameter } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import {
  ChoiceField,
  choiceFilter,
  type FilterChoice,
  type ListFilter,
  searchFilter,
  useOwnerFilter,
  useOwnerTreeFilter,
  useReferenceFilter,
  chipsFilter,
} from "../../entity/list/list-filters.tsx";
import { DeniedList } from "../../entity/list/list-empty.tsx";
import { ListPage } from "../../entity/list/list-page.tsx";
import { FirmwareSelect } from "../../entity/reference/FirmwareSelect.tsx";
import { LocationLink } from "../../entity/reference/LocationLink.tsx";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { issueTones } from "../../monitoring/issue-tones.ts";
import { useCan } from "../../api/session/useCan.ts";
import { useSensorStats } from "../../api/session/useHasMonitoringLicense.ts";
import { SetUp } from "../../set-up/SetUp.tsx";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { Name } from "../../ui/table/row/Name.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { ViewSwitch } from "../../vehicle/ViewSwitch.tsx";
import { SensorState } from "../SensorState.tsx";
import { useSensorBatch } from "../batch/useSensorBatch.tsx";
import { formatFirmware } from "../firmware/formatFirmware.ts";
import { sensor } from "../sensor.entity.ts";
import { sensorText as text } from "../sensor.text.ts";
import { sensorParameters } from "./sensor.parameters.ts";
import { TroublePresets } from "./TroublePresets.tsx";

const byId: Sort = [{ id: "_id", desc: false }];

const issuesColumn = (acknowledged: string): Column<Sensor> => ({
  id: "issues",
  header: text.issues,
  width: 152,
  cell: ({ openIssues }) => {
    const shown = openIssues.filter((issue) => acknowledged === "" || acknowledged === String(issue.isAcknowledged));
    const [worst] = shown.map(({ issueStatus }) => issueStatus);
    if (worst === undefined) return "-";
    const count = (status: OpenIssueStatus) => shown.filter(({ issueStatus }) => issueStatus === status).length;
    return (
      <LiveValue>
        <StatusDot tone={issueTones[worst]} label={text.openIssues(count("Error"), count("Warning"))} />
      </LiveValue>
    );
  },
});

/** `firmware`: whether the user may view firmware. `issues`: null unless the list is filtered by issues. */
function columnsFor(firmware: boolean, issues: { acknowledged: string } | null): Column<Sensor>[] {
  return [
    { id: "_id", header: "ID", cell: (row) => <Mono>{row._id}</Mono>, sortable: true, width: 168 },
    {
      // The server sorts by this field.
      id: "lastContactAt",
      header: text.connection,
      cell: (row) => (
        <LiveValue>
          <SensorState presence={row.scomState} timeZone={row.measurement?.location.timezone ?? null} />
        </LiveValue>
      ),
      sortable: true,
      onPhone: "state",
      width: 176,
    },
    ...(issues === null ? [] : [issuesColumn(issues.acknowledged)]),
    { id: "type", header: text.type, cell: (row) => row.type, sortable: true, width: 104, onNarrow: "none" },
    {
      id: "owner",
      header: text.owner,
      onPhone: "none",
      onNarrow: "none",
      // Narrow enough that all columns fit next to the filters in a window of 1280 px.
      minWidth: 120,
      // Doesn't show the owner's presence: in this list, dots refer to sensors.
      cell: ({ owner }) => (owner.isDeleted ? <OwnerLink owner={owner} /> : <Name>{owner.name}</Name>),
    },
    ...(firmware
      ? [
          {
            id: "firmware",
            header: text.firmware,
            cell: (row: Sensor) => {
              const words = formatFirmware(row);
              return words === "-" ? (
                words
              ) : (
                <Ellipsis>
                  <Mono>{words}</Mono>
                </Ellipsis>
              );
            },
            width: 140,
          },
        ]
      : []),
    {
      id: "location",
      header: text.location,
      minWidth: 150,
      cell: (row) => (row.measurement === null ? "-" : <LocationLink location={row.measurement} />),
    },
  ];
}

const VehiclesPage = lazy(() =>
  import("../../vehicle/VehiclesPage.tsx").then(({ VehiclesPage: component }) => ({ default: component })),
);

export function SensorsPage() {
  const [view] = useSearchParameter("viewType");
  if (!useCan().viewType("sensor")) return <DeniedList text={text} />;
  if (view === "vehicles")
    return (
      <Suspense fallback={<LoadingPage />}>
        <VehiclesPage />
      </Suspense>
    );
  return (
    <>
      <SensorList />
      <SetUp below />
    </>
  );
}

function SensorList() {
  const can = useCan();
  const go = useGo();
  const list = useListState(sensorParameters, byId, { isPersisted: true });
  const answer = sensor.useList(list.query);
  const seesFirmware = can.viewType("artifact");
  const byIssues = asksForIssues(list);
  const acknowledged = list.text("acknowledged");
  return (
    <ListPage
      entity={sensor}
      text={{ ...text, showAll: text.clearFilters }}
      list={list}
      answer={answer}
      columns={useMemo(
        () => columnsFor(seesFirmware, byIssues ? { acknowledged } : null),
        [seesFirmware, byIssues, acknowledged],
      )}
      skeletonRows={12}
      rowPath={({ type, _id }) => paths.sensorGeneral(type, _id)}
      primary={{
        label: text.register,
        icon: <AddRounded />,
        onClick: () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" }),
        disabledReason: can.createFor("sensor", can.actor) ? undefined : text.noRegister,
      }}
      toolbar={
        <>
          <ViewSwitch view="sensors" />
          <TroublePresets list={list} />
        </>
      }
      filters={useSensorFilters(list)}
      clearLabel={text.clearFilters}
      batch={useSensorBatch(list.filters, answer.data?.total ?? 0)}
    />
  );
}

const types = sensorTypes.map((type) => [type, type] as const);
const connections = connectionStates.map((state): FilterChoice => [state, text.states[state]]);
const installing = installationStates.map((word): FilterChoice => [word, text.installations[word]]);
const contacts = lastContactFilters.map((span): FilterChoice => [span, text.contacts[span]]);
const issues = openIssueStatuses.map((status): FilterChoice => [status, status]);
const acknowledgements: readonly FilterChoice[] = [
  ["false", text.no],
  ["true", text.yes],
];
const ages: readonly FilterChoice[] = [
  ["true", text.outdated],
  ["false", text.notOutdated],
];
const licenses: readonly FilterChoice[] = [
  ["true", text.withLicense],
  ["false", text.withoutLicense],
];
const claimables: readonly FilterChoice[] = [
  ["enabled", text.enabled],
  ["disabled", text.disabled],
];

const asksForIssues = (list: ListState) => list.many("issueStatus").length > 0 || list.text("acknowledged") !== "";

const labeled = (label: string) => ({ label, any: text.any });

function useSensorFilters(list: ListState): ListFilter[] {
  const can = useCan();
  const claimable = { ...labeled(text.reRegistration), hint: text.reRegistrationFilterHint };
  return [
    searchFilter(list, "sensorID", { search: text.search, name: "ID" }),
    choiceFilter(list, "sensorType", labeled(text.type), types),
    choiceFilter(list, "connected", labeled(text.connection), connections),
    choiceFilter(list, "lastContact", labeled(text.contactFilter), contacts),
    // Shows the issue filters only if one of them is set, e.g. by a link from the dashboard.
    ...(asksForIssues(list)
      ? [
          choiceFilter(list, "issueStatus", labeled(text.issues), issues),
          choiceFilter(list, "acknowledged", labeled(text.acknowledged), acknowledgements),
        ]
      : []),
    choiceFilter(list, "installation", labeled(text.installation), installing),
    useOwnerFilter(list, text),
    useOwnerTreeFilter(list),
    useReferenceFilter({
      list,
      name: "artifactRunningID",
      type: "artifact",
      text: labeled(text.firmware),
      select: can.viewType("artifact") ? (field) => <FirmwareSelect {...field} usableOnly={false} /> : null,
    }),
    useReferenceFilter({
      list,
      name: "artifactID",
      type: "artifact",
      text: labeled(text.assignedFirmware),
      select: can.viewType("artifact") ? (field) => <FirmwareSelect {...field} usableOnly={false} /> : null,
    }),
    ...(can.viewType("artifact") ? [choiceFilter(list, "outdated", labeled(text.outdatedFilter), ages)] : []),
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
    choiceFilter(list, "monitored", labeled(text.license), licenses),
    chipsFilter(list, "groups", { label: text.groups, hint: text.groupsHint }),
  ];
}

const version = "infoSoftwareFirmwareVersion";
const byVersion = new Intl.Collator("en", { numeric: true });

function VersionField({ list }: { list: ListState }) {
  const stats = useSensorStats();
  const asked = list.text(version);
  const reported = stats.data?.totalByInfoFirmware;
  const versions = useMemo(() => {
    const known = (reported ?? []).flatMap(({ _id }) => _id ?? []);
    const all = new Set(asked === "" ? known : [...known, asked]);
    return [...all].toSorted((a, b) => byVersion.compare(b, a)).map((one): FilterChoice => [one, one]);
  }, [reported, asked]);
  return <ChoiceField list={list} name={version} text={labeled(text.firmwareVersion)} choices={versions} />;
}
