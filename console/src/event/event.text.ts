// Texts of the events page.
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const quoted = (words: string) => `“${words}”`;

export const eventText = {
  ...ownedText("event", "events"),
  search: "Search by name",
  create: "Add event",
  newTitle: "New Event",
  noneTitle: "No events yet",
  noneText: "Add sales, roadworks or festivals to see them in charts next to your counts.",
  dates: "Dates",
  name: "Name",
  nameHint: "For example, Winter sale or Roadworks",
  appliesTo: "Applies to",
  comparisons: "Comparisons",
  excluded: "Excluded",
  included: "-",
  withTag: (tag: string) => `Tag ${quoted(tag)}`,
  allOf: (owner: string) => `All locations of ${owner}`,
  locationsOf: (count: number) => formatCount(count, "location"),
  noLocations: "No locations",
  from: "First day",
  to: "Last day",
  kinds: { locations: "Selected locations", tag: "Locations with a tag", owner: "All locations of an account" },
  locations: "Locations",
  locationsHint: "Type to search",
  tag: "Tag",
  account: "Account",
  ownerHints: {
    locations: "The event belongs to this account",
    tag: "Only locations of this account and its sub-accounts",
    owner: "Includes its sub-accounts",
  },
  exclude: "Exclude from comparisons",
  excludeHint: "Comparisons with earlier days skip the days of this event because their counts are unusual.",
  nameRequired: "The name is required",
  ownerRequired: "The owner is required",
  dateRequired: "Enter a date",
  locationsRequired: "Choose at least one location",
  tagRequired: "Enter a tag",
  save: "Save",
  createButton: "Create",
  tooMany: (max: number) => `Choose at most ${formatNumber(max)} locations`,
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the event ${name} owned by ${owner}. It will no longer appear in charts or affect comparisons. Are you sure?`,
} as const;
