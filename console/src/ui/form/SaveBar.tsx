// Save bar at the bottom of the window: lists the unsaved changes of a page's form. Appears with the first change, or is always
// shown.
import CheckRounded from "~icons/ic/round-check";
import ErrorOutlineRounded from "~icons/ic/round-error-outline";
import { Box, Button, CircularProgress } from "@mui/material";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Disabled } from "../feedback/Disabled.tsx";
import { restoredText } from "./RestoredNotice.tsx";
import "./steadyPress.ts";

const confirmMs = 2000;
const nothing = "No unsaved changes";
/** Distance (px) between the bar and the window's edge, and between the bar and a field that was scrolled above it. */
const gap = 12;
const releases = ["pointerup", "pointercancel", "keydown"];

const said = { mr: "auto", minWidth: 0, display: "flex", alignItems: "center", gap: 2 };

type SaveBarProps = {
  /** Labels of the changed fields; if empty, the bar is hidden unless `alwaysVisible`. */
  changes: readonly string[];
  /** Shows the bar even without changes. */
  alwaysVisible?: boolean;
  saving: boolean;
  /** Incremented after every success; shows "Saved" for 2 s. */
  savedCount: number;
  /** Incremented after every failure; shows "Saving failed" for 2 s, while a toast gives the reason. */
  failedCount?: number;
  /** Whether the changes are from before the page was loaded. */
  restored?: boolean;
  disabledReason?: string | undefined;
  onSave: () => void;
  onDiscard: () => void;
  saveLabel?: string;
  discardLabel?: string;
  /** Replaces "Unsaved changes: …". */
  message?: string;
};

export function SaveBar(props: SaveBarProps) {
  const {
    changes,
    saving,
    savedCount,
    failedCount = 0,
    restored = false,
    message,
    disabledReason,
    alwaysVisible = false,
  } = props;
  const hasSaved = useJust(savedCount);
  const hasFailed = useJust(failedCount) && !saving;
  const dirty = changes.length > 0;
  const hasButtons = dirty || alwaysVisible;
  const bar = useUncovered(hasButtons || hasSaved);
  if (!hasButtons && !hasSaved) return null;
  return (
    <Box
      ref={bar}
      role="region"
      data-save-bar=""
      aria-label={message ?? (dirty || !alwaysVisible ? "Unsaved changes" : nothing)}
      sx={{
        position: "sticky",
        bottom: gap,
        zIndex: 2,
        mt: 4,
        maxWidth: 640,
        display: "flex",
        alignItems: "center",
        flexWrap: "wrap",
        gap: 2,
        px: 4,
        py: 2,
        minHeight: 52,
        border: 1,
        borderColor: "divider",
        borderRadius: "8px",
        bgcolor: "background.paper",
        boxShadow: "0 8px 28px rgb(6 20 18 / 0.16)",
      }}
    >
      <Box role="status" sx={{ ...said, color: !dirty ? "success.main" : hasFailed ? "error.main" : "text.primary" }}>
        {dirty && hasFailed ? (
          <>
            <ErrorOutlineRounded fontSize="small" aria-hidden />
            Saving failed
          </>
        ) : dirty && restored ? (
          <div>
            <div>{restoredText}</div>
            <Box sx={{ color: "text.secondary" }}>{changes.join(", ")}</Box>
          </div>
        ) : dirty ? (
          (message ?? `Unsaved changes: ${changes.join(", ")}`)
        ) : !hasSaved ? (
          <Box sx={{ color: "text.secondary" }}>{nothing}</Box>
        ) : (
          <>
            <CheckRounded fontSize="small" aria-hidden />
            Saved
          </>
        )}
      </Box>
      {hasButtons ? (
        <Box sx={{ display: "flex", gap: 2, ml: "auto" }}>
          <Disabled reason={dirty ? undefined : nothing}>
            <Button color="inherit" variant="outlined" disabled={saving} onClick={props.onDiscard}>
              {props.discardLabel ?? "Discard"}
            </Button>
          </Disabled>
          <Disabled reason={disabledReason ?? (dirty ? undefined : nothing)}>
            <Button
              variant="contained"
              aria-disabled={saving}
              onClick={saving ? undefined : props.onSave}
              startIcon={saving ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
            >
              {props.saveLabel ?? "Save"}
            </Button>
          </Disabled>
        </Box>
      ) : null}
    </Box>
  );
}

/**
 * Scrolls the focused element and its hint or error out from under the bar (WCAG 2.4.11): when the bar appears, when the window is
 * resized, e.g. by the on-screen keyboard, and when the focus moves.
 */
function useUncovered(isShown: boolean) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isShown) return;
    const uncover = () => {
      const focused = document.activeElement;
      if (bar.current === null || focused === null || bar.current.contains(focused)) return;
      const [cover, field] = [bar.current.getBoundingClientRect(), focused.getBoundingClientRect()];
      const hint = document.getElementById(focused.getAttribute("aria-describedby") ?? "")?.getBoundingClientRect();
      const bottom = Math.max(field.bottom, hint?.bottom ?? 0);
      const isUnder = bottom > cover.top && field.top < cover.bottom && bottom - field.top < cover.top / 2;
      if (isUnder) window.scrollBy({ top: bottom - cover.top + gap, behavior: "instant" });
    };
    let [isPressed, isOwed] = [false, false];
    const onPress = () => {
      isPressed = true;
    };
    // Waits for a frame, because the browser scrolls focused elements into view after this event. During a
    // press, waits for the release, because scrolling would lose the click.
    const onFocus = () => {
      if (isPressed) isOwed = true;
      else requestAnimationFrame(uncover);
    };
    const onRelease = () => {
      if (isOwed) requestAnimationFrame(uncover);
      [isPressed, isOwed] = [false, false];
    };
    uncover();
    window.addEventListener("resize", uncover);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("pointerdown", onPress, true);
    // `releases` includes keydown, because releasing a scroll bar fires no event.
    for (const end of releases) document.addEventListener(end, onRelease, true);
    return () => {
      window.removeEventListener("resize", uncover);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("pointerdown", onPress, true);
      for (const end of releases) document.removeEventListener(end, onRelease, true);
    };
  }, [isShown]);
  return bar;
}

/** Whether the count was incremented in the last two seconds. */
function useJust(count: number): boolean {
  const [noted, setNoted] = useState(count);
  useEffect(() => {
    const timer = setTimeout(() => setNoted(count), confirmMs);
    return () => clearTimeout(timer);
  }, [count]);
  return noted !== count;
}
