/**
 * Takes the pictures of docs/console.md from a demo that runs on this machine, with Debian's or Google's browser:
 * `npm start` in one terminal, `node scripts/console-screenshots.ts [http://127.0.0.1:4000]` in another.
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
  materialization: {
    view: 'endpoints/flights_per_day/materialization',
    shown: 'text=Sorted by',
    look: 'dark',
  },
  usage: { view: 'usage', shown: '.u-legend' },
  telephone: { view: 'endpoints', shown: 'text=busiest_routes', width: 375 },
};

mkdirSync(folder, { recursive: true });
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const [name, picture] of Object.entries(pictures)) await take(name, picture);
} finally {
  await browser.close();
}

async function take(name: string, { view, shown, look = 'light', width = 1280 }: Picture) {
  const viewport = { width, height: width < 500 ? 720 : 800 };
  const page = await browser.newPage({ viewport, colorScheme: look, reducedMotion: 'reduce' });
  await page.goto(origin);
  await page.waitForURL(/\/project\/\d+\//);
  const project = /\/project\/\d+\//.exec(page.url())?.[0] ?? '/';
  await page.goto(origin + project + view);
  await page.locator(shown).first().waitFor();
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await page.close();
  console.log(`${name}.png`);
}
