// The files of firmware on their way: sent with their fields in one form, fetched by the browser itself.
import { createFirmware, getFirmwarePackage } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { pathOf } from "@psp/contract/kit/endpoint.ts";
import { useMutation } from "@tanstack/react-query";
import { type Sending, upload } from "../api/upload.ts";
import { firmware } from "./firmware.entity.ts";

export type NewFirmwareForm = { file: File; name: string; type: string; owner: string; visible: boolean };

export function useCreateFirmware() {
  const refresh = firmware.useRefresh();
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

/** Lets the browser fetch the package into a file; the cookie carries the session. */
export function downloadPackage(firmware: Pick<Firmware, "_id">): void {
  const link = document.createElement("a");
  link.href = pathOf(getFirmwarePackage, { id: firmware._id });
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
