// The sensor list (SE-01): filters, order and page in the address, live rows that keep their places, dialogs over it.
import { sensorListQuery } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import { useMemo } from "react";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { DeniedList, ListPage } from "../../entity/list-page.tsx";
import { useListState } from "../../address/list-state.ts";
import { LocationLink } from "../../entity/reference/LocationLink.tsx";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../session/useCan.ts";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { Mono } from "../../ui/Mono.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { useSensorFilters } from "./useSensorFilters.tsx";
import { SensorState } from "../SensorState.tsx";
import { runningVersion } from "../sensor.facts.ts";
import { sensor } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { useSensorBatch } from "../batch/useSensorBatch.tsx";

const byId: Sort = [{ id: "_id", desc: false }];

/** The columns; firmware only for those who may view firmware. */
function columnsFor(firmware: boolean): Column<Sensor>[] {
  return [
    { id: "_id", header: "ID", cell: (row) => <Mono>{row._id}</Mono>, sortable: true, width: 168 },
    {
      id: "connection",
      header: sensorText.connection,
      cell: (row) => <SensorState presence={row.scomState} timeZone={row.measurement?.location.timezone ?? null} />,
      width: 148,
    },
    { id: "type", header: sensorText.type, cell: (row) => row.type, sortable: true, width: 118 },
    {
      id: "owner",
      header: sensorText.owner,
      // Whether its people are online is not asked here: in this list a dot is about the sensor.
      cell: ({ owner }) => (owner.isDeleted ? <OwnerLink owner={owner} /> : <Ellipsis>{owner.name}</Ellipsis>),
    },
    ...(firmware
      ? [
          {
            id: "firmware",
            header: sensorText.firmware,
            cell: (row: Sensor) => (
              <Ellipsis>
                <Mono>{runningVersion(row) ?? "-"}</Mono>
              </Ellipsis>
            ),
            // A pre-release is as long as this.
            width: 128,
          },
        ]
      : []),
    {
      id: "location",
      header: sensorText.location,
      cell: (row) => (row.measurement === null ? "-" : <LocationLink location={row.measurement} />),
    },
  ];
}

export function SensorsPage() {
  return useCan().viewType("sensor") ? <SensorList /> : <DeniedList text={sensorText} />;
}

function SensorList() {
  const can = useCan();
  const go = useGo();
  const list = useListState(sensorListQuery.shape, byId);
  const answer = sensor.useList(list.query);
  const seesFirmware = can.viewType("artifact");
  return (
    <ListPage
      entity={sensor}
      text={{ ...sensorText, showAll: sensorText.clearFilters }}
      list={list}
      answer={answer}
      columns={useMemo(() => columnsFor(seesFirmware), [seesFirmware])}
      skeletonRows={12}
      rowPath={({ type, _id }) => paths.sensorGeneral(type, _id)}
      primary={{
        label: sensorText.register,
        icon: <AddRounded />,
        onClick: () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" }),
        disabledReason: can.createFor("sensor", can.actor) ? undefined : sensorText.noRegister,
      }}
      filters={useSensorFilters(list)}
      clearLabel={sensorText.clearFilters}
      batch={useSensorBatch(list.filters, answer.data?.total ?? 0)}
    />
  );
}
