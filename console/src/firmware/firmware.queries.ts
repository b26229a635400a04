// What the firmware pages ask the server; on the wire firmware is an artifact.
import {
  createFirmware,
  deleteFirmware,
  getFirmware,
  getFirmwarePackage,
  listFirmware,
  updateFirmware,
} from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { pathOf, type Sent } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";
import { type Sending, upload } from "../api/upload.ts";
import { keepAnswer } from "../entity/left-view.ts";

/** One page of the list with its exact total. */
export function useFirmwareList(query: Search) {
  return useListed(["artifact", "list", query], (signal) => call(listFirmware, { query, signal }));
}

/** `wanted` false asks no more, e.g. once it is being deleted: the answer would only be that it is gone. */
export function useFirmware(id: string, wanted = true) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["artifact", "one", id],
    enabled: wanted,
    queryFn: ({ signal }) => call(getFirmware, { params: { id }, signal }),
    placeholderData: () =>
      client
        .getQueriesData<{ objects?: Firmware[] }>({ queryKey: ["artifact", "list"] })
        .flatMap(([, page]) => page?.objects ?? [])
        .find((firmware) => firmware._id === id),
  });
}

/** After a write: what lists and names show is asked again. */
export function useAfterwards() {
  const client = useQueryClient();
  return () =>
    Promise.all(["list", "select", "named"].map((part) => client.invalidateQueries({ queryKey: ["artifact", part] })));
}

export type NewFirmwareForm = { file: File; name: string; type: string; owner: string; visible: boolean };

export function useCreateFirmware() {
  const refresh = useAfterwards();
  return useMutation({
    mutationFn: ({
      fields,
      onProgress,
      signal,
    }: {
      fields: NewFirmwareForm;
      onProgress: (sending: Sending) => void;
      signal: AbortSignal;
    }) => {
      const form = new FormData();
      // The fields first: what is wrong with them is told before the file has travelled.
      form.append("name", fields.name);
      form.append("owner", fields.owner);
      form.append("type", fields.type);
      form.append("objPerm", JSON.stringify({ childrenCanViewObject: fields.visible }));
      form.append("file", fields.file);
      return upload(createFirmware, form, { onProgress, signal });
    },
    onSuccess: refresh,
  });
}

export function useUpdateFirmware(id: string) {
  const refresh = useAfterwards();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, version }: { change: Sent<typeof updateFirmware>["body"]; version?: number }) =>
      call(updateFirmware, { params: { id }, body: change, ...(version === undefined ? {} : { version }) }),
    onSuccess: (firmware) => {
      keepAnswer(client, "artifact", firmware);
      return refresh();
    },
  });
}

export function useDeleteFirmware(id: string) {
  const refresh = useAfterwards();
  return useMutation({ mutationFn: () => call(deleteFirmware, { params: { id } }), onSuccess: refresh });
}

/** "APS 1.19.0". */
export const labelOf = (firmware: Pick<Firmware, "type" | "name">) => `${firmware.type} ${firmware.name}`;

/** Names a firmware that some list has shown; else its id. */
export function useFirmwareLabels(): (id: string) => string {
  const client = useQueryClient();
  return (id) => {
    const found = client
      .getQueriesData<{ objects?: Firmware[] }>({ queryKey: ["artifact", "list"] })
      .flatMap(([, page]) => page?.objects ?? [])
      .find((firmware) => firmware._id === id);
    return found === undefined ? id : labelOf(found);
  };
}

/** Lets the browser fetch the package into a file; the cookie carries the session. */
export function downloadPackage(firmware: Pick<Firmware, "_id">): void {
  const link = document.createElement("a");
  link.href = pathOf(getFirmwarePackage, { id: firmware._id });
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
