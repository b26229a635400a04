// Words of the role list; those of the specification verbatim (spec 1 §2).
export const roleText = {
  title: "Roles",
  search: "Search by name",
  name: "Name",
  owner: "Owner",
  any: "Any",
  noneTitle: "No roles existing",
  noneText: "With roles you can assign permissions to accounts.",
  noMatchTitle: "No roles found",
  noMatchText: (name: string) =>
    name === "" ? "No roles found for the given filter criteria." : `No roles found for "${name}".`,
  showAll: "Show all roles",
  loadFailed: "The roles could not be loaded",
  deniedTitle: "No permission",
  denied: "Your role doesn't allow you to view roles.",
} as const;
