// Asks before a location is deleted; opens over the list at its delete address.
import { DeleteDialog } from "../entity/delete-dialog.tsx";
import { useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { useDeleteLocation, useLocation } from "./location.queries.ts";
import { locationText } from "./location.text.ts";

export function DeleteLocationDialog() {
  const id = useParam("id");
  const can = useCan();
  const remove = useDeleteLocation(id);
  const { data: location, error } = useLocation(id, remove.isIdle);
  const { ownerOf, ready } = useOwners(location === undefined ? [] : [location.owner._id]);
  const name = location?.name ?? id;
  return (
    <DeleteDialog
      found={location !== undefined}
      error={error}
      mayDelete={location !== undefined && ready ? can.delete("measurement", ownerOf(location.owner._id)) : undefined}
      remove={remove}
      title={locationText.deleteTitle}
      question={locationText.deleteQuestion(name, location?.owner.name ?? "")}
      failed={locationText.deleteFailed}
      refused={locationText.noDelete}
      deleted={locationText.deleted(name)}
      back={paths.locations}
    />
  );
}
