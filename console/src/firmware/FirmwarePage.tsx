// The firmware that may be viewed: sensor type, version, owner, checksum.
import { firmwareListQuery } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { OwnerLink } from "../account/OwnerLink.tsx";
import { failureText } from "../api/useFailure.ts";
import { useAccountName } from "../api/useNames.ts";
import { useListState } from "../list-state.ts";
import { useCan } from "../session/useCan.ts";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import type { Column, Sort } from "../ui/columns.ts";
import { useFirmwareList } from "./firmware.queries.ts";
import { firmwareText } from "./firmware.text.ts";

const byTypeAndVersion: Sort = [
  { id: "type", desc: false },
  { id: "name", desc: false },
];
const noRows: Firmware[] = [];

const columns: readonly Column<Firmware>[] = [
  { id: "type", header: firmwareText.type, cell: (firmware) => firmware.type, sortable: true, width: 132 },
  {
    id: "name",
    header: firmwareText.version,
    cell: (firmware) => <Mono>{firmware.name}</Mono>,
    sortable: true,
    width: 160,
  },
  { id: "owner", header: firmwareText.owner, cell: (firmware) => <OwnerLink owner={firmware.owner} />, sortable: true },
  {
    id: "md5",
    header: firmwareText.md5,
    cell: (firmware) => (
      <Ellipsis>
        <Mono>{firmware.md5 ?? "-"}</Mono>
      </Ellipsis>
    ),
    width: 300,
  },
];

export function FirmwarePage() {
  const can = useCan();
  if (can.viewType("artifact")) return <FirmwareList />;
  return (
    <>
      <PageHeader title={firmwareText.title} />
      <EmptyState kind="denied" title={firmwareText.deniedTitle} text={firmwareText.denied} />
    </>
  );
}

function FirmwareList() {
  const list = useListState(firmwareListQuery.shape, byTypeAndVersion);
  const { data, isPending, isError, error, refetch } = useFirmwareList(list.query);
  const owner = list.text("ownerID");
  const type = list.text("sensorType");
  const ownerName = useAccountName(owner || null);
  const chip = (id: string, name: string, value: string | undefined) =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  return (
    <ListLayout
      title={firmwareText.title}
      filters={
        <>
          <SearchField
            label={firmwareText.search}
            value={list.text("name")}
            onChange={(name) => list.set({ name }, "typed")}
          />
          <TextField
            select
            label={firmwareText.type}
            value={type}
            onChange={(event) => list.set({ sensorType: event.target.value })}
            slotProps={{ select: { displayEmpty: true } }}
          >
            <MenuItem value="">{firmwareText.any}</MenuItem>
            {sensorTypes.map((one) => (
              <MenuItem key={one} value={one}>
                {one}
              </MenuItem>
            ))}
          </TextField>
          <AccountSelect
            label={firmwareText.owner}
            value={owner || null}
            onChange={(id) => list.set({ ownerID: id ?? undefined })}
            placeholder={firmwareText.any}
          />
        </>
      }
      chips={[
        ...chip("name", firmwareText.version, list.text("name")),
        ...chip("sensorType", firmwareText.type, list.many("sensorType").join(", ")),
        ...chip("ownerID", firmwareText.owner, ownerName),
      ]}
      onClear={list.clear}
      page={list.page}
      pageSize={list.pageSize}
      total={data?.total}
      onPageChange={list.setPage}
      failure={
        isError && data === undefined
          ? { title: firmwareText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
          : undefined
      }
    >
      <DataTable
        label={firmwareText.title}
        columns={columns}
        rows={data?.objects ?? noRows}
        rowId={(firmware) => firmware._id}
        rowLabel={(firmware) => `${firmware.type} ${firmware.name}`}
        loading={isPending}
        sort={list.sort}
        onSortChange={list.setSort}
        viewKey={list.viewKey}
        empty={
          list.active > 0 ? (
            <EmptyState
              kind="noMatch"
              title={firmwareText.noMatchTitle}
              text={firmwareText.noMatchText}
              action={{ label: firmwareText.showAll, onClick: list.clear }}
            />
          ) : (
            <EmptyState kind="none" title={firmwareText.noneTitle} text={firmwareText.noneText} />
          )
        }
      />
    </ListLayout>
  );
}
