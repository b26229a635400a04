// The expandable 'Details' of a batch: every failed object with its message, and a button that copies them for a mail or a sheet.
import { serverErrors } from "@psp/contract/errors.ts";
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import ExpandMoreRounded from "@mui/icons-material/ExpandMoreRounded";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Collapse from "@mui/material/Collapse";
import { type ReactNode, useId, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { Mono } from "../Mono.tsx";
import { LinkedText, ObjectLink } from "../ObjectLink.tsx";
import { type BatchFailure, wordsOf } from "./batchRun.ts";

const stepSize = 100;

/** The sentence of a failure and its reason, with the object that the reason names as a link. */
export function FailureWords({ failure }: { failure: Omit<BatchFailure, "id"> }) {
  const { errMessage, details } = failure;
  return (
    <>
      {errMessage}
      {details === undefined ? null : (
        <>
          {" "}
          <LinkedText text={details.reason} object={details.object} />
        </>
      )}
    </>
  );
}

/** `about` says what kind of object they are: each leads there. Long lists are shown 100 at a time. */
export function BatchFailures({
  fail,
  about,
  renderObject,
}: {
  fail: readonly BatchFailure[];
  about?: NamedObject["type"] | undefined;
  renderObject?: (id: string) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(stepSize);
  const listId = useId();
  const asText = fail.map((each) => `${each.id}\t${wordsOf(each)}`).join("\n");
  return (
    <Box sx={{ mt: 2 }}>
      <Box sx={{ display: "flex", alignItems: "center", justifyContent: "space-between" }}>
        <Button
          size="small"
          color="inherit"
          aria-expanded={open}
          aria-controls={listId}
          onClick={() => setOpen(!open)}
          endIcon={
            <ExpandMoreRounded sx={{ transform: open ? "rotate(180deg)" : "none", transition: "transform 150ms" }} />
          }
        >
          Details
        </Button>
        <CopyButton value={asText} label="Copy failures" />
      </Box>
      <Collapse in={open} unmountOnExit>
        <Box
          component="ul"
          id={listId}
          tabIndex={0}
          aria-label="Failures"
          sx={{
            listStyle: "none",
            m: 0,
            p: 0,
            border: 1,
            borderColor: "divider",
            borderRadius: 1,
            maxHeight: 320,
            overflowY: "auto",
          }}
        >
          {fail.slice(0, shown).map((each) => (
            <Box component="li" key={each.id} sx={{ px: 3, py: 2, "& + &": { borderTop: 1, borderColor: "divider" } }}>
              <Box sx={{ overflowWrap: "anywhere" }}>
                <FailureWords failure={each} />
              </Box>
              <Box sx={{ color: "text.secondary", fontSize: "0.75rem", overflowWrap: "anywhere" }}>
                {"Object ID: "}
                <Failed about={each.errMessage === serverErrors[105].message ? undefined : about} id={each.id}>
                  {renderObject === undefined ? <Mono>{each.id}</Mono> : renderObject(each.id)}
                </Failed>
              </Box>
            </Box>
          ))}
        </Box>
        {fail.length <= shown ? null : (
          <Button size="small" color="inherit" onClick={() => setShown(shown + stepSize)} sx={{ mt: 1 }}>
            {`Show more (${fail.length - shown} left)`}
          </Button>
        )}
      </Collapse>
    </Box>
  );
}

/** A failed object as the way to its page; one that isn't there leads nowhere. */
function Failed(props: { about: NamedObject["type"] | undefined; id: string; children: ReactNode }) {
  const { about, id, children } = props;
  if (about === undefined) return <>{children}</>;
  return <ObjectLink object={{ type: about, id, name: id }}>{children}</ObjectLink>;
}
