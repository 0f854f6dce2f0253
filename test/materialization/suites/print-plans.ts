/** `node test/materialization/suites/print-plans.ts [suite [query]]`: which queries of the public benchmarks can be materialized, or why not. */
import { suites } from '../../../bench/suites/all.ts';
import { type Suite, withConstants } from '../../../bench/suites/suite.ts';
import { startTestEngine } from '../../support/test-engine.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

const [name, only] = process.argv.slice(2);
const engine = await startTestEngine();
try {
  for (const [at, suite] of suites.entries()) {
    if (name !== undefined && name !== suite.name) continue;
    const laboratory = await openLaboratory(engine.shared, 1 + at);
    for (const statement of [...suite.tables, ...suite.fill(suite.smallScale)])
      await laboratory.admin(statement);
    await printPlans(laboratory, suite);
    laboratory.close();
  }
} finally {
  await engine.stop();
}

async function printPlans(laboratory: Laboratory, suite: Suite): Promise<void> {
  const planned = { constants: 0, variables: 0 };
  for (const query of suite.queries) {
    if (only !== undefined && only !== query.name) continue;
    const texts = { constants: withConstants(query), variables: query.sql };
    for (const [form, sql] of Object.entries(texts) as ['constants' | 'variables', string][]) {
      const [, , first = 'no rows'] = await laboratory.run(
        { sql },
        form === 'variables' ? (query.values[0] ?? {}) : {},
      );
      const result = await laboratory.plan({ sql });
      if (result.kind === 'plan') planned[form] += 1;
      if (only !== undefined) console.log(sql);
      const outcome = result.kind === 'plan' ? 'can be materialized' : result.reason;
      console.log(`${suite.name} ${query.name} ${form}: ${outcome}`);
      if (only !== undefined) console.log(`  first row: ${first}`);
      if (only !== undefined && result.kind === 'plan') console.log(result.plan);
    }
  }
  const { constants, variables } = planned;
  const of = suite.queries.length;
  console.log(
    `${suite.title}: ${constants} of ${of} as constants, ${variables} of ${of} with variables`,
  );
}
