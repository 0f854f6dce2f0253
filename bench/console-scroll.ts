/**
 * Prints how soon the console shows 100,000 rows of 8 columns, and how many frames a second it draws while they scroll.
 * Beside a demo of at least that many rows: `MAX_ROWS=100000 npm start`, then `node bench/console-scroll.ts [URL]`.
 */
import { chromium } from 'playwright-core';

const origin = process.argv[2] ?? 'http://127.0.0.1:4000';
const name = 'console_scroll_bench';
const query =
  'SELECT number AS a, number * 2 AS b, toString(number) AS c, number / 3 AS d, toDate(number % 9999) AS e, number % 7 AS f, hex(number) AS g, intDiv(number, 9) AS h FROM numbers(100000) ORDER BY a';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(origin);
  await page.waitForURL(/\/project\/\d+\//);
  const project = /\/project\/(\d+)\//.exec(page.url())?.[1] ?? '1';
  const key = await page.locator('meta[name="querydock-demo-key"]').getAttribute('content');
  const endpoints = `${origin}/api/projects/${project}/endpoints`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await fetch(endpoints, { method: 'POST', headers, body: JSON.stringify({ name, query }) });
  let bytesAt = 0;
  page.on('requestfinished', (request) => {
    if (request.postData()?.includes('RunEndpoint') === true) bytesAt = performance.now();
  });
  await page.goto(`${origin}/project/${project}/endpoints/${name}?limit=100000`);
  await page.locator('[role=gridcell]').first().waitFor();
  console.log(`rows shown ${Math.round(performance.now() - bytesAt)} ms after their last byte`);
  for (const step of [40, 400, 4000]) {
    const frames = Number(await page.evaluate(scrolling(step)));
    console.log(`${frames.toFixed(0)} frames a second while scrolling ${step} pixels a frame`);
  }
  await fetch(`${endpoints}/${name}`, { method: 'DELETE', headers });
} finally {
  await browser.close();
}

/** Runs in the page: scrolls for three seconds and counts the frames. */
function scrolling(step: number): string {
  return `new Promise((done) => {
    const grid = document.querySelector('[role=grid]');
    grid.scrollTop = 0;
    const startedAt = performance.now();
    let frames = 0;
    const next = () => {
      frames += 1;
      grid.scrollTop += ${step};
      const seconds = (performance.now() - startedAt) / 1000;
      if (seconds < 3) requestAnimationFrame(next);
      else done(frames / seconds);
    };
    requestAnimationFrame(next);
  })`;
}
