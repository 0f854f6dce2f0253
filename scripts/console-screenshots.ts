/**
 * Takes the pictures of docs/console.md and docs/graphql-api.md from a demo that runs on this machine, with Debian's or Google's browser:
 * `npm start` in one terminal, `node scripts/console-screenshots.ts [http://127.0.0.1:4000] [name]` in another. Some pictures need
 * more: `OIDC_` settings, `ADMIN_KEY` with a key of `querydock key create --scope admin`, or a second version of `delays_by_hour`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const origin = process.argv[2] ?? 'http://127.0.0.1:4000';
const folder = path.join(path.dirname(import.meta.dirname), 'docs', 'console');

interface Picture {
  /** Within the project; with a slash before it, a path in which `:project` stands for the id. */
  readonly view: string;
  /** Clicked one after the other before the picture is taken. */
  readonly clicks?: readonly string[];
  /** Seen before the picture is taken. */
  readonly shown: string;
  readonly look?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Text of a CSV that is given to the view and loaded. */
  readonly csv?: string;
  /** After signing out; only from a demo with an OpenID provider in its settings. */
  readonly isSignedOut?: true;
  /** Only with a key in ADMIN_KEY. */
  readonly isForAdmin?: true;
}

const resultClicks = ['.graphiql-execute-button', '[aria-label="Show Result"]'];

const pictures: Readonly<Record<string, Picture>> = {
  endpoints: { view: 'endpoints', shown: 'text=busiest_routes' },
  table: { view: 'endpoints/airport_delays', shown: '[role=gridcell]' },
  chart: {
    view: 'endpoints/airport_delays?view=chart&y=flights&y=late',
    shown: '.u-legend',
    look: 'dark',
  },
  editor: { view: 'endpoints/destinations/edit', shown: 'text=Valid' },
  graphql: {
    view: `graphql#${new URLSearchParams({
      query:
        'query Delays($origin: String!) {\n  airportDelays(origin: $origin, run: {limit: 100}) {\n    rows { day flights late avgDelay }\n    hasMore\n  }\n}',
      variables: '{"origin": "SFO"}',
    })}`,
    shown: '[role=gridcell]',
  },
  load: {
    view: 'load',
    shown: '.file-lines',
    csv: 'id,price,day\n1,2.5,2024-01-01\n2,3.5,2024-01-02\n3,4.5\n4,5.5,2024-01-04\n',
  },
  materialization: {
    view: 'endpoints/flights_per_day/materialization',
    shown: 'text=Sorted by',
    look: 'dark',
  },
  usage: { view: 'usage', shown: '.u-legend' },
  health: { view: 'health', shown: 'text=Everything is up', isForAdmin: true },
  'sign-in': { view: 'endpoints', shown: 'text=Or use a key', isSignedOut: true },
  versions: { view: 'endpoints/delays_by_hour/versions', shown: '.diff-line.added' },
  tables: { view: 'tables', shown: 'text=airports', look: 'dark', height: 480 },
  'one-table': { view: 'tables/flights', shown: '[role=gridcell]' },
  'endpoint-usage': { view: 'endpoints/airport_delays/usage', shown: '.u-legend', look: 'dark' },
  audit: { view: 'audit', shown: '.plain-table' },
  keys: { view: 'keys', shown: '.plain-table', height: 540, isForAdmin: true },
  'graphiql-result': {
    view: '/graphql?project=:project&endpoint=airport_delays&limit=200',
    clicks: [...resultClicks, 'text=Chart'],
    shown: '.qd-chart',
  },
  'graphiql-endpoint': {
    view: '/graphql?project=:project&endpoint=busiest_routes&limit=200',
    clicks: ['.graphiql-execute-button', '[aria-label="Show Endpoint"]'],
    shown: 'text=Rebuilt:',
    look: 'dark',
    height: 920,
  },
  'graphiql-telephone': {
    view: '/graphql?project=:project&endpoint=airport_delays&limit=200',
    clicks: resultClicks,
    shown: '.qd-scroll td',
    width: 375,
  },
  'telephone-table': {
    view: 'endpoints/busiest_routes',
    shown: '[role=gridcell]',
    width: 375,
    height: 1150,
  },
  'telephone-chart': {
    view: 'endpoints/busiest_routes?view=chart',
    shown: '.u-legend',
    look: 'dark',
    width: 375,
    height: 1330,
  },
  telephone: { view: 'endpoints', shown: 'text=busiest_routes', width: 375 },
};

const noData = Buffer.alloc(0);

mkdirSync(folder, { recursive: true });
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const { ADMIN_KEY: adminKey } = process.env;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const only = process.argv[3];
  for (const [name, picture] of Object.entries(pictures))
    if (only === undefined || only === name) await take(name, picture);
} finally {
  await browser.close();
}

async function take(name: string, picture: Picture) {
  const { view, clicks = [], shown, look = 'light', csv, isSignedOut, isForAdmin } = picture;
  if (isForAdmin === true && adminKey === undefined) return;
  const { width = 1280, height = width < 500 ? 720 : 800 } = picture;
  const viewport = { width, height };
  const page = await browser.newPage({ viewport, colorScheme: look, reducedMotion: 'reduce' });
  await page.goto(origin);
  await page.waitForURL(/\/project\/\d+\//);
  const project = /\/project\/\d+\//.exec(page.url())?.[0] ?? '/';
  const id = project.split('/')[2] ?? '';
  await page.goto(origin + (view.startsWith('/') ? view.replace(':project', id) : project + view));
  if (csv !== undefined) {
    const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
  }
  if (isForAdmin === true) {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(adminKey ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  if (isSignedOut === true) {
    const content = await page.getAttribute('meta[name="querydock-sign-in"]', 'content');
    if (content === '') return page.close();
    await page.getByRole('button', { name: 'Sign out' }).click();
  }
  for (const one of clicks) await page.locator(one).first().click();
  await page.locator(shown).first().waitFor();
  // Charts and editors are drawn after their elements exist.
  await page.waitForTimeout(1000);
  writeFileSync(path.join(folder, `${name}.png`), compressed(await page.screenshot()));
  await page.close();
  console.log(`${name}.png`);
}

/** The browser compresses for speed. */
function compressed(png: Buffer): Buffer {
  const signature = png.subarray(0, 8);
  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const start = at + 8;
    const data = png.subarray(start, start + png.readUInt32BE(at));
    chunks.push({ type: png.toString('latin1', at + 4, start), data });
  }
  const pixels = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const smaller = deflateSync(inflateSync(Buffer.concat(pixels)), { level: 9 });
  const header = chunks.filter(({ type }) => type === 'IHDR');
  const written = [...header, { type: 'IDAT', data: smaller }, { type: 'IEND', data: noData }];
  return Buffer.concat([signature, ...written.map(({ type, data }) => chunkOf(type, data))]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
