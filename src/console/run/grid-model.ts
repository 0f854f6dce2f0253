import { columnResizingFeature, columnSizingFeature, tableFeatures } from '@tanstack/react-table';

export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

export type ResultRow = readonly unknown[];

export const gridFeatures = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
});
