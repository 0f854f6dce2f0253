/** The engine's plan of the open tab's call, without running it. */
import { element, name } from './elements.js';
import { explainCall } from './endpoint-facts.js';

export function EndpointPlan({ call, headers }) {
  const [found, setFound] = React.useState(null);
  const requested = JSON.stringify([
    call.project,
    call.name,
    call.args,
    call.input.version ?? null,
  ]);
  // A different call has a different plan.
  React.useEffect(() => setFound(null), [requested]);
  const explain = () => {
    setFound({ text: 'Asking the engine…' });
    explainCall(call, headers).then(
      (plan) => setFound(plan === null ? { text: 'A value of a variable is missing.' } : { plan }),
      (error) => setFound({ text: error.message }),
    );
  };
  return element(
    React.Fragment,
    null,
    element(
      'button',
      { type: 'button', className: 'graphiql-button', onClick: explain },
      'Explain',
    ),
    found?.text ? element('p', { role: 'status' }, found.text) : null,
    found?.plan ? element(Plan, found.plan) : null,
  );
}

function Plan({ reads, steps }) {
  return element(
    'div',
    { className: 'qd-plan', role: 'region', 'aria-label': 'Plan', tabIndex: 0 },
    ...reads.map(({ table, rows, granules }) =>
      element('p', { key: table }, name(table), `: at most ${rows} rows in ${granules} granules`),
    ),
    ...steps.map(({ depth, name: step, description, indexes }, at) =>
      element(
        'p',
        { key: `${at}`, style: { paddingInlineStart: `${depth * 10}px` } },
        element('strong', null, step),
        ' ',
        name(description),
        ...indexes.map((index, number) =>
          element(
            'small',
            { key: `${number}`, className: 'qd-index' },
            name(index.kind),
            ` leaves ${index.granules} of ${index.granulesBefore} granules`,
          ),
        ),
      ),
    ),
  );
}
