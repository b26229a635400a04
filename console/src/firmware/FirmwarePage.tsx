// Firmware list with filters, batches, downloads and dialogs (FW-01).
import { firmwareListQuery } from "@psp/contract/firmware/firmware.query.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import DownloadRounded from "~icons/ic/round-download";
import QueryStatsRounded from "~icons/ic/round-query-stats";
import { useMemo } from "react";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useOwnedBatch } from "../entity/batch/owned-batch.tsx";
import { choiceFilter, nameFilter, useOwnerFilter } from "../entity/list/list-filters.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import { useListState } from "../address/list-state.ts";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { Mono } from "../ui/Mono.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { downloadPackage, firmware } from "./firmware.entity.ts";
import { firmwareText } from "./firmware.text.ts";

const types = sensorTypes.map((type) => [type, type] as const);
const byTypeAndVersion: Sort = [
  { id: "type", desc: false },
  { id: "name", desc: false },
];

const columns: readonly Column<Firmware>[] = [
  { id: "type", header: firmwareText.type, cell: ({ type }) => type, sortable: true, width: 132 },
  {
    id: "name",
    header: firmwareText.version,
    cell: ({ name }) => <Mono>{name}</Mono>,
    sortable: true,
    onPhone: "title",
    width: 160,
  },
  { id: "owner", header: firmwareText.owner, cell: ({ owner }) => <OwnerLink owner={owner} />, sortable: true },
  {
    id: "md5",
    header: firmwareText.md5,
    cell: ({ md5 }) => (
      <Ellipsis>
        <Mono>{md5 ?? "-"}</Mono>
      </Ellipsis>
    ),
    width: 300,
    onNarrow: "none",
    onPhone: "none",
  },
];

export function FirmwarePage() {
  return useCan().viewType("artifact") ? <FirmwareList /> : <DeniedList text={firmwareText} />;
}

function FirmwareList() {
  const list = useListState(firmwareListQuery.shape, byTypeAndVersion, { isPersisted: true });
  const answer = firmware.useList(list.query);
  return (
    <ListPage
      entity={firmware}
      text={firmwareText}
      list={list}
      answer={answer}
      columns={columns}
      rowPath={({ _id }) => paths.firmwareItem(_id)}
      rowActions={useRowActions(answer.data?.objects)}
      create={{ label: firmwareText.create, path: paths.newFirmware }}
      filters={[
        nameFilter(list, { ...firmwareText, name: firmwareText.version }),
        choiceFilter(list, "sensorType", { label: firmwareText.type, any: firmwareText.any }, types),
        useOwnerFilter(list, firmwareText),
      ]}
      batch={useOwnedBatch(firmware, list.filters, answer.data?.total ?? 0)}
    />
  );
}

function useRowActions(rows: readonly Firmware[] | undefined): (row: Firmware) => RowAction[] {
  const go = useGo();
  const can = useCan();
  const { ownerOf } = useOwners(useMemo(() => (rows ?? []).map(({ owner }) => owner._id), [rows]));
  return (row) => {
    const rollout: RowAction = {
      label: firmwareText.rollout(firmware.nameOf(row)),
      icon: <QueryStatsRounded />,
      onClick: () => go(paths.firmwareRollout(row._id), { query: "none" }),
    };
    if (row.file === null) return [rollout];
    const mayFetch = can.fetchPackage({ owner: ownerOf(row.owner._id), objPerm: row.objPerm });
    return [
      rollout,
      {
        label: firmwareText.download(firmware.nameOf(row)),
        icon: <DownloadRounded />,
        disabledReason: mayFetch ? undefined : firmwareText.noDownload,
        onClick: () => downloadPackage(row),
      },
    ];
  };
}
