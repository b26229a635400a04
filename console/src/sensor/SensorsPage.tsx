// The sensor list (SE-01): filters, order and page in the address, live rows that keep their places, dialogs over it.
import { sensorListQuery } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import { Outlet } from "@tanstack/react-router";
import { useMemo } from "react";
import { failureText } from "../api/useFailure.ts";
import { useListState } from "../list-state.ts";
import { LocationLink } from "../location/LocationLink.tsx";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import type { Column, Sort } from "../ui/columns.ts";
import { SensorFilters, useSensorChips } from "./SensorFilters.tsx";
import { SensorState } from "./SensorState.tsx";
import { runningVersion } from "./sensor.facts.ts";
import { useSensors } from "./sensor.queries.ts";
import { sensorText } from "./sensor.text.ts";

const byId: Sort = [{ id: "_id", desc: false }];
const sensorId = (sensor: Sensor) => sensor._id;

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
      width: 138,
    },
    { id: "type", header: sensorText.type, cell: (sensor) => sensor.type, sortable: true, width: 118 },
    { id: "owner", header: sensorText.owner, cell: (sensor) => sensor.owner.name },
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
            width: 104,
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
  const can = useCan();
  if (!can.viewType("sensor")) {
    return (
      <>
        <PageHeader title={sensorText.title} />
        <EmptyState kind="denied" title={sensorText.deniedTitle} text={sensorText.denied} />
        <Outlet />
      </>
    );
  }
  return <SensorList />;
}

function SensorList() {
  const can = useCan();
  const go = useGo();
  const list = useListState(sensorListQuery.shape, byId);
  const { data, isPending, isError, error, isPlaceholderData, refetch } = useSensors(list.query);
  const seesFirmware = can.viewType("artifact");
  const columns = useMemo(() => columnsFor(seesFirmware), [seesFirmware]);
  const chips = useSensorChips(list);
  const rows = data?.objects ?? noRows;
  const { ownerOf } = useOwners(rows.map((sensor) => sensor.owner._id));
  const filtered = list.active > 0;
  return (
    <>
      <ListLayout
        title={sensorText.title}
        filters={<SensorFilters list={list} />}
        chips={chips}
        onClear={list.clear}
        clearLabel={sensorText.clearFilters}
        page={list.page}
        pageSize={list.pageSize}
        total={isPlaceholderData && rows.length === 0 ? undefined : data?.total}
        onPageChange={list.setPage}
        failure={
          isError && data === undefined
            ? { title: sensorText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
            : undefined
        }
      >
        <DataTable
          label={sensorText.title}
          columns={columns}
          rows={rows}
          rowId={sensorId}
          rowLabel={sensorId}
          loading={isPending}
          skeletonRows={12}
          sort={list.sort}
          onSortChange={list.setSort}
          viewKey={list.viewKey}
          onRowClick={(sensor) => go(paths.sensorGeneral(sensor.type, sensor._id))}
          rowActions={(sensor) =>
            can.delete("sensor", ownerOf(sensor.owner._id))
              ? [
                  {
                    label: `Delete ${sensor._id}`,
                    icon: <DeleteOutlineRounded />,
                    danger: true,
                    onClick: () => go(paths.deleteSensor(sensor._id)),
                  },
                ]
              : []
          }
          empty={
            filtered ? (
              <EmptyState
                kind="noMatch"
                title={sensorText.noMatchTitle}
                text={sensorText.noMatchText}
                action={{ label: sensorText.clearFilters, onClick: list.clear }}
              />
            ) : (
              <EmptyState kind="none" title={sensorText.noneTitle} text={sensorText.noneText} />
            )
          }
        />
      </ListLayout>
      <Outlet />
    </>
  );
}

const noRows: Sensor[] = [];
