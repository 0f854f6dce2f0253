/** Lines of values that have no neighbours, which a line alone would not show. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const queries = {
  one_day: "SELECT toDate('2026-03-01') AS day, 5 AS n FROM numbers(3)",
  every_other_day:
    "SELECT toDate('2026-03-01') + number AS day, if(number % 2 = 0, number, NULL) AS n FROM numbers(9) ORDER BY day",
  no_values:
    "SELECT toDate('2026-03-01') + number AS day, CAST(NULL, 'Nullable(UInt8)') AS n FROM numbers(9) ORDER BY day",
};

describe.skipIf(!hasBrowser())('a chart of lines', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;

  beforeAll(async () => {
    service = await openConsoleService();
    for (const [name, query] of Object.entries(queries)) {
      const { status } = await service.test.rest('POST', '/endpoints', { body: { name, query } });
      expect(status).toBe(201);
    }
    tab = await openTab(service, service.test.project.writeKey);
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  /** Left ends of the drawn points, as shares of the width. */
  async function drawnAt(name: string): Promise<readonly number[]> {
    const { page } = tab;
    await page.goto(`${service.at(`endpoints/${name}`)}?view=chart&chart=line&x=day&y=n`);
    await page.locator('.plot canvas').waitFor();
    await page.getByRole('img', { name: /^Lines: / }).waitFor();
    return (await page.evaluate(`(() => {
      const canvas = document.querySelector('.plot canvas');
      const { width, height } = canvas;
      const pen = document.createElement('canvas').getContext('2d');
      canvas.parentElement.style.color = 'var(--series-1)';
      pen.fillStyle = getComputedStyle(canvas.parentElement).color;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const columns = new Set();
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255)
          columns.add((at / 4) % width);
      return [...columns].filter((column) => !columns.has(column - 1)).map((column) => column / width).sort((a, b) => a - b);
    })()`)) as readonly number[];
  }

  it('shows the value of a single day, in the middle', async () => {
    await expect.poll(() => drawnAt('one_day')).toHaveLength(1);
    const [at = 0] = await drawnAt('one_day');
    expect(at).toBeGreaterThan(0.4);
    expect(at).toBeLessThan(0.6);
  });

  it('shows each value between two that are missing', async () => {
    await expect.poll(() => drawnAt('every_other_day')).toHaveLength(5);
    expect(await drawnAt('no_values')).toEqual([]);
    expect(tab.errors).toEqual([]);
  });
});
