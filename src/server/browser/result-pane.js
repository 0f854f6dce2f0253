/** The pane with the newest run's rows, as a table or a chart. */
import { Chart } from './chart.js';
import { shapeFor } from './chart-rule.js';
import { choice, cut, element, icon, name } from './elements.js';
import { textOf } from './exact-json.js';
import { usePageState } from './page-state.js';
import { ReadingProgress } from './reading-progress.js';
import { guessChart, kindOf, tablesIn } from './result-tables.js';

const mostRows = 500;

export function resultPlugin(state, graphProject) {
  return {
    title: 'Result',
    icon: icon('M4 20V4', 'M4 20h16', 'M8 16v-4', 'M13 16V7', 'M18 16v-7'),
    content: () => element(ResultPane, { state, graphProject }),
  };
}

function ResultPane({ state, graphProject }) {
  const { response, running } = usePageState(state);
  const tables = React.useMemo(() => tablesIn(response), [response]);
  const [number, setNumber] = React.useState(0);
  const [view, setView] = React.useState('table');
  const table = tables[number] ?? tables[0];
  return element(
    'section',
    { className: 'qd-pane', 'aria-label': 'Result' },
    element('div', { className: 'graphiql-doc-explorer-title' }, 'Result'),
    running === null
      ? null
      : element(ReadingProgress, { key: running.requestId, running, state, graphProject }),
    table === undefined
      ? element('p', null, hintFor(response))
      : element(
          React.Fragment,
          null,
          element(
            'div',
            { className: 'qd-bar' },
            tables.length > 1 &&
              choice({
                label: 'Rows of',
                value: String(tables.indexOf(table)),
                options: tables.map(({ title }, at) => [String(at), title]),
                onChange: (value) => setNumber(Number(value)),
              }),
            ['table', 'chart'].map((one) =>
              element(
                'button',
                {
                  key: one,
                  type: 'button',
                  className: 'graphiql-button',
                  'aria-pressed': view === one,
                  onClick: () => setView(one),
                },
                one === 'table' ? 'Table' : 'Chart',
              ),
            ),
          ),
          view === 'table'
            ? element(Table, { table })
            : element(ChosenChart, { table, key: table.columns.map((one) => one.name).join('\n') }),
        ),
  );
}

function hintFor(response) {
  if (response === null) return 'Run an endpoint to see its rows here.';
  if (response.errors !== undefined) return 'The run failed; the response says why.';
  return 'The response has no rows: select results of runEndpoint, or rows of a field of the data graph.';
}

function Table({ table }) {
  const { columns, rows } = table;
  const kinds = React.useMemo(() => columns.map((_, at) => kindOf(table, at)), [table, columns]);
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
  const more = rows.length > mostRows ? `, of which the first ${mostRows} are shown` : '';
  const cell = (row, at) => {
    const value = row[at] ?? null;
    const className = value === null ? 'qd-null' : kinds[at] === 'number' ? 'qd-number' : undefined;
    return element('td', { key: at, className }, name(textOf(value)));
  };
  return element(
    React.Fragment,
    null,
    element(
      'p',
      { className: 'qd-count' },
      `${count}${more}.${table.hasMore ? ' The run has more.' : ''}`,
    ),
    element(
      'div',
      { className: 'qd-scroll', tabIndex: 0, role: 'region', 'aria-label': 'Rows' },
      element(
        'table',
        null,
        element(
          'thead',
          null,
          element(
            'tr',
            null,
            ...columns.map((column, at) =>
              element(
                'th',
                {
                  key: at,
                  scope: 'col',
                  className: kinds[at] === 'number' ? 'qd-number' : undefined,
                },
                name(column.name),
                column.type === '' ? null : element('small', null, cut(column.type)),
              ),
            ),
          ),
        ),
        element(
          'tbody',
          null,
          ...rows
            .slice(0, mostRows)
            .map((row, at) => element('tr', { key: at }, ...columns.map((_, to) => cell(row, to)))),
        ),
      ),
    ),
  );
}

function ChosenChart({ table }) {
  const guess = React.useMemo(() => guessChart(table), [table]);
  const [selected, setSelected] = React.useState({});
  const x = selected.x ?? guess?.x ?? 0;
  const y = selected.y ?? guess?.y ?? 0;
  const usual = selected.x === undefined ? guess?.shape : shapeFor(guess?.kinds[x]);
  const shape = usual ?? 'bar';
  const chosen = React.useMemo(() => ({ shape, x, y }), [shape, x, y]);
  if (guess === null)
    return element('p', null, 'A chart needs a column of numbers, and another to draw them by.');
  const options = (fits) =>
    table.columns.flatMap((column, at) => (fits(at) ? [[String(at), column.name]] : []));
  return element(
    React.Fragment,
    null,
    element(
      'div',
      { className: 'qd-bar' },
      choice({
        label: 'Show',
        value: String(y),
        options: options((at) => guess.kinds[at] === 'number'),
        onChange: (value) => setSelected({ ...selected, y: Number(value) }),
      }),
      choice({
        label: 'By',
        value: String(x),
        options: options(() => true),
        onChange: (value) => setSelected({ ...selected, x: Number(value) }),
      }),
    ),
    element(Chart, { table, chosen }),
  );
}
