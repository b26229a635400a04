// Shows a legal document with contents and numbered sections (LE-01).
import { Box, Link, useMediaQuery } from "@mui/material";
import type { Theme } from "@mui/material/styles";
import { useRouter, useRouterState } from "@tanstack/react-router";
import { Fragment, type MouseEvent, type ReactNode, useEffect } from "react";
import { config, operator } from "../api/config.ts";
import { AppLink } from "../address/navigation.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { PageHeader } from "../ui/PageHeader.tsx";
import { legalText } from "./legal.text.ts";
import { fillIn, isSafeHref } from "./filled-in.ts";
import type { Block, InlineContent } from "./markdown.ts";

const facts = { ...operator, notices: config.links.notices ?? "" };

type LegalDocumentProps = {
  title: string;
  blocks: readonly Block[];
  contents?: boolean;
  note?: ReactNode;
  after?: ReactNode;
  foot?: string;
};

export function LegalDocument({ title, blocks, contents = false, note, after, foot }: LegalDocumentProps) {
  const hash = useRouterState({ select: (state) => state.location.hash });
  useEffect(() => reveal(hash), [hash, blocks]);
  return (
    <Box
      component="article"
      sx={{
        display: "grid",
        columnGap: 12,
        gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "minmax(0, 70ch) 260px" },
        gridTemplateAreas: { xs: '"head" "contents" "text"', md: '"head contents" "text contents"' },
        "@media print": { display: "block", color: "#000" },
      }}
    >
      <Box sx={{ gridArea: "head" }}>
        <PageHeader title={title} />
      </Box>
      {contents ? <Contents blocks={blocks} /> : null}
      <Box sx={textStyle}>
        {note}
        {blocks.map((block, index) => (
          <BlockView key={index} block={block} heading={headingOf(blocks, index)} />
        ))}
        {after}
        {foot === undefined ? null : (
          <Box component="p" sx={{ mt: "40px !important", pt: 3, borderTop: 1, borderColor: "divider" }}>
            {foot}
          </Box>
        )}
      </Box>
    </Box>
  );
}

const textStyle = {
  gridArea: "text",
  minWidth: 0,
  maxWidth: "70ch",
  lineHeight: 1.6,
  overflowWrap: "anywhere",
  "& h2": { fontSize: "1rem", lineHeight: "24px", fontWeight: 600, mt: 8, mb: 2 },
  "& h3": { fontSize: "0.875rem", lineHeight: "20px", fontWeight: 600, mt: 5, mb: 1 },
  "& h2, & h3": { scrollMarginTop: "calc(var(--sticky-top) + 16px)", breakAfter: "avoid" },
  "& p": { my: 2 },
  "& ul": { my: 2, pl: 5 },
  "& li": { my: 1 },
  "& table": { borderCollapse: "collapse", width: 1, overflowWrap: "break-word" },
  "& th, & td": { textAlign: "left", verticalAlign: "top", py: 1.5, pr: 4, borderBottom: 1, borderColor: "divider" },
  "& th": { fontWeight: 600 },
  "& tr": { breakInside: "avoid" },
  "& > :first-child": { mt: 0 },
  "@media print": { maxWidth: "none", "& a": { color: "#000" } },
} as const;

function Contents({ blocks }: { blocks: readonly Block[] }) {
  const wide = useMediaQuery((theme: Theme) => theme.breakpoints.up("md"), { noSsr: true });
  const list = (
    <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
      {blocks.map((block) =>
        block.kind === "heading" && block.level === 2 ? (
          <li key={block.id}>
            <PlaceLink id={block.id}>{block.text}</PlaceLink>
          </li>
        ) : null,
      )}
    </Box>
  );
  return (
    <Box
      component="nav"
      aria-label={legalText.contents}
      sx={{
        gridArea: "contents",
        alignSelf: "start",
        mb: { xs: 4, md: 0 },
        position: { md: "sticky" },
        top: "calc(var(--sticky-top) + 20px)",
        maxHeight: { md: "calc(100dvh - var(--sticky-top) - 40px)" },
        overflowY: { md: "auto" },
        "& summary": { py: 3, fontWeight: 600, cursor: "pointer" },
        "& li a": { display: "block", py: "6px", color: "text.secondary", textDecoration: "none" },
        "& li a:hover": { textDecoration: "underline" },
        "@media print": { display: "none" },
      }}
    >
      {wide ? (
        list
      ) : (
        <details>
          <summary>{legalText.contents}</summary>
          {list}
        </details>
      )}
    </Box>
  );
}

