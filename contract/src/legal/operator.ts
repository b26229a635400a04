// The operator's data in footer, imprint and agreements (docs/rules/accounts.md#legal-pages).

/** The default: an obviously fictional company. The server sends the configured values (`OPERATOR_…`) to the console. */
export const exampleOperator = {
  name: "Example Sensors GmbH",
  address: "Musterstraße 1, 10115 Berlin, Germany",
  email: "info@example.com",
  phone: "+49 30 0000000",
  managers: "Erika Mustermann",
  register: "Amtsgericht Charlottenburg (Berlin), HRB 000000",
  vatId: "DE000000000",
  privacyOfficer: "Max Mustermann, privacy@example.com",
  webHost: "Example Hosting GmbH, Germany",
  cloudProvider: "Example Cloud Ltd., Ireland",
  databaseProvider: "Example Database Ltd., Ireland",
};

type OperatorFact = keyof typeof exampleOperator;
export type Operator = Readonly<Record<OperatorFact, string>>;

/** Returns the environment variable of a fact: `vatId` → `OPERATOR_VAT_ID`. */
function operatorVariable(fact: OperatorFact): string {
  return `OPERATOR_${fact.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export function readOperator(env: Readonly<Record<string, string | undefined>>, prefix = ""): Operator {
  const facts = Object.entries(exampleOperator) as [OperatorFact, string][];
  return Object.fromEntries(
    facts.map(([fact, example]) => [fact, env[prefix + operatorVariable(fact)] || example]),
  ) as Operator;
}
