// Edits the display rules: their names, visibility, texts and order.
import { occupancyLimits as limits } from "@psp/contract/occupancy/occupancy-defaults.ts";
import AddRounded from "~icons/ic/round-add";
import ArrowDownwardRounded from "~icons/ic/round-arrow-downward";
import ArrowUpwardRounded from "~icons/ic/round-arrow-upward";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import { Box, Button, IconButton } from "@mui/material";
import type { ReactElement } from "react";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { occupancyText as text } from "../occupancy.text.ts";
import { AppTextField } from "./AppTextField.tsx";
import { elementId, type FormProps } from "./fields.ts";
import { type Rule, ruleFieldId } from "./occupancy.form.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

export function RuleList(props: FormProps) {
  const { values, set, readOnly } = props;
  const { rules } = values;
  const full = rules.length >= limits.restrictions ? text.ruleLimit(limits.restrictions) : undefined;
  const change = (key: number, part: Partial<Rule>) =>
    set(
      "rules",
      rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)),
    );
  const remove = (index: number) => {
    set("rules", rules.toSpliced(index, 1));
    // The removed rule had the focus, so the next rule gets it.
    const next = Math.min(index, rules.length - 2);
    requestAnimationFrame(() =>
      document.getElementById(elementId(next < 0 ? "add-rule" : ruleFieldId(next, "name")))?.focus(),
    );
  };
  const removeAll = () => {
    set("rules", []);
    document.getElementById(elementId("add-rule"))?.focus();
  };
  const move = (index: number, by: 1 | -1) => {
    const rule = rules[index];
    if (rule !== undefined) set("rules", rules.toSpliced(index, 1).toSpliced(index + by, 0, rule));
  };
  const add = () => {
    const key = Math.max(-1, ...rules.map((rule) => rule.key)) + 1;
    set("rules", [...rules, { key, name: "", active: true, message: "" }]);
    requestAnimationFrame(() => document.getElementById(elementId(ruleFieldId(rules.length, "name")))?.focus());
  };
  return (
    <SectionCard title={text.rules} gap={4}>
      <AppTextField
        {...props}
        fieldId="restrictionTitle"
        label={text.restrictionTitle}
        value={values.restrictionTitle}
        onChange={(value) => set("restrictionTitle", value)}
        most={limits.restrictionTitle}
      />
      {rules.length === 0 ? <div>{text.noRules}</div> : null}
      <Box component="ol" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 4 }}>
        {rules.map((rule, index) => (
          <OneRule
            key={rule.key}
            {...props}
            rule={rule}
            index={index}
            isLast={index === rules.length - 1}
            onChange={(part) => change(rule.key, part)}
            onMove={(by) => move(index, by)}
            onRemove={() => remove(index)}
          />
        ))}
      </Box>
      {readOnly ? null : (
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
          <Disabled reason={full}>
            <Button
              id={elementId("add-rule")}
              variant="outlined"
              color="inherit"
              startIcon={<AddRounded />}
              onClick={add}
            >
              {text.addRule}
            </Button>
          </Disabled>
          {rules.length < 2 ? null : (
            <Button color="inherit" startIcon={<DeleteOutlineRounded />} onClick={removeAll}>
              {text.removeAllRules}
            </Button>
          )}
        </Box>
      )}
    </SectionCard>
  );
}

type OneRuleProps = Pick<FormProps, "readOnly" | "errorOf" | "leave"> & {
  rule: Rule;
  index: number;
  isLast: boolean;
  onChange: (part: Partial<Rule>) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
};

function OneRule({ rule, index, isLast, onChange, onMove, onRemove, ...field }: OneRuleProps) {
  const n = index + 1;
  const { readOnly } = field;
  return (
    <li>
      <Box role="group" aria-label={text.rule(n)} sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
        <Box sx={{ display: "grid", gap: 3, gridTemplateColumns: { xs: "1fr", sm: "180px 1fr" } }}>
          <AppTextField
            {...field}
            fieldId={ruleFieldId(index, "name")}
            label={text.ruleName}
            value={rule.name}
            onChange={(name) => onChange({ name })}
            most={limits.restrictionName}
          />
          <AppTextField
            {...field}
            fieldId={ruleFieldId(index, "message")}
            label={text.ruleMessage}
            value={rule.message}
            onChange={(message) => onChange({ message })}
            most={limits.restrictionMessage}
          />
        </Box>
        <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
          <SwitchField
            label={text.ruleActive}
            reason={readOnly ? text.readOnly : undefined}
            checked={rule.active}
            onChange={(active) => onChange({ active })}
            sx={{ mr: "auto" }}
          />
          {readOnly ? null : (
            <>
              <Act
                label={text.moveUp(n)}
                icon={<ArrowUpwardRounded fontSize="small" />}
                off={index === 0 ? text.isFirst : undefined}
                onClick={() => onMove(-1)}
              />
              <Act
                label={text.moveDown(n)}
                icon={<ArrowDownwardRounded fontSize="small" />}
                off={isLast ? text.isLast : undefined}
                onClick={() => onMove(1)}
              />
              <Act label={text.removeRule(n)} icon={<DeleteOutlineRounded fontSize="small" />} onClick={onRemove} />
            </>
          )}
        </Box>
      </Box>
    </li>
  );
}

type ActProps = { label: string; icon: ReactElement; off?: string | undefined; onClick: () => void };

function Act({ label, icon, off, onClick }: ActProps) {
  if (off !== undefined)
    return (
      <Disabled reason={off}>
        <IconButton size="small" aria-label={label} sx={{ opacity: 0.4 }}>
          {icon}
        </IconButton>
      </Disabled>
    );
  return (
    <Tip text={label}>
      <IconButton size="small" aria-label={label} onClick={onClick}>
        {icon}
      </IconButton>
    </Tip>
  );
}
