// The batch of the firmware list: change the owner of many packages, or delete many (spec 3 §2, §5, §7).
import { deleteFirmware, listFirmware, updateFirmware } from "@psp/contract/firmware/firmware.api.ts";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import type { ListBatch } from "../entity/list-page.tsx";
import { useOwnedBatch } from "../entity/owned-batch.tsx";
import { useAfterwards, useFirmwareLabels } from "./firmware.queries.ts";
import { firmwareText } from "./firmware.text.ts";

/** `filters` and `total` of the list that is shown. */
export function useFirmwareBatch(filters: Search, total: number): ListBatch {
  const noun = {
    type: "artifact",
    text: firmwareText,
    list: (query: Search, signal: AbortSignal) => call(listFirmware, { query, signal }),
    handOver: (id: string, owner: string) => call(updateFirmware, { params: { id }, body: { owner } }),
    remove: (id: string) => call(deleteFirmware, { params: { id } }),
    labelOf: useFirmwareLabels(),
    refresh: useAfterwards(),
  } as const;
  return useOwnedBatch(noun, filters, total);
}
