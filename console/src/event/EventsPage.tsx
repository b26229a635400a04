// List of events, and its dialogs (docs/rules/events.md#events-page).
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { eventListQuery } from "@psp/contract/event/event.query.ts";
import type { Event } from "@psp/contract/event/event.ts";
import { useState } from "react";
import AddRounded from "~icons/ic/round-add";
import { useListState } from "../address/list-state.ts";
import { Redirect, useGo, useGoAfterSave } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useUser } from "../api/session/session.tsx";
import { useCan } from "../api/session/useCan.ts";
import { useAttempt } from "../api/useFailure.ts";
import { createHistoryTab } from "../audit/History.tsx";
import { formatDateRange } from "../counts/times.ts";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { useDraftKey, useNewObjectFields } from "../entity/draft.ts";
import { EditOwned } from "../entity/EditOwned.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { nameFilter, useOwnerFilter } from "../entity/list/list-filters.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import { hasErrors } from "../entity/name-and-owner.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import type { Column, Sort } from "../ui/table/columns.ts";
import { EventFormFields } from "./EventFormFields.tsx";
import { event, useMayAddEvents } from "./event.entity.ts";
import {
  type EventFields,
  eventErrors,
  noEventFields,
  toEventChange,
  toEventFields,
  toNewEvent,
} from "./event.form.ts";
import { eventText as text } from "./event.text.ts";

const latestFirst: Sort = [{ id: "from", desc: true }];
// The login uses the parameter `from`.
const { from: _from, to: _to, ...listShape } = eventListQuery.shape;

function formatScope({ scope, owner, locations: [first, ...more] }: Event): string {
  if ("tag" in scope) return text.withTag(scope.tag);
  if ("owner" in scope) return text.allOf(owner.name);
  if (first === undefined) return text.noLocations;
  return more.length === 0 ? first.name : text.locationsOf(more.length + 1);
}

const columns: readonly Column<Event>[] = [
  { id: "name", header: text.name, cell: ({ name }) => name, sortable: true, width: "30%", minWidth: 180 },
  {
    id: "from",
    header: text.dates,
    cell: ({ from, to }) => formatDateRange({ first: parseDay(from) ?? 0, last: parseDay(to) ?? 0 }),
    sortable: true,
    width: 220,
  },
  { id: "scope", header: text.appliesTo, cell: formatScope, minWidth: 160 },
  {
    id: "comparisons",
    header: text.comparisons,
    cell: ({ excludeFromComparison }) => (excludeFromComparison ? text.excluded : text.included),
    width: 132,
    onPhone: "labeled",
  },
];

export const EventsPage = () => (useCan().viewType("measurement") ? <EventList /> : <DeniedList text={text} />);

function EventList() {
  const list = useListState(listShape, latestFirst, { isPersisted: true });
  const go = useGo();
  const mayAdd = useMayAddEvents();
  return (
    <ListPage
      entity={event}
      text={text}
      list={list}
      answer={event.useList(list.query)}
      columns={columns}
      rowPath={({ _id }) => paths.event(_id)}
      {...(mayAdd && {
        primary: { label: text.create, icon: <AddRounded />, onClick: () => go(paths.newEvent) },
      })}
      filters={[nameFilter(list, text), useOwnerFilter(list, text)]}
    />
  );
}

export const NewEventDialog = () => (useMayAddEvents() ? <NewEvent /> : <Redirect to={paths.events} />);

function NewEvent() {
  const go = useGoAfterSave();
  const attempt = useAttempt();
  const create = event.useCreate();
  const { _id: id, name } = useUser();
  const fields = useNewObjectFields<EventFields>(
    { ...noEventFields, owner: { id, name } },
    useDraftKey(event.type, "new"),
  );
  const { values, set, isTyped, restored, discard } = fields;
  const [submitted, setSubmitted] = useState(false);
  const close = () => go(paths.events, { replace: true });
  const submit = async () => {
    setSubmitted(true);
    const { owner } = values;
    if (hasErrors(eventErrors(values)) || owner === null) return;
    await attempt(text.createFailed, async () => {
      await create.mutateAsync(toNewEvent(values, owner.id));
      discard();
      close();
    });
  };
  return (
    <FormDialog
      open
      title={text.newTitle}
      submitLabel={text.createButton}
      dirty={isTyped}
      restored={restored}
      onDiscard={discard}
      onSubmit={submit}
      onClose={close}
    >
      <EventFormFields values={values} set={set} submitted={submitted} readOnly={false} />
    </FormDialog>
  );
}

const form = { toFields: toEventFields, toChange: toEventChange, errorsOf: eventErrors, Fields: EventFormFields };

export const EditEventDialog = () => (
  <EditOwned
    entity={event}
    form={form}
    text={text}
    noun="event"
    tabs={({ _id }, mayEdit) => [createHistoryTab("event", _id, mayEdit)]}
  />
);
export const DeleteEventDialog = () => <DeleteOwned entity={event} />;
