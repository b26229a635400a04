// Tests that legal documents are parsed completely, and that operator data can't become markup.
import { expect, test } from "vitest";
import { fillIn, isSafeHref } from "./filled-in.ts";
import { anchorOf, parseMarkdown } from "./markdown.ts";

test("LE-01 headings, paragraphs, lists, tables and links become blocks", () => {
  const source = [
    "## 10. Sub\n\nOne\nTwo [there](#appendix-1) and **bold**",
    "- a\n- **b:** c",
    "### 10.1 In use",
    "| A | B |\n| --- | :-- |\n| 1 | [x](/privacy) |",
  ].join("\n\n");
  expect(parseMarkdown(source)).toEqual([
    { kind: "heading", level: 2, id: "section-10", text: "10. Sub" },
    {
      kind: "paragraph",
      lines: [
        ["One"],
        ["Two ", { kind: "link", text: "there", href: "#appendix-1" }, " and ", { kind: "bold", text: "bold" }],
      ],
    },
    { kind: "list", items: [["a"], [{ kind: "bold", text: "b:" }, " c"]] },
    { kind: "heading", level: 3, id: "section-10-1", text: "10.1 In use" },
    { kind: "table", head: [["A"], ["B"]], rows: [[["1"], [{ kind: "link", text: "x", href: "/privacy" }]]] },
  ]);
});

test.each([
  ["10.1 Subcontractors in use", "section-10-1"],
  ["3. Place", "section-3"],
  ["Appendix 1: Technical and organisational measures", "appendix-1"],
  ["VAT identification number", "vat-identification-number"],
])("LE-01 the anchor of %s is %s", (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});

test("LE-01 facts are filled in as they are, names of no fact stay", () => {
  expect(fillIn("{{name}}, {{unknown}}, {{constructor}}", { name: "A **b** $& {{name}}" })).toBe(
    "A **b** $& {{name}}, {{unknown}}, {{constructor}}",
  );
});

test.each([
  ["#section-1", true],
  ["/notices.txt", true],
  ["https://example.com/notices.txt", true],
  ["mailto:a@example.com", true],
  ["javascript:alert(1)", false],
  ["data:text/html,x", false],
  ["//example.com", false],
  [" javascript:alert(1)", false],
])("LE-01 following %s is %s", (href, safe) => {
  expect(isSafeHref(href)).toBe(safe);
});
