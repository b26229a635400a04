// Lists without rows: nothing exists, nothing matches, or it may not be seen; each with its one next step.
import { Outlet } from "@tanstack/react-router";
import { useUser } from "../../session/session.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";

type NoRowsProps = {
  text: { noneTitle: string; noneText: string; noMatchTitle: string; noMatchText: string; showAll: string };
  filtered: boolean;
  onShowAll: () => void;
  /** Undefined for those who may not, `asks` where somebody else may. */
  create?: { label: string; onClick: () => void } | undefined;
};

/** A list without rows: nothing matches its filters, or nothing exists. */
export function NoRows({ text, filtered, onShowAll, create }: NoRowsProps) {
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
          {create === undefined ? <WhomToAsk /> : null}
        </>
      }
      {...(create && { action: create })}
    />
  );
}

/** In place of the list, for those who may not view it; a dialog that they have the address of still opens. */
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
            <WhomToAsk />
          </>
        }
      />
      <Outlet />
    </>
  );
}

/** Who could change what one may do: the account that gave the role. */
function WhomToAsk() {
  const { _id, role } = useUser();
  if (role === null) return <div>Ask the administrator of your account to give it a role.</div>;
  const { name, owner } = role;
  return owner === null || owner._id === _id ? (
    <div>{`Your role is "${name}". Ask its administrator to change it.`}</div>
  ) : (
    <div>{`Your role is "${name}" of ${owner.name}. Ask ${owner.name} to change it.`}</div>
  );
}
