// Disables a button, link, menu item, tab or switch with a reason: it stays focusable, is aria-disabled, and does nothing.
import { cloneElement, type KeyboardEvent, type ReactElement, type Ref, type SyntheticEvent } from "react";
import { useTip } from "./Tip.tsx";

type ChildProps = Record<string, unknown> & { slotProps?: { input?: object } };

type DisabledProps = {
  /** Why it is disabled; undefined renders the child unchanged. */
  reason: string | undefined;
  /** `input` for MUI's switches and checkboxes, whose real control is nested; default `control`. */
  kind?: "control" | "input";
  children: ReactElement<ChildProps>;
  ref?: Ref<unknown>;
  [forwarded: string]: unknown;
};

function refuse(event: SyntheticEvent) {
  event.preventDefault();
  event.stopPropagation();
}

function refuseKeys(event: KeyboardEvent) {
  if (event.key === "Enter" || event.key === " ") refuse(event);
}

/** Passes other props to its child, so that menus and tabs can clone it. */
export function Disabled({ reason, kind = "control", children, ...handed }: DisabledProps) {
  const { handlers, tip } = useTip(() => reason, 150);
  if (reason === undefined) return Object.keys(handed).length === 0 ? children : cloneElement(children, handed);
  const off = { "aria-disabled": true, "aria-description": reason, onClick: refuse, onKeyDown: refuseKeys };
  if (kind === "input") {
    const { slotProps: given } = children.props;
    const slotProps = { ...given, input: { ...given?.input, ...off, readOnly: true } };
    return (
      <span {...handlers} style={{ display: "inline-flex" }}>
        {cloneElement(children, { ...handed, onChange: undefined, slotProps })}
        {tip}
      </span>
    );
  }
  return (
    <>
      {cloneElement(children, { ...handed, ...handlers, ...off, href: undefined })}
      {tip}
    </>
  );
}
