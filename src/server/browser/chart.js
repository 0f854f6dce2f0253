/** A simple chart of one numeric column, drawn by the browser. */
import { element } from './elements.js';
import { chartPoints } from './result-tables.js';

const width = 420;
const height = 280;
const left = 64;
const bottom = 36;
const top = 12;

/** @param chosen `{ shape, x, y }`, with columns as indexes. */
export function Chart({ table, chosen }) {
  const { points, leftOut } = React.useMemo(() => chartPoints(table, chosen), [table, chosen]);
  const nameOf = (at) => table.columns[at]?.name ?? '';
  if (points.length === 0) return element('p', null, 'No row has values in both columns.');
  const scale = scaleOf(points, chosen.shape);
  const label = `${nameOf(chosen.y)} by ${nameOf(chosen.x)}, ${points.length} rows`;
  return element(
    'figure',
    { className: 'qd-chart' },
    element(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
      grid(scale),
      ends(scale, points, chosen.shape),
      drawn(points, scale, chosen.shape),
    ),
    leftOut > 0
      ? element(
          'figcaption',
          null,
          `${leftOut} of ${table.rows.length} rows are not in this chart.`,
        )
      : null,
  );
}

function scaleOf(points, shape) {
  const range = (values) =>
    values.reduce(
      ([min, max], value) => [Math.min(min, value), Math.max(max, value)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    );
  const [least, most] = range(points.map(({ y }) => y));
  // A bar's length represents its value, so the axis includes zero.
  const [low, high] = shape === 'bar' ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  const [first, last] =
    shape === 'bar' ? [-0.5, points.length - 0.5] : range(points.map(({ x }) => x));
  const place = (value, min, max) => (max === min ? 0.5 : (value - min) / (max - min));
  return {
    low,
    high,
    x: (value) => left + place(value, first, last) * (width - left - 12),
    y: (value) => height - bottom - place(value, low, high) * (height - bottom - top),
  };
}

function grid({ low, high, y }) {
  const steps =
    low === high ? [low] : [0, 1, 2, 3, 4].map((step) => low + ((high - low) * step) / 4);
  return steps.map((value) =>
    element(
      'g',
      { key: value, className: 'qd-axis' },
      element('line', { x1: left, x2: width - 12, y1: y(value), y2: y(value) }),
      element('text', { x: left - 8, y: y(value) + 4, textAnchor: 'end' }, short(value)),
    ),
  );
}

function short(value) {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(
    value,
  );
}

/** The first and the last position; all of them for a few bars. */
function ends({ x }, points, shape) {
  const few = shape === 'bar' && points.length <= 8;
  const named = few ? points : [points[0], ...(points.length > 1 ? [points.at(-1)] : [])];
  return named.map((point, at) => {
    const anchor = few ? 'middle' : at === 0 ? 'start' : 'end';
    const text = point.label.length > 18 ? `${point.label.slice(0, few ? 9 : 17)}…` : point.label;
    return element(
      'text',
      { key: `${at}`, className: 'qd-end', x: x(point.x), y: height - 12, textAnchor: anchor },
      few && text.length > 10 ? `${text.slice(0, 9)}…` : text,
    );
  });
}

function drawn(points, { x, y, low }, shape) {
  // A line of one point would not be seen.
  const isLine = shape === 'line' && points.length > 1;
  if (isLine)
    return element('polyline', {
      className: 'qd-line',
      points: points.map((point) => `${x(point.x)},${y(point.y)}`).join(' '),
    });
  const tooltip = ({ label, y: value }) => element('title', null, `${label}: ${value}`);
  if (shape !== 'bar')
    return points.map((point, at) =>
      element(
        'circle',
        { key: `${at}`, className: 'qd-mark', cx: x(point.x), cy: y(point.y), r: 3 },
        tooltip(point),
      ),
    );
  const zero = y(Math.max(0, low));
  const room = Math.max(1, ((width - left - 12) / points.length) * 0.7);
  return points.map((point, at) =>
    element(
      'rect',
      {
        key: `${at}`,
        className: 'qd-mark',
        x: x(point.x) - room / 2,
        width: room,
        y: Math.min(zero, y(point.y)),
        height: Math.abs(zero - y(point.y)),
      },
      tooltip(point),
    ),
  );
}
