// The traffic light that visitors see. It scales with its container, from tablet to miniature.
import type { Display, LightState } from "@psp/contract/occupancy/occupancy.api.ts";
import CheckRounded from "~icons/ic/round-check";
import CloudOffRounded from "~icons/ic/round-cloud-off";
import PanToolOutlined from "~icons/ic/outline-pan-tool";
import QuestionMarkRounded from "~icons/ic/round-question-mark";
import { Box } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ElementType, useState } from "react";
import { FitToBox } from "./FitToBox.tsx";
import { LocalClock } from "./LocalClock.tsx";
import { readableTextColor } from "./light.colors.ts";
import { lightText as text } from "./light.text.ts";
import { RuleIcon } from "./RuleIcon.tsx";
import { formatNumber } from "../../ui/text/numbers.ts";

export type Appearance = Display["frontend"];

type TrafficLightProps = {
  appearance: Appearance;
  name: string;
  timeZone: string | null;
  state: LightState;
  count: number;
  maxObjects: number;
  unknownWords?: string;
  notice?: string | undefined;
  /** Whether the light is the whole page. If so, `name` is the page's heading, and screen readers announce changes. */
  isPage?: boolean;
};

/** Neutral, so that visitors don't mistake it for one of the two states. */
const unknownColor = "#2f3b3e";
const signs: Record<LightState, ElementType> = {
  opened: CheckRounded,
  closed: PanToolOutlined,
  unknown: QuestionMarkRounded,
};

const Frame = styled("div")({
  containerType: "size",
  width: "100%",
  height: "100%",
  overflow: "hidden",
  forcedColorAdjust: "none",
});
const Page = styled("div")({
  boxSizing: "border-box",
  width: "100cqw",
  height: "100cqh",
  padding: "3cqmin 4cqmin",
  display: "grid",
  gap: "3cqmin",
  gridTemplate: '"notice notice" auto "head head" auto "state rules" minmax(0, 1fr) / minmax(0, 1fr) auto',
  fontSize: "4cqmin",
  lineHeight: 1.2,
  overflowWrap: "anywhere",
  "@container (max-aspect-ratio: 1/1)": {
    gridTemplate: '"notice" auto "head" auto "state" minmax(0, 1fr) "rules" auto / minmax(0, 1fr)',
    fontSize: "4.4cqmin",
  },
});
const State = styled(FitToBox)({
  gridArea: "state",
  alignItems: "stretch",
  justifyContent: "center",
  textAlign: "center",
  "& > *": { alignItems: "center" },
});
/** Doesn't break long words, because the surrounding box shrinks its content until they fit. */
const Title = styled("div")({
  fontSize: "3em",
  lineHeight: 1.05,
  fontWeight: 600,
  textWrap: "balance",
  overflowWrap: "normal",
});
const Subtitle = styled("div")({ fontSize: "1.25em", lineHeight: 1.25, textWrap: "balance", maxWidth: "22em" });
const Amount = styled("div")({
  fontSize: "3.75em",
  lineHeight: 1,
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
});

export function TrafficLight(props: TrafficLightProps) {
  const { appearance, name, timeZone, state, notice, isPage = false } = props;
  const color = state === "unknown" ? unknownColor : appearance[state].color;
  const rules = appearance.restrictions.filter(({ active }) => active);
  return (
    <Frame>
      <Page data-state={state} style={{ backgroundColor: color, color: readableTextColor(color) }}>
        {notice === undefined ? null : <Notice isPage={isPage}>{notice}</Notice>}
        <Box
          sx={{
            gridArea: "head",
            display: "flex",
            alignItems: "center",
            gap: "3cqmin",
            minWidth: 0,
            minHeight: "8cqmin",
          }}
        >
          <LogoPicture key={appearance.logo} address={appearance.logo} />
          <Box
            component={isPage ? "h1" : "div"}
            sx={{ m: 0, mr: "auto", minWidth: 0, fontSize: "1em", lineHeight: "inherit", fontWeight: 600 }}
          >
            {name}
          </Box>
          <LocalClock timeZone={timeZone} />
        </Box>
        <Words {...props} />
        {rules.length === 0 ? null : <Rules title={appearance.restrictionTitle} rules={rules} />}
      </Page>
    </Frame>
  );
}

