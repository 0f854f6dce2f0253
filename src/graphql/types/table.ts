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
    type: t.exposeString('type', { description: 'ClickHouse type of the column.' }),
    comment: t.exposeString('comment', { description: 'Comment of the column; may be empty.' }),
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
      description: 'Columns of the table that it reads; empty if it only counts rows.',
      resolve: (reader) => [...reader.columns],
    }),
  }),
});

const TableReaders = builder.objectRef<ReaderPage>('TableReaders').implement({
  description: 'One page of the saved versions that read a table.',
  fields: (t) => ({
    results: t.field({
      type: [TableReaderRef],
      description:
        'Sorted by endpoint name and version. A page may be empty without being the last.',
      resolve: (page) => [...page.readers],
    }),
    nextOffset: t.exposeInt('nextOffset', {
      nullable: true,
      description: 'Start of the next page; null on the last page.',
    }),
  }),
});

export const Table = builder.objectRef<ProjectTable>('Table').implement({
  description: 'A table that queries of the project can read.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    comment: t.exposeString('comment', { description: 'Comment of the table; may be empty.' }),
    rows: t.exposeFloat('rows', {
      nullable: true,
      description: 'Number of rows; null if the engine does not count them, as for a view.',
    }),
    bytes: t.exposeFloat('bytes', {
      nullable: true,
      description: 'Size on disk in bytes; null if the engine does not report it.',
    }),
    columns: t.field({
      type: [TableColumn],
      description: 'Columns of the table, in table order.',
      resolve: (table) => [...table.columns],
    }),
    readers: t.field({
      type: TableReaders,
      description:
        'The saved versions that read the table, among those that are current or can run. Each version is analyzed by the engine, so a page counts as a run. Versions that read the table through a view are not found.',
      args: {
        offset: t.arg.int({ description: 'Start of the page: nextOffset of the previous page.' }),
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
        'Some rows of the table; null if one of its columns cannot be returned. Selecting this field counts as a run.',
      args: {
        first: t.arg.int({
          defaultValue: defaultFirstRows,
          description: 'Maximum number of rows, 1 to 100.',
        }),
        orderBy: t.arg.stringList({
          description:
            'Names of columns by which all rows of the table are sorted, with - in front for descending. If absent, rows come in no particular order.',
        }),
      },
      resolve: async (table, { first, orderBy = null }, context) => {
        context.runs.take();
        const { deps, via } = context;
        const call = { limit: first ?? defaultFirstRows, orderBy, via, caller: context };
        return readFirstRows(deps, await context.principal(), table, call);
      },
    }),
  }),
});

const TableList = builder.objectRef<TablePage>('TableList').implement({
  description: 'One page of tables.',
  fields: (t) => ({
    totalCount: t.exposeInt('total', { description: 'Total number over all pages.' }),
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
      description: 'Names of the columns; empty if the query only counts rows.',
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
        description: 'Only tables whose name or comment contains this text, ignoring case.',
      }),
      first: t.arg.int({ description: 'Maximum number of tables to return; default: 100.' }),
      offset: t.arg.int({ description: 'Number of rows to skip from the start.' }),
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
