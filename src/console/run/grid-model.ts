import { columnResizingFeature, columnSizingFeature, tableFeatures } from '@tanstack/react-table';

export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

export type ResultRow = readonly unknown[];

/** Limits in pixels. */
export const columnWidths = { least: 56, most: 1200 } as const;

export const gridFeatures = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
});
