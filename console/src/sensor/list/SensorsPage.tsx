// The sensor list (SE-01): filters, order and page in the address, live rows that keep their places, dialogs over it.
import { sensorListQuery } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import { useMemo } from "react";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { DeniedList, ListPage, useDeletion } from "../../entity/list-page.tsx";
import { useListState } from "../../address/list-state.ts";
import { LocationLink } from "../../entity/reference/LocationLink.tsx";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../session/useCan.ts";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { Mono } from "../../ui/Mono.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { SensorFilters, useSensorChips } from "./SensorFilters.tsx";
import { SensorState } from "../SensorState.tsx";
import { runningVersion } from "../sensor.facts.ts";
import { useSensors } from "../sensor.queries.ts";
import { sensorText } from "../sensor.text.ts";
import { useSensorBatch } from "../batch/useSensorBatch.tsx";

const byId: Sort = [{ id: "_id", desc: false }];

/** The columns; firmware only for those who may view firmware. */
function columnsFor(firmware: boolean): Column<Sensor>[] {
  return [
    { id: "_id", header: "ID", cell: (sensor) => <Mono>{sensor._id}</Mono>, sortable: true, width: 168 },
    {
      id: "connection",
      header: sensorText.connection,
      cell: (sensor) => (
        <SensorState presence={sensor.scomState} timeZone={sensor.measurement?.location.timezone ?? null} />
      ),
      width: 148,
    },
    { id: "type", header: sensorText.type, cell: (sensor) => sensor.type, sortable: true, width: 118 },
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
            cell: (sensor: Sensor) => (
              <Ellipsis>
                <Mono>{runningVersion(sensor) ?? "-"}</Mono>
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
      cell: (sensor) => (sensor.measurement === null ? "-" : <LocationLink location={sensor.measurement} />),
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
  const answer = useSensors(list.query);
  const seesFirmware = can.viewType("artifact");
  const deletion = useDeletion("sensor", answer.data?.objects, ({ _id }) => `Delete ${_id}`, paths.deleteSensor);
  return (
    <ListPage
      text={{ ...sensorText, showAll: sensorText.clearFilters }}
      list={list}
      answer={answer}
      columns={useMemo(() => columnsFor(seesFirmware), [seesFirmware])}
      skeletonRows={12}
      rowLabel={(sensor) => sensor._id}
      rowPath={(sensor) => paths.sensorGeneral(sensor.type, sensor._id)}
      rowActions={deletion}
      primary={{
        label: sensorText.register,
        icon: <AddRounded />,
        onClick: () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" }),
        disabledReason: can.createFor("sensor", can.actor) ? undefined : sensorText.noRegister,
      }}
      filters={<SensorFilters list={list} />}
      chips={useSensorChips(list)}
      clearLabel={sensorText.clearFilters}
      batch={useSensorBatch(list.filters, answer.data?.total ?? 0)}
    />
  );
}
