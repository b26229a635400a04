// The account tree, with the keyboard navigation of the ARIA tree pattern (AC-02).
// Small trees are fully expanded. Big ones load branches on demand, a hundred accounts at a time.
import type { Account } from "@psp/contract/account/account.ts";
import ReplayRounded from "~icons/ic/round-replay";
import { Box, Skeleton } from "@mui/material";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { AccountTreeRow, TreeActionRow } from "./AccountTreeRow.tsx";
import { FormSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { childPageSize, useHasChildren, useChildAccounts, useWholeTree } from "../account.queries.ts";
import { type TreeNode, treeOf } from "../account.rules.ts";
import { accountText } from "../account.text.ts";

const itemSelector = '[role="treeitem"]';
/** If there are more roots, they start collapsed, because each expanded root sends a request. */
const fewRoots = 10;
const isShown = (item: HTMLElement) => item.offsetParent !== null;

/** The whole tree is one tab stop. Arrow keys move the focus between its rows. */
function TreeFrame({ children }: { children: ReactNode }) {
  const tree = useRef<HTMLUListElement>(null);
  const itemsOf = () => [...(tree.current?.querySelectorAll<HTMLElement>(itemSelector) ?? [])].filter(isShown);
  // Sets `tabIndex` on the elements directly, because React state would render thousands of rows at each step.
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const item = event.target.closest<HTMLElement>(itemSelector);
    if (item === null) return;
    for (const one of tree.current?.querySelectorAll<HTMLElement>(`${itemSelector}[tabindex="0"]`) ?? [])
      one.tabIndex = -1;
    item.tabIndex = 0;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const item = event.target as HTMLElement;
    if (item.role !== "treeitem" || event.altKey || event.ctrlKey || event.metaKey) return;
    const items = itemsOf();
    const at = items.indexOf(item);
    const parent = item.closest('[role="group"]')?.parentElement?.querySelector<HTMLElement>(itemSelector);
    const expanded = item.ariaExpanded;
    const targets: Record<string, HTMLElement | null | undefined> = {
      ArrowDown: items[at + 1],
      ArrowUp: items[at - 1],
      Home: items[0],
      End: items.at(-1),
      ArrowRight:
        expanded === "true"
          ? item.closest("li")?.querySelector<HTMLElement>(`:scope > [role="group"] ${itemSelector}`)
          : null,
      ArrowLeft: expanded === "true" ? null : parent,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    const toggles =
      (event.key === "ArrowRight" && expanded === "false") || (event.key === "ArrowLeft" && expanded === "true");
    if (toggles) item.querySelector<HTMLElement>("[data-toggle]")?.click();
    else targets[event.key]?.focus();
  };
  return (
    <Box
      component="ul"
      ref={tree}
      role="tree"
      aria-label={accountText.title}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      sx={{
        listStyle: "none",
        m: 0,
        p: 0,
        minWidth: 0,
        border: 1,
        borderColor: "divider",
        borderRadius: "8px",
        bgcolor: "background.paper",
        overflow: "clip",
        "& > li:first-of-type > [data-line]": { borderTop: 0 },
      }}
    >
      {children}
    </Box>
  );
}

export function AccountTree({ empty }: { empty: ReactNode }) {
  const { data, isError } = useWholeTree();
  if (data?.total === 0) return <>{empty}</>;
  if (data === undefined && !isError) return <FormSkeleton />;
  if (data !== undefined && data.total <= data.objects.length) return <LoadedTree nodes={treeOf(data.objects, [])} />;
  return (
    <TreeFrame>
      <Level parent={null} depth={1} />
    </TreeFrame>
  );
}

export function LoadedTree({ nodes }: { nodes: readonly TreeNode[] }) {
  return (
    <TreeFrame>
      {nodes.map((node, index) => (
        <FoundBranch key={node.account._id} node={node} depth={1} first={index === 0} />
      ))}
    </TreeFrame>
  );
}

function FoundBranch({ node, depth, first }: { node: TreeNode; depth: number; first: boolean }) {
  const [open, setOpen] = useState(true);
  const below = node.children.map((child) => (
    <FoundBranch key={child.account._id} node={child} depth={depth + 1} first={false} />
  ));
  return (
    <AccountTreeRow
      account={node.account}
      depth={depth}
      first={first}
      muted={!node.matches}
      open={below.length === 0 ? null : open}
      onToggle={() => setOpen(!open)}
    >
      {below}
    </AccountTreeRow>
  );
}

function Level({ parent, depth }: { parent: string | null; depth: number }) {
  const [parts, setParts] = useState(1);
  return Array.from({ length: parts }, (_, part) => (
    <LevelPart
      key={part}
      parent={parent}
      depth={depth}
      part={part}
      last={part === parts - 1}
      onMore={() => setParts(parts + 1)}
    />
  ));
}

type LevelPartProps = {
  parent: string | null;
  depth: number;
  part: number;
  last: boolean;
  onMore: () => void;
};

function LevelPart({ parent, depth, part, last, onMore }: LevelPartProps) {
  const { data, isError, refetch } = useChildAccounts(parent, part * childPageSize);
  const hasChildren = useHasChildren(data?.objects.map(({ _id }) => _id) ?? []);
  if (data === undefined && isError)
    return (
      <TreeActionRow
        depth={depth}
        label={accountText.reloadLevel}
        onClick={() => void refetch()}
        icon={<ReplayRounded fontSize="small" />}
      />
    );
  if (data === undefined)
    return (
      <Box component="li" role="none" aria-hidden sx={{ pl: 4 + depth * 5, py: 2 }}>
        <Skeleton width={240} height={24} />
      </Box>
    );
  const left = data.total - (part + 1) * childPageSize;
  return (
    <>
      {data.objects.map((account, index) => (
        <Branch
          key={account._id}
          account={account}
          depth={depth}
          first={parent === null && part === 0 && index === 0}
          opened={depth === 1 && data.total <= fewRoots}
          hasChildren={hasChildren(account._id)}
        />
      ))}
      {last && left > 0 ? <TreeActionRow depth={depth} label={accountText.showMore(left)} onClick={onMore} /> : null}
    </>
  );
}

type BranchProps = {
  account: Account;
  depth: number;
  first: boolean;
  opened: boolean;
  /** Undefined while loading, null if unknown. */
  hasChildren: boolean | null | undefined;
};

function Branch({ account, depth, first, opened, hasChildren }: BranchProps) {
  const [open, setOpen] = useState(opened);
  return (
    <AccountTreeRow
      account={account}
      depth={depth}
      first={first}
      open={hasChildren === false ? null : open}
      onToggle={() => setOpen(!open)}
    >
      {open && (hasChildren === true || hasChildren === null) ? <Level parent={account._id} depth={depth + 1} /> : null}
    </AccountTreeRow>
  );
}
