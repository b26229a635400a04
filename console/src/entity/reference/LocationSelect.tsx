// Choosing a location by its name.
import { useChoices } from "./useChoices.ts";
import { useName } from "./useNames.ts";
import { call } from "../../api/call.ts";
import type { Listed } from "../../api/listed.ts";
import { useOwners } from "../../session/useCan.ts";
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { IdSelect, type IdSelectField } from "../../ui/form/IdSelect.tsx";

const shown = 50;
const everyone = () => true;

type LocationSelectProps = IdSelectField & {
  /** Whose locations may be chosen. */
  allow?: (owner: Owner) => boolean;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?` and the usual ones of a field. */
export function LocationSelect({ allow = everyone, ...field }: LocationSelectProps) {
  const { data, search } = useChoices(["measurement", "select"], (text, signal) => {
    const query = {
      limit: String(shown),
      sortBy: "name",
      includeTotals: "true" as const,
      ...(text === "" ? {} : { name: text }),
    };
    // Places alone come only to those who ask for them.
    return call(listLocations, { query, signal }) as Promise<Listed<Location>>;
  });
  const found = useName("measurement", field.valueName === undefined ? field.value : null);
  const list = data?.objects ?? [];
  const { ownerOf } = useOwners(list.map((location) => location.owner._id));
  const options = list
    .filter((location) => allow(ownerOf(location.owner._id)))
    .map((location) => ({ id: location._id, label: location.name, hint: location.owner.name }));
  return (
    <IdSelect
      {...field}
      {...search}
      found={found}
      options={options}
      total={options.length + (data?.total ?? 0) - list.length}
    />
  );
}
