/**
 * Takes the pictures of docs/console.md from a demo that runs on this machine, with Debian's or Google's browser:
 * `npm start` in one terminal, `node scripts/console-screenshots.ts [http://127.0.0.1:4000] [name]` in another. Two pictures need
 * more: `OIDC_` settings, and `ADMIN_KEY` with a key of `querydock key create --scope admin`.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

const origin = process.argv[2] ?? 'http://127.0.0.1:4000';
const folder = path.join(path.dirname(import.meta.dirname), 'docs', 'console');

interface Picture {
  readonly view: string;
  /** Seen before the picture is taken. */
  readonly shown: string;
  readonly look?: 'light' | 'dark';
  readonly width?: number;
  /** Text of a CSV that is given to the view and loaded. */
  readonly csv?: string;
  /** After signing out; only from a demo with an OpenID provider in its settings. */
  readonly isSignedOut?: true;
  /** Only with a key in ADMIN_KEY. */
  readonly isForAdmin?: true;
}

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
  telephone: { view: 'endpoints', shown: 'text=busiest_routes', width: 375 },
};

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
  const { view, shown, look = 'light', width = 1280, csv, isSignedOut, isForAdmin } = picture;
  if (isForAdmin === true && adminKey === undefined) return;
  const viewport = { width, height: width < 500 ? 720 : 800 };
  const page = await browser.newPage({ viewport, colorScheme: look, reducedMotion: 'reduce' });
  await page.goto(origin);
  await page.waitForURL(/\/project\/\d+\//);
  const project = /\/project\/\d+\//.exec(page.url())?.[0] ?? '/';
  await page.goto(origin + project + view);
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
  await page.locator(shown).first().waitFor();
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await page.close();
  console.log(`${name}.png`);
}
