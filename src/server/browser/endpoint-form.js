/** The endpoint's variables as a form, which opens a call with its values in a new tab. */
import { element, name } from './elements.js';
import { callTexts } from './endpoint-call.js';
import { textOf } from './exact-json.js';

/** @param call the open tab's call, which supplies the form's initial values. */
export function EndpointForm({ call, endpoint }) {
  const { variables } = endpoint;
  const [texts, setTexts] = React.useState(() => callTexts(call, variables));
  const set = (variable, text) => setTexts((before) => ({ ...before, [variable]: text }));
  const open = (event) => {
    event.preventDefault();
    location.assign(callAddress(call, endpoint, texts));
  };
  return element(
    'form',
    { className: 'qd-form', 'aria-label': 'Variables', onSubmit: open },
    ...variables.map((variable) =>
      element(Variable, { key: variable.name, variable, text: texts[variable.name], set }),
    ),
    element(
      'button',
      { type: 'submit', className: 'graphiql-button' },
      'Open a tab with these values',
    ),
  );
}

function Variable({ variable, text, set }) {
  const { name: own, type, required } = variable;
  const props = {
    value: text ?? '',
    required: required && type !== 'String',
    placeholder: required ? '' : textOf(variable.default ?? ''),
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ target }) => set(own, target.value),
  };
  return element(
    'label',
    null,
    element('span', null, name(own), ' ', element('code', null, type)),
    /^(?:Array\(|List$)/.test(type)
      ? element('textarea', { ...props, rows: 2, title: 'One value a line' })
      : element('input', props),
    element('small', null, ...aboutVariable(variable)),
  );
}

/** Whether it is optional, and its description. */
function aboutVariable({ required, default: usual, description }) {
  const need = required ? ['Required.'] : ['Optional; default ', name(textOf(usual)), '.'];
  return [...need, description ? [' ', name(description)] : null];
}

/** Empty inputs use their defaults. */
function callAddress(call, endpoint, texts) {
  const params = new URLSearchParams({ project: textOf(call.project), endpoint: endpoint.name });
  for (const [variable, text] of Object.entries(texts))
    if (text !== undefined && text !== '') params.set(`v.${variable}`, text);
  for (const option of ['version', 'limit', 'refresh']) {
    const value = call.input[option];
    if (value !== undefined && value !== null) params.set(option, textOf(value));
  }
  return `/graphql?${params}`;
}
