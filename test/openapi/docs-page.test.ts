import { describe, expect, it } from 'vitest';
import { docsAssets, docsContentSecurityPolicy, docsPage } from '../../src/openapi/docs-page.ts';

describe('the readable page', () => {
  it('loads its own assets and no other', () => {
    const addresses = [...docsPage(null).html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, at]) => at,
    );
    const assets = [...docsAssets().keys()].map((name) => `/api/docs/${name}`);
    expect(new Set(addresses.filter((at) => at?.startsWith('/api/docs/')))).toEqual(
      new Set(assets),
    );
    expect(addresses.filter((at) => at?.includes('//'))).toEqual([]);
  });

  it('has no script in the page, so that its policy needs no exception', () => {
    expect(docsPage(null).html).not.toMatch(/<script>|<script(?![^>]*src=)|\son\w+=/);
    expect(docsContentSecurityPolicy).toContain("script-src 'self';");
    expect(docsContentSecurityPolicy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('has each asset with its type and bytes', () => {
    const assets = docsAssets();
    expect(assets.get('swagger-ui.css')?.contentType).toBe('text/css; charset=utf-8');
    expect(assets.get('swagger-ui-bundle.js')?.contentType).toBe('text/javascript; charset=utf-8');
    expect(assets.get('docs-init.js')?.bytes.toString()).toContain('/api/openapi.json');
    for (const { bytes } of assets.values()) expect(bytes.length).toBeGreaterThan(100);
    expect(assets.get('docs.css')?.contentType).toBe('text/css; charset=utf-8');
    expect(assets.size).toBe(4);
  });

  it('fills in a key where it is given one, and nothing else', () => {
    expect(docsPage('qdk_a-B_1').html).toContain('<body data-key="qdk_a-B_1">');
    expect(docsPage('"><script>').html).toContain('<body data-key="script">');
    expect(docsPage(null).html).toContain('<body>');
  });

  it('reads them once', () => {
    expect(docsAssets()).toBe(docsAssets());
  });
});
