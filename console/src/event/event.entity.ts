// Calls, texts and rights of events.
import * as api from "@psp/contract/event/event.api.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import { defineEntity } from "../entity/entity.ts";
import type { Event } from "@psp/contract/event/event.ts";
import { eventText } from "./event.text.ts";

export const event = defineEntity({
  type: "event",
  calls: {
    list: api.listEvents,
    get: api.getEvent,
    create: api.createEvent,
    update: api.updateEvent,
    remove: api.deleteEvent,
  },
  text: eventText,
  nameOf: ({ name }: Event) => name,
  paths: { list: paths.events, remove: paths.deleteEvent },
  // The server decides, because the right may follow from the named locations.
  rights: {
    type: "measurement",
    edit: (_can, { mayEdit }: Event) => mayEdit,
    remove: (_can, { mayEdit }: Event) => mayEdit,
  },
});

/** Whether the user may edit any locations, and therefore add events. */
export function useMayAddEvents(): boolean {
  return !isEmptySet(resolveEditScope(useCan().actor, "measurement"));
}