function Notice({ isPage, children }: { isPage: boolean; children: string }) {
  return (
    <Box
      role={isPage ? "alert" : undefined}
      sx={{
        gridArea: "notice",
        display: "flex",
        alignItems: "center",
        justifyContent: "center",
        gap: "2cqmin",
        px: "3cqmin",
        py: "1.5cqmin",
        borderRadius: "1.5cqmin",
        bgcolor: "#ffffff",
        color: "#000000",
        fontSize: "4.5cqmin",
        fontWeight: 600,
      }}
    >
      <CloudOffRounded aria-hidden sx={{ fontSize: "1.3em" }} />
      {children}
    </Box>
  );
}

/** Screen readers announce changes of the texts, but not of the numbers, which change with every visitor. */
function Words({
  appearance,
  state,
  count,
  maxObjects,
  unknownWords = text.unknown,
  isPage = false,
}: TrafficLightProps) {
  const Sign = signs[state];
  return (
    <State>
      <Sign aria-hidden sx={{ fontSize: "4em", flex: "none" }} />
      <Box
        {...(isPage ? { "aria-live": "polite" as const, "aria-atomic": true } : {})}
        sx={{ width: 1, display: "flex", flexDirection: "column", alignItems: "center", gap: "0.6em" }}
      >
        {state === "unknown" ? (
          <Box sx={{ fontSize: "1.75em", lineHeight: 1.2, fontWeight: 600, textWrap: "balance" }}>{unknownWords}</Box>
        ) : (
          <>
            <Title>{appearance[state].title}</Title>
            <Subtitle>{appearance[state].subtitle}</Subtitle>
          </>
        )}
      </Box>
      {state === "unknown" ? null : appearance.showNumberOfPeople ? (
        <Numbers label={text.peopleInside} value={count} />
      ) : (
        <Numbers label={appearance.freeSpacesText} value={Math.max(0, maxObjects - count)} />
      )}
    </State>
  );
}

function Numbers({ label, value }: { label: string; value: number }) {
  return (
    <Box
      sx={{ display: "flex", flexWrap: "wrap", alignItems: "baseline", justifyContent: "center", columnGap: "0.75em" }}
    >
      <Box component="span" sx={{ fontSize: "1.5em" }}>
        {label}
      </Box>
      <Amount>{formatNumber(value)}</Amount>
    </Box>
  );
}

/** Shows nothing if the logo can't be loaded. */
function LogoPicture({ address }: { address: string }) {
  const [isBroken, setBroken] = useState(false);
  if (address === "" || isBroken) return null;
  return (
    <Box
      component="img"
      src={address}
      alt={text.logo}
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
      sx={{ display: "block", maxHeight: "11cqmin", maxWidth: "36cqmin", objectFit: "contain" }}
    />
  );
}

/** If there are more rules than this, and they are displayed below the light, they have two columns. */
const many = 6;

const RuleBox = styled(FitToBox)({
  gridArea: "rules",
  alignSelf: "center",
  maxWidth: "42cqw",
  maxHeight: "100%",
  padding: "0.6em 0.75em",
  borderRadius: "0.5em",
  border: "0.1em solid currentColor",
  "@container (max-aspect-ratio: 1/1)": { maxWidth: "none", maxHeight: "38cqh" },
});

function Rules({ title, rules }: { title: string; rules: Appearance["restrictions"] }) {
  return (
    <RuleBox>
      <Box sx={{ fontWeight: 600 }}>{title}</Box>
      <Box
        component="ul"
        sx={{
          listStyle: "none",
          m: 0,
          p: 0,
          display: "grid",
          gap: "0.35em 1em",
          "@container (max-aspect-ratio: 1/1)": rules.length > many ? { gridTemplateColumns: "1fr 1fr" } : {},
        }}
      >
        {rules.map(({ name, message }, index) => (
          <Box component="li" key={index} sx={{ display: "flex", alignItems: "center", gap: "0.5em" }}>
            <RuleIcon name={name} />
            <span>{message === "" ? name : message}</span>
          </Box>
        ))}
      </Box>
    </RuleBox>
  );
}
