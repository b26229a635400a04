// Editing a firmware: version, owner, visibility; type and file are fixed, the file can be fetched (spec 3 §4, §5).
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import DownloadRounded from "@mui/icons-material/DownloadRounded";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useMemo } from "react";
import { isAnyWrong } from "../entity/name-and-owner.tsx";
import { useFailure } from "../api/useFailure.ts";
import { useDraft } from "../entity/draft.ts";
import { EditDialog } from "../entity/edit-dialog.tsx";
import { useLoadedWithOwner } from "../entity/loaded.ts";
import { useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan } from "../session/useCan.ts";
import { useNewOwners } from "../entity/owner-choice.ts";
import { CopyField } from "../ui/form/CopyField.tsx";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { Opening } from "../ui/feedback/Opening.tsx";
import { type FirmwareBasics, FirmwareFields, firmwareErrors } from "./FirmwareFields.tsx";
import { downloadPackage, labelOf, useFirmware, useUpdateFirmware } from "./firmware.queries.ts";
import { firmwareText, sizeText } from "./firmware.text.ts";

export function EditFirmwareDialog() {
  const loaded = useLoadedWithOwner(useFirmware(useParam("id")), firmwareText.loadFailed, paths.firmware);
  return loaded === undefined ? (
    <Opening />
  ) : (
    <EditForm key={loaded.object._id} firmware={loaded.object} owner={loaded.owner} />
  );
}

function EditForm({ firmware, owner }: { firmware: Firmware; owner: Owner }) {
  const can = useCan();
  const fail = useFailure();
  const update = useUpdateFirmware(firmware._id);
  const readOnly = !can.edit("artifact", owner);
  const current = useMemo<FirmwareBasics>(
    () => ({
      name: firmware.name,
      owner: { id: firmware.owner._id, name: firmware.owner.name },
      visible: firmware.objPerm.childrenCanViewObject,
    }),
    [firmware],
  );
  const draft = useDraft(current, firmware.version);
  const { values, changed, set } = draft;
  const owners = useNewOwners("artifact", owner, "firmware");
  // A version that was given before today's rules stays as it is until somebody renames it.
  const errors = firmwareErrors(values);
  const wrong = changed.includes("name") ? errors : { ...errors, name: undefined };
  const mayFetch = !readOnly || can.useFirmware({ owner, objPerm: firmware.objPerm });
  return (
    <EditDialog
      title={labelOf(firmware)}
      subtitle={firmwareText.subtitle}
      subject={firmwareText.subject}
      readOnly={readOnly}
      cancelLabel="Cancel"
      draft={draft}
      isWrong={isAnyWrong(wrong)}
      save={(seen) => {
        const change = {
          ...(changed.includes("name") ? { name: values.name.trim() } : {}),
          ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
          ...(changed.includes("visible") ? { objPerm: { childrenCanViewObject: values.visible } } : {}),
        };
        return update.mutateAsync({ change, ...seen });
      }}
      onFailure={fail(firmwareText.updateFailed)}
      back={paths.firmware}
    >
      {(submitted) => (
        <>
          <PackageFacts firmware={firmware} mayFetch={mayFetch} />
          <FirmwareFields
            values={values}
            set={set}
            errors={wrong}
            submitted={submitted}
            readOnly={readOnly}
            owners={owners}
          />
        </>
      )}
    </EditDialog>
  );
}

/** What can't be changed any more: the file with its sums, and the type. */
function PackageFacts({ firmware, mayFetch }: { firmware: Firmware; mayFetch: boolean }) {
  const { file, md5, type } = firmware;
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", gap: 3, color: "text.secondary" }}>
        {file === null ? (
          firmwareText.noFile
        ) : (
          <>
            <Disabled reason={mayFetch ? undefined : firmwareText.noDownload}>
              <Button
                variant="outlined"
                color="inherit"
                startIcon={<DownloadRounded />}
                onClick={() => downloadPackage(firmware)}
              >
                {firmwareText.downloadIt}
              </Button>
            </Disabled>
            {sizeText(file.size)}
          </>
        )}
      </Box>
      <TextField label={firmwareText.type} value={type} slotProps={{ input: { readOnly: true } }} />
      {md5 === null ? null : <CopyField label={firmwareText.md5} value={md5} copyLabel={`Copy ${firmwareText.md5}`} />}
      {file === null ? null : (
        <CopyField label={firmwareText.sha256} value={file.sha256} copyLabel={`Copy ${firmwareText.sha256}`} />
      )}
    </>
  );
}
