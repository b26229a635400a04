// API calls for events.
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { pageReply } from "../kit/page.ts";
import { eventListQuery } from "./event.query.ts";
import { eventChangeSchema, eventSchema, newEventSchema } from "./event.ts";

const event = ownedCalls("Event", "/v2/event", uuid, eventSchema);

export const listEvents = endpoint("listEvents", "GET", "/v2/event", {
  summary: "Events of accounts or at locations that the caller may view, the latest first",
  query: eventListQuery,
  reply: pageReply(eventSchema),
});
export const getEvent = event.get("One event");
export const createEvent = event.create(newEventSchema, "Creates an event: days with something special at locations");
export const updateEvent = event.update(eventChangeSchema, "Changes an event; omitted fields stay");
export const deleteEvent = event.remove("Deletes an event");
