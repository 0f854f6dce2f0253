/** Elements of the panes. All content is text: React escapes it, and `bdi` isolates its direction. */

export function element(type, props, ...children) {
  return React.createElement(type, props, ...children);
}

const shownCharacters = 300;

export function cut(text) {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

export function name(text) {
  return element('bdi', null, cut(text));
}

/** A 24 by 24 line drawing. */
export function icon(...paths) {
  return () =>
    element(
      'svg',
      {
        viewBox: '0 0 24 24',
        height: '1em',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 1.75,
        'aria-hidden': true,
      },
      ...paths.map((d) => element('path', { key: d, d })),
    );
}

/** A choice with a label. @param options `[[value, text]]`. */
export function choice({ label, value, options, onChange }) {
  return element(
    'label',
    { className: 'qd-choice' },
    `${label} `,
    element(
      'select',
      { value, 'aria-label': label, onChange: ({ target }) => onChange(target.value) },
      ...options.map(([key, text]) => element('option', { key, value: key }, cut(text))),
    ),
  );
}
