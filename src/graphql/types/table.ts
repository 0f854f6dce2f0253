import type {
  TableColumn as TableColumnFacts,
  ReadTable as TableReadFacts,
} from '../../engine/engine-table.ts';
import { defaultFirstRows, readFirstRows } from '../../runs/first-rows.ts';
import { listReaders, type ReaderPage, type TableReader } from '../../tables/list-readers.ts';
import {
  getTable,
  listTables,
  type ProjectTable,
  type TablePage,
} from '../../tables/read-tables.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';
import { QueryRun } from './endpoint-run.ts';

const TableColumn = builder.objectRef<TableColumnFacts>('TableColumn').implement({
  description: 'A column of a table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', { description: 'Its ClickHouse type.' }),
    comment: t.exposeString('comment', { description: 'What it means; empty without a comment.' }),
  }),
});

const TableReaderRef = builder.objectRef<TableReader>('TableReader').implement({
  description: 'A saved version that reads a table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the endpoint.' }),
    version: t.exposeInt('version', { description: 'Number of the version.' }),
    isCurrent: t.exposeBoolean('isCurrent', {
      description: 'Whether it is the current version of the endpoint.',
    }),
    columns: t.stringList({
      description: 'Columns of the table that it reads; none when it only counts rows.',
      resolve: (reader) => [...reader.columns],
    }),
  }),
});

const TableReaders = builder.objectRef<ReaderPage>('TableReaders').implement({
  description: 'One page of the saved versions that read a table.',
  fields: (t) => ({
    results: t.field({
      type: [TableReaderRef],
      description: 'By name and number. A page may have none, and not be the last.',
      resolve: (page) => [...page.readers],
    }),
    nextOffset: t.exposeInt('nextOffset', {
      nullable: true,
      description: 'Where the next page begins; null: this is the last one.',
    }),
  }),
});

export const Table = builder.objectRef<ProjectTable>('Table').implement({
  description: 'A table that queries of the project can read.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    comment: t.exposeString('comment', { description: 'What it holds; empty without a comment.' }),
    rows: t.exposeFloat('rows', {
      nullable: true,
      description: 'How many rows it has; null when the engine does not count them, as for a view.',
    }),
    bytes: t.exposeFloat('bytes', {
      nullable: true,
      description: 'Bytes on disk; null when the engine does not say.',
    }),
    columns: t.field({
      type: [TableColumn],
      description: 'Its columns, in their order.',
      resolve: (table) => [...table.columns],
    }),
    readers: t.field({
      type: TableReaders,
      description:
        'The saved versions that read it, of those that are current or can run. Each is analyzed at the engine, so a page counts as a run. Versions that read it through a view are not found.',
      args: {
        offset: t.arg.int({ description: 'Where the page begins: nextOffset of the one before.' }),
      },
      resolve: (table, { offset }, { deps, runs }) => {
        runs.take();
        return listReaders(deps, table, offset ?? 0);
      },
    }),
    firstRows: t.field({
      type: QueryRun,
      nullable: true,
      description:
        'Its first rows, in no certain order. Counts as a run. Null when one of its columns cannot be returned.',
      args: {
        first: t.arg.int({ defaultValue: defaultFirstRows, description: 'How many, 1 to 100.' }),
      },
      resolve: async (table, { first }, context) => {
        context.runs.take();
        const { deps, via } = context;
        const call = { limit: first ?? defaultFirstRows, via, caller: context };
        return readFirstRows(deps, await context.principal(), table, call);
      },
    }),
  }),
});

const TableList = builder.objectRef<TablePage>('TableList').implement({
  description: 'One page of tables.',
  fields: (t) => ({
    totalCount: t.exposeInt('total', { description: 'How many there are in all.' }),
    results: t.field({
      type: [Table],
      description: 'The tables of this page.',
      resolve: (page) => [...page.tables],
    }),
  }),
});

export const ReadTable = builder.objectRef<TableReadFacts>('ReadTable').implement({
  description: 'What a query reads of one table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the table.' }),
    columns: t.stringList({
      description: 'Names of the columns; none when it only counts rows.',
      resolve: (table) => [...table.columns],
    }),
  }),
});

builder.queryFields((t) => ({
  tables: t.field({
    type: TableList,
    nullable: true,
    description: 'The tables that queries of a project can read, by name.',
    args: {
      ...projectArgs,
      search: t.arg.string({
        description: 'Only those whose name or comment holds this text, whatever its case.',
      }),
      first: t.arg.int({ description: 'How many to return at most; 100 when absent.' }),
      offset: t.arg.int({ description: 'How many to skip from the start.' }),
    },
    resolve: async (_root, args, { deps, principal }) => listTables(deps, await principal(), args),
  }),
  table: t.field({
    type: Table,
    nullable: true,
    description: 'One table.',
    args: {
      ...projectArgs,
      name: t.arg.string({ required: true, description: 'Name of the table, matched exactly.' }),
    },
    resolve: async (_root, args, { deps, principal }) => getTable(deps, await principal(), args),
  }),
}));
