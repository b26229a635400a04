// Select for a location by name.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useOwners } from "../../api/session/useCan.ts";
import { type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { useChoices } from "./useChoices.ts";

const everyone = () => true;

type LocationSelectProps = ReferenceField & {
  allow?: (owner: Owner) => boolean;
};

export function LocationSelect({ allow = everyone, ...field }: LocationSelectProps) {
  const choices = useChoices<Location>({ type: "measurement", list: listLocations, query: { sortBy: "name" } });
  const { ownerOf } = useOwners(choices.rows.map(({ owner }) => owner._id));
  return (
    <ReferenceSelect
      {...field}
      type="measurement"
      choices={choices}
      rows={choices.rows.filter(({ owner }) => allow(ownerOf(owner._id)))}
      toOption={({ _id, name, owner }) => ({ id: _id, label: name, hint: owner.name })}
    />
  );
}
