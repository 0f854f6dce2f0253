/** Line icons of one weight; each decorates a label. */

const paths = {
  endpoints: 'M4 6h16M4 12h16M4 18h10',
  tables: 'M4 5h16v14H4zM4 10h16M10 10v9',
  keys: 'M14.5 9.5a4 4 0 1 0-3.4 3.9L13 15.5h2v2h2v2h3v-3l-5.6-5.6zM9 9h.01',
  audit: 'M12 7v5l3 2M4 12a8 8 0 1 0 2.4-5.7M4 4v3.5h3.5',
  graph: 'M12 3.500l7.500 4.250v8.500L12 20.500l-7.500-4.250v-8.500zM12 3.500L4.500 16.250h15z',
  usage: 'M5 19v-7M10 19V5M15 19v-9M20 19v-4',
  limits: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  health: 'M3 12h4l2.5-6 4 12 2.5-6h5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  play: 'M8 5.5v13l10-6.5z',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  caret: 'M7 10l5 5 5-5',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  out: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  edit: 'M5 19h3.5L19 8.500 15.500 5 5 15.500z',
  link: 'M7 17L17 7M9 7h8v8',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
