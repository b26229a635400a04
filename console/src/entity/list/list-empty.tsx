// Shown in place of a list if nothing exists, nothing matches, or the user has no permission.
import { Outlet } from "@tanstack/react-router";
import { useUser } from "../../api/session/session.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";

type EmptyListProps = {
  text: { noneTitle: string; noneText: string; noMatchTitle: string; noMatchText: string; showAll: string };
  filtered: boolean;
  onShowAll: () => void;
  /** Undefined if the user may not create objects. The text then names the account to ask. */
  create?: { label: string; onClick: () => void } | undefined;
};

export function EmptyList({ text, filtered, onShowAll, create }: EmptyListProps) {
  if (filtered)
    return (
      <EmptyState
        kind="noMatch"
        title={text.noMatchTitle}
        text={text.noMatchText}
        action={{ label: text.showAll, onClick: onShowAll }}
      />
    );
  return (
    <EmptyState
      kind="none"
      title={text.noneTitle}
      text={
        <>
          <div>{text.noneText}</div>
          {create === undefined ? <PermissionContact /> : null}
        </>
      }
      {...(create && { action: create })}
    />
  );
}

/** Replaces a list that the user may not view. Its dialogs can still be opened by URL. */
export function DeniedList({ text }: { text: { title: string; deniedTitle: string; denied: string } }) {
  return (
    <>
      <PageHeader title={text.title} />
      <EmptyState
        kind="denied"
        title={text.deniedTitle}
        text={
          <>
            <div>{text.denied}</div>
            <PermissionContact />
          </>
        }
      />
      <Outlet />
    </>
  );
}

function PermissionContact() {
  const { _id, role } = useUser();
  if (role === null) return <div>Ask your administrator to assign a role to your account.</div>;
  const { name, owner } = role;
  return owner === null || owner._id === _id ? (
    <div>{`Your role is "${name}". Ask your administrator to change it.`}</div>
  ) : (
    <div>{`Your role is "${name}" of ${owner.name}. Ask ${owner.name} to change it.`}</div>
  );
}
