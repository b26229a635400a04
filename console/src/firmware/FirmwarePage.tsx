// The firmware that may be viewed: filters, selection, downloads, and dialogs over the list (FW-01, spec 3 §2).
import { firmwareListQuery } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import DownloadRounded from "@mui/icons-material/DownloadRounded";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useMemo } from "react";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useAccountName } from "../entity/reference/useNames.ts";
import { DeniedList, ListPage, useDeletion } from "../entity/list-page.tsx";
import { type ListState, useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan, useMayCreate, useOwners } from "../session/useCan.ts";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { Mono } from "../ui/Mono.tsx";
import { SearchField } from "../ui/table/SearchField.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { downloadPackage, labelOf, useFirmwareList } from "./firmware.queries.ts";
import { firmwareText } from "./firmware.text.ts";
import { useFirmwareBatch } from "./useFirmwareBatch.ts";

const byTypeAndVersion: Sort = [
  { id: "type", desc: false },
  { id: "name", desc: false },
];

const columns: readonly Column<Firmware>[] = [
  { id: "type", header: firmwareText.type, cell: (firmware) => firmware.type, sortable: true, width: 132 },
  {
    id: "name",
    header: firmwareText.version,
    cell: (firmware) => <Mono>{firmware.name}</Mono>,
    sortable: true,
    cardTitle: true,
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
  return useCan().viewType("artifact") ? <FirmwareList /> : <DeniedList text={firmwareText} />;
}

function FirmwareList() {
  const list = useListState(firmwareListQuery.shape, byTypeAndVersion);
  const answer = useFirmwareList(list.query);
  const mayCreate = useMayCreate("artifact") === true;
  const rows = answer.data?.objects;
  const download = useDownload(rows);
  const deletion = useDeletion("artifact", rows, (row) => firmwareText.remove(labelOf(row)), paths.deleteFirmware);
  const owner = useAccountName(list.text("ownerID") || null);
  return (
    <ListPage
      text={firmwareText}
      list={list}
      answer={answer}
      columns={columns}
      rowLabel={labelOf}
      rowPath={(firmware) => paths.firmwareItem(firmware._id)}
      rowActions={(firmware) => [...download(firmware), ...deletion(firmware)]}
      create={mayCreate ? { label: firmwareText.create, path: paths.newFirmware } : undefined}
      filters={<FirmwareFilters list={list} />}
      chips={[
        ...list.chip("name", firmwareText.version, list.text("name")),
        ...list.chip("sensorType", firmwareText.type, list.many("sensorType").join(", ")),
        ...list.chip("ownerID", firmwareText.owner, owner),
      ]}
      batch={useFirmwareBatch(list.filters, answer.data?.total ?? 0)}
    />
  );
}

/** The package's download where there is a file, with the reason where it may not be fetched. */
function useDownload(rows: readonly Firmware[] | undefined): (firmware: Firmware) => RowAction[] {
  const can = useCan();
  const { ownerOf } = useOwners(useMemo(() => (rows ?? []).map((firmware) => firmware.owner._id), [rows]));
  return (firmware) => {
    if (firmware.file === null) return [];
    const owner = ownerOf(firmware.owner._id);
    const mayFetch = can.fetchPackage({ owner, objPerm: firmware.objPerm });
    return [
      {
        label: firmwareText.download(labelOf(firmware)),
        icon: <DownloadRounded />,
        disabledReason: mayFetch ? undefined : firmwareText.noDownload,
        onClick: () => downloadPackage(firmware),
      },
    ];
  };
}

function FirmwareFilters({ list }: { list: ListState }) {
  return (
    <>
      <SearchField label={firmwareText.search} {...list.typed("name")} />
      <TextField
        select
        label={firmwareText.type}
        value={list.text("sensorType")}
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
      <AccountSelect label={firmwareText.owner} {...list.chosen("ownerID")} placeholder={firmwareText.any} />
    </>
  );
}