function BlockView({ block, heading }: { block: Block; heading: string }) {
  switch (block.kind) {
    case "heading": {
      const Heading = `h${block.level}` as const;
      return (
        <Heading id={block.id} tabIndex={-1}>
          {block.text}
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p>
          {block.lines.map((line, index) => (
            <Fragment key={index}>
              {index === 0 ? null : <br />}
              <InlineView parts={line} />
            </Fragment>
          ))}
        </p>
      );
    case "list":
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <InlineView parts={item} />
            </li>
          ))}
        </ul>
      );
    case "table":
      return <TableView head={block.head} rows={block.rows} name={legalText.table(heading)} />;
  }
}

function TableView({ head, rows, name }: { head: InlineContent[][]; rows: InlineContent[][][]; name: string }) {
  return (
    <Box role="region" aria-label={name} tabIndex={0} sx={{ overflowX: "auto", my: 3 }}>
      <Box component="table" sx={{ minWidth: 560 }}>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <InlineView parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <InlineView parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}

function InlineView({ parts }: { parts: readonly InlineContent[] }) {
  return parts.map((part, index) => {
    if (typeof part === "string") return fillIn(part, facts);
    if (part.kind === "bold") return <strong key={index}>{fillIn(part.text, facts)}</strong>;
    return <TextLink key={index} href={part.href} text={fillIn(part.text, facts)} />;
  });
}

function TextLink({ href, text }: { href: string; text: string }) {
  const target = fillIn(href, facts);
  if (!isSafeHref(target)) return text;
  if (target.startsWith("#")) return <PlaceLink id={target.slice(1)}>{text}</PlaceLink>;
  // A link from the configuration points to a file, not to a console page.
  const isFile = href.startsWith("{{");
  if (target.startsWith("/") && !isFile)
    return (
      <AppLink underline="always" to={target}>
        {text}
      </AppLink>
    );
  return (
    <Link underline="always" href={target} {...(isFile ? { download: "", sx: standaloneLinkStyles } : {})}>
      {text}
    </Link>
  );
}

/** A link to an anchor; moves scroll position and focus. */
function PlaceLink({ id, children }: { id: string; children: string }) {
  const router = useRouter();
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { pathname, searchStr } = router.state.location;
    // A second click doesn't change the URL, but must scroll again.
    void router.navigate({ href: `${pathname}${searchStr}#${id}` }).then(() => reveal(id));
  };
  return (
    <Link href={`#${id}`} onClick={onClick} underline="always">
      {children}
    </Link>
  );
}

function reveal(id: string): void {
  const place = id === "" ? null : document.querySelector<HTMLElement>(`main #${CSS.escape(id)}`);
  if (place === null) return;
  place.focus({ preventScroll: true });
  place.scrollIntoView();
  let at = window.scrollY;
  // Late fonts shift the layout: scrolls again unless the user has moved on.
  const again = () => {
    if (document.activeElement !== place || window.scrollY !== at)
      return document.fonts.removeEventListener("loadingdone", again);
    place.scrollIntoView();
    at = window.scrollY;
  };
  document.fonts.addEventListener("loadingdone", again);
}

const headingOf = (blocks: readonly Block[], index: number) =>
  blocks.slice(0, index).findLast((block) => block.kind === "heading")?.text ?? "";
